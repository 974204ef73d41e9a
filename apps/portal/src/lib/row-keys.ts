/** Keys of every list: `j` and `k` move between its rows, `x` picks one, `e` opens what can be done with it. */

/** Acts on the row that holds the focus; the first key enters the list. */
export function actOnRow(event: KeyboardEvent): void {
  const rows = [...document.querySelectorAll<HTMLElement>('main table.tbl tbody tr')].filter((row) => linkOf(row))
  const here = document.activeElement?.closest('tr') ?? null
  const at = rows.findIndex((row) => row === here)
  if (event.key === 'j' || event.key === 'k') {
    const next = at < 0 ? rows[0] : rows[at + (event.key === 'j' ? 1 : -1)]
    if (next) linkOf(next)?.focus()
  } else if (event.key.toLowerCase() === 'x') pick(rows[at], event.shiftKey)
  else if (event.key === 'e') rows[at]?.querySelector<HTMLElement>('[data-row-menu]')?.click()
  else return
  event.preventDefault()
}

/** The link that the row is named by. */
function linkOf(row: HTMLElement): HTMLElement | null {
  return row.querySelector<HTMLElement>('[data-row-link], .pri a.cell') ?? row.querySelector<HTMLElement>('a.cell')
}

/** As a click on its box does it, so that a list hears of Shift in one way. */
function pick(row: HTMLElement | undefined, shiftKey: boolean): void {
  const box = row?.querySelector('input[type=checkbox]')
  box?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, shiftKey }))
}
