import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { actOnRow } from '#lib/row-keys.ts'
import { lengthOf, TableRows } from '#ui/table-rows.tsx'
import { Table } from '#ui/table.tsx'

afterEach(cleanup)

const rows = (count: number) => Array.from({ length: count }, (_, number) => ({ id: `row-${number}` }))

/** A table of so many rows; answers how to move the page so that this row is at its top. */
function show(count: number): (row: number) => void {
  const items = rows(count)
  render(
    <main>
      <Table label="Rows" {...lengthOf(items)}>
        <TableRows items={items} idOf={({ id }) => id} skeleton={null}>
          {({ id }, place) => (
            <tr {...place} data-row={id}>
              <td>
                <a className="cell" data-row-link href={`#${id}`}>
                  {id}
                </a>
              </td>
            </tr>
          )}
        </TableRows>
      </Table>
    </main>,
  )
  return (row) => {
    const body = document.querySelector('tbody')
    if (!body) throw new Error('there is no table')
    body.getBoundingClientRect = () => new DOMRect(0, -row * 40, 800, count * 40)
    act(() => void document.dispatchEvent(new Event('scroll')))
  }
}
const drawn = () => screen.getAllByRole('link').map((link) => link.textContent)

it('draws a short table whole', () => {
  show(100)
  expect(drawn()).toHaveLength(100)
  expect(screen.getByRole('table').hasAttribute('aria-rowcount')).toBe(false)
})

it('draws of 100,000 rows those in sight, and says how many there are', () => {
  const scrollTo = show(100_000)
  expect(drawn().length).toBeLessThan(60)
  expect(screen.getByRole('table').getAttribute('aria-rowcount')).toBe('100001')
  scrollTo(50_000)
  expect(drawn().length).toBeLessThan(60)
  const row = screen.getByRole('link', { name: 'row-50000' }).closest('tr')
  expect(row?.getAttribute('aria-rowindex')).toBe('50002')
  const room = [...document.querySelectorAll<HTMLElement>('tr.room')].map((row) => Number.parseInt(row.style.height))
  expect(room.reduce((sum, height) => sum + height, drawn().length * 40)).toBe(100_000 * 40)
})

it('keeps the row that has the focus while the page moves, and goes on from it', () => {
  const scrollTo = show(1000)
  const press = (key: string) => actOnRow(new KeyboardEvent('keydown', { key }))
  press('j')
  press('j')
  expect(document.activeElement?.textContent).toBe('row-1')
  scrollTo(500)
  expect(document.activeElement?.textContent).toBe('row-1')
  press('j')
  expect(document.activeElement?.textContent).toBe('row-2')
  press('k')
  press('k')
  expect(document.activeElement?.textContent).toBe('row-0')
})

it('draws all of them for paper', () => {
  show(300)
  expect(drawn().length).toBeLessThan(60)
  fireEvent(window, new Event('beforeprint'))
  expect(drawn()).toHaveLength(300)
  fireEvent(window, new Event('afterprint'))
  expect(drawn().length).toBeLessThan(60)
})
