/** Keys of every list: `j` and `k` move between its rows, `x` picks one, `e` opens what can be done with it. */

/** The row that a key last moved to, on its page; whoever comes back from it goes on there. */
let left: { readonly page: string; readonly link: string; readonly at: number } | undefined

/** Acts on the row that holds the focus; the first key enters the list, where it was left if it was. */
export function actOnRow(event: KeyboardEvent): void {
  const rows = [...document.querySelectorAll<HTMLElement>('main table.tbl tbody tr')].filter((row) => linkOf(row))
  const here = document.activeElement?.closest('tr') ?? null
  const at = rows.findIndex((row) => row === here)
  if (event.key === 'j' || event.key === 'k') goTo(rows, at < 0 ? entry(rows) : at + (event.key === 'j' ? 1 : -1))
  else if (event.key.toLowerCase() === 'x') pick(rows[at], event.shiftKey)
  else if (event.key === 'e') rows[at]?.querySelector<HTMLElement>('[data-row-menu]')?.click()
  else return
  event.preventDefault()
}

function goTo(rows: readonly HTMLElement[], at: number): void {
  const link = rows[at] && linkOf(rows[at])
  if (!link) return
  link.focus()
  left = { page: location.pathname, link: link.getAttribute('href') ?? '', at }
}

/** The row that was left; where it is gone, the one that has taken its place; else the first. */
function entry(rows: readonly HTMLElement[]): number {
  if (left?.page !== location.pathname) return 0
  const { link, at } = left
  const same = rows.findIndex((row) => linkOf(row)?.getAttribute('href') === link)
  return same < 0 ? Math.min(at, rows.length - 1) : same
}

/** The link that the row is named by. */
export function linkOf(row: HTMLElement): HTMLElement | null {
  return row.querySelector<HTMLElement>('[data-row-link], .pri a.cell') ?? row.querySelector<HTMLElement>('a.cell')
}

/** As a click on its box does it, so that a list hears of Shift in one way. */
function pick(row: HTMLElement | undefined, shiftKey: boolean): void {
  const box = row?.querySelector('input[type=checkbox]')
  const held = document.activeElement
  box?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, shiftKey }))
  if (!(held instanceof HTMLElement) || held === box) return
  // Panels give the focus back to what was clicked or focused last, and a box that a key has clicked never had it.
  held.blur()
  held.focus({ preventScroll: true })
}
