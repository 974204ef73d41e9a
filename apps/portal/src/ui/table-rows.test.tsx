import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { hasArrived } from '#lib/arrival.ts'
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

it('begins with what a screen shows, and draws a short table whole when the page is idle', async () => {
  show(100)
  const first = drawn().length
  expect(first).toBe(10)
  const room = Number.parseInt(document.querySelector<HTMLElement>('tr.room')?.style.height ?? '')
  expect(room).toBe((100 - first) * 40)
  await waitFor(() => expect(drawn()).toHaveLength(100))
  expect(document.querySelector('tr.room')).toBeNull()
  expect(screen.getByRole('table').hasAttribute('aria-rowcount')).toBe(false)
})

it('draws a short table whole at once for whoever comes back to it, who looks at where it was left', () => {
  fireEvent.popState(window)
  show(100)
  expect(drawn()).toHaveLength(100)
  hasArrived()
  cleanup()
  show(100)
  expect(drawn().length).toBeLessThan(20)
})

it('draws a short table whole at once when its end is near, and for paper', () => {
  show(100)
  const room = document.querySelector('tr.room')
  if (!room) throw new Error('nothing is left to draw')
  room.getBoundingClientRect = () => new DOMRect(0, innerHeight * 2, 800, 3000)
  fireEvent.scroll(document)
  expect(drawn().length).toBeLessThan(100)
  room.getBoundingClientRect = () => new DOMRect(0, innerHeight, 800, 3000)
  fireEvent.scroll(document)
  expect(drawn()).toHaveLength(100)
  cleanup()
  show(100)
  expect(drawn().length).toBeLessThan(20)
  fireEvent(window, new Event('beforeprint'))
  expect(drawn()).toHaveLength(100)
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

it('draws rows anew when what they are drawn from changes, and not when only the page around them does', async () => {
  const items = rows(3)
  let draws = 0
  const table = (word: string) => (
    <Table label="Rows">
      <TableRows items={items} idOf={({ id }) => id} drawnFrom={[word]} skeleton={null}>
        {({ id }) => {
          draws += 1
          return (
            <tr>
              <td>{`${id} ${word}`}</td>
            </tr>
          )
        }}
      </TableRows>
    </Table>
  )
  const { rerender } = render(table('one'))
  expect(draws).toBe(3)
  rerender(table('one'))
  expect(draws).toBe(3)
  rerender(table('two'))
  expect(screen.getAllByRole('cell').map(({ textContent }) => textContent)).toEqual(items.map(({ id }) => `${id} two`))
  rerender(table('one'))
  expect(screen.getByText('row-2 one')).toBeTruthy()
})
