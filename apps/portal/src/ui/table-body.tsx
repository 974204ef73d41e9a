import { type HTMLAttributes, type RefObject, useEffect, useLayoutEffect, useRef } from 'react'
import { isFocusLost, restoreFocus } from '#lib/focus.ts'
import { rowLink } from '#lib/row-keys.ts'

/**
 * A `tbody` that keeps keyboard focus in the list. If the focused row is removed, the next remaining row receives
 * focus, or the previous one at the end of the list. If the whole list is removed, the page title does.
 */
export function TableBody(props: HTMLAttributes<HTMLTableSectionElement>) {
  const body = useRef<HTMLTableSectionElement>(null)
  const focus = useRowFocus(body)
  return <tbody {...props} {...focus} ref={body} />
}

/** The focused row and the rows that were in the list with it. */
interface Focused {
  readonly row: HTMLElement
  readonly rows: readonly HTMLElement[]
  readonly isCheckbox: boolean
}

function useRowFocus(
  body: RefObject<HTMLTableSectionElement | null>,
): Pick<HTMLAttributes<HTMLElement>, 'onFocus' | 'onBlur'> {
  const focused = useRef<Focused>(undefined)
  useLayoutEffect(() => {
    const previous = focused.current
    if (!previous || !body.current) return
    if (previous.row.isConnected) focused.current = { ...previous, rows: rowsOf(body.current) }
    else if (isFocusLost()) focusNearest(previous)
  })
  useEffect(() => {
    return () => {
      if (focused.current) restoreFocus()
    }
  }, [])
  return {
    // React also bubbles focus events from a row's menus and dialogs, which are rendered outside the table.
    onFocus: ({ target }) => {
      if (body.current?.contains(target)) focused.current = focusedIn(body.current, target)
    },
    // Some browsers fire blur when a focused row is removed; React doesn't pass it on while it commits. Switching to
    // another window keeps the focus, and a dialog about the row may remove the row.
    onBlur: ({ target, relatedTarget }) => {
      const isAside = relatedTarget?.closest('[role=dialog], [role=menu]') || !body.current?.contains(target)
      if (document.activeElement !== target && !isAside) focused.current = undefined
    },
  }
}

function focusNearest({ row, rows, isCheckbox }: Focused): void {
  const at = rows.indexOf(row)
  const remains = (element: HTMLElement) => element.isConnected
  const next = rows.slice(at + 1).find(remains) ?? rows.slice(0, at).findLast(remains)
  const checkbox = isCheckbox && next?.querySelector<HTMLElement>('input[type=checkbox]')
  if (next) (checkbox || rowLink(next))?.focus()
}

function focusedIn(body: HTMLElement, target: HTMLElement): Focused | undefined {
  const row = target.closest('tr')
  return row ? { row, rows: rowsOf(body), isCheckbox: target.matches('input[type=checkbox]') } : undefined
}

function rowsOf(body: HTMLElement): readonly HTMLElement[] {
  return [...body.querySelectorAll<HTMLElement>('tr')]
}
