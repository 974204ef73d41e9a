/** Shortcuts of every list: `j` and `k` move between rows, `x` selects one, `e` opens its menu. */

/** The row last focused by a shortcut, and its page. Returning to that page resumes there. */
let lastRow: { readonly page: string; readonly link: string; readonly at: number } | undefined

/** Acts on the focused row. Without one, `j` and `k` focus the row last focused, or the first. */
export function actOnRow(event: KeyboardEvent): void {
  const rows = [...document.querySelectorAll<HTMLElement>('main table.tbl tbody tr')].filter((row) => rowLink(row))
  const currentRow = document.activeElement?.closest('tr') ?? null
  const at = rows.findIndex((row) => row === currentRow)
  if (event.key === 'j' || event.key === 'k')
    focusRow(rows, at < 0 ? startIndex(rows) : at + (event.key === 'j' ? 1 : -1))
  else if (event.key.toLowerCase() === 'x') toggleSelection(rows[at], event.shiftKey)
  else if (event.key === 'e') rows[at]?.querySelector<HTMLElement>('[data-row-menu]')?.click()
  else return
  event.preventDefault()
}

function focusRow(rows: readonly HTMLElement[], at: number): void {
  const link = rows[at] && rowLink(rows[at])
  if (!link) return
  link.focus()
  lastRow = { page: location.pathname, link: link.getAttribute('href') ?? '', at }
}

/** The row last focused; if it was removed, the row at its position; otherwise the first. */
function startIndex(rows: readonly HTMLElement[]): number {
  if (lastRow?.page !== location.pathname) return 0
  const { link, at } = lastRow
  const same = rows.findIndex((row) => rowLink(row)?.getAttribute('href') === link)
  return same < 0 ? Math.min(at, rows.length - 1) : same
}

/** The row's main link. */
export function rowLink(row: HTMLElement): HTMLElement | null {
  return row.querySelector<HTMLElement>('[data-row-link], .pri a.cell') ?? row.querySelector<HTMLElement>('a.cell')
}

/** Dispatches a click on the checkbox, so that lists handle Shift in one place. */
function toggleSelection(row: HTMLElement | undefined, shiftKey: boolean): void {
  const box = row?.querySelector('input[type=checkbox]')
  const focused = document.activeElement
  box?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, shiftKey }))
  if (!(focused instanceof HTMLElement) || focused === box) return
  // Headless UI returns focus to the element last clicked or focused. After a synthetic click, that must be the row,
  // not the checkbox.
  focused.blur()
  focused.focus({ preventScroll: true })
}
