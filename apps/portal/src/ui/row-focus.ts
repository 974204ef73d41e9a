import { type HTMLAttributes, type RefObject, useEffect, useLayoutEffect, useRef } from 'react'
import { isFocusLost, regainFocus } from '#lib/focus.ts'
import { linkOf } from '#lib/row-keys.ts'

/** The row that somebody stands on, among those that were there with it. */
interface Held {
  readonly row: HTMLElement
  readonly rows: readonly HTMLElement[]
  readonly isBox: boolean
}

/**
 * Whoever stands on a row that goes, as it no longer matches or is deleted, stands on the next one of these, or on the
 * last. Where the whole list goes, they stand on the title of the page.
 */
export function useRowFocus(
  body: RefObject<HTMLTableSectionElement | null>,
): Pick<HTMLAttributes<HTMLElement>, 'onFocus' | 'onBlur'> {
  const held = useRef<Held>(undefined)
  useLayoutEffect(() => {
    const was = held.current
    if (!was || !body.current) return
    if (was.row.isConnected) held.current = { ...was, rows: rowsOf(body.current) }
    else if (isFocusLost()) focusNext(was)
  })
  useEffect(() => {
    return () => {
      if (held.current) regainFocus()
    }
  }, [])
  return {
    // React tells of menus and dialogs of a row too, which stand elsewhere in the page: they change nothing.
    onFocus: ({ target }) => {
      if (body.current?.contains(target)) held.current = heldIn(body.current, target)
    },
    // React hears nothing while it takes rows away, which some browsers call leaving them; and a window that is left
    // for another keeps its focus. A dialog about the row may take it away.
    onBlur: ({ target, relatedTarget }) => {
      const isAside = relatedTarget?.closest('[role=dialog], [role=menu]') || !body.current?.contains(target)
      if (document.activeElement !== target && !isAside) held.current = undefined
    },
  }
}

function focusNext({ row, rows, isBox }: Held): void {
  const at = rows.indexOf(row)
  const stays = (one: HTMLElement) => one.isConnected
  const next = rows.slice(at + 1).find(stays) ?? rows.slice(0, at).findLast(stays)
  const box = isBox && next?.querySelector<HTMLElement>('input[type=checkbox]')
  if (next) (box || linkOf(next))?.focus()
}

function heldIn(body: HTMLElement, target: HTMLElement): Held | undefined {
  const row = target.closest('tr')
  return row ? { row, rows: rowsOf(body), isBox: target.matches('input[type=checkbox]') } : undefined
}

function rowsOf(body: HTMLElement): readonly HTMLElement[] {
  return [...body.querySelectorAll<HTMLElement>('tr:not([aria-hidden])')]
}
