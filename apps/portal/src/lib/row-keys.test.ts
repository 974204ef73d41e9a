import { afterAll, beforeEach, expect, it } from 'vitest'
import { actOnRow } from '#lib/row-keys.ts'

const press = (key: string) => actOnRow(new KeyboardEvent('keydown', { key }))
const focused = () => document.activeElement?.getAttribute('href') ?? null

/** A page with a list of these rows. */
function show(path: string, names: readonly string[]): void {
  history.replaceState(null, '', path)
  const rows = names.map((name) => `<tr><td><a class="cell" href="/risks/${name}">${name}</a></td></tr>`)
  document.body.innerHTML = `<main><table class="tbl"><tbody>${rows.join('')}</tbody></table></main>`
}

beforeEach(() => show('/elsewhere', []))
afterAll(() => show('/', []))

it('enters a list at its first row and stops at its ends', () => {
  show('/list-one', ['a', 'b'])
  press('j')
  expect(focused()).toBe('/risks/a')
  press('k')
  expect(focused()).toBe('/risks/a')
  press('j')
  press('j')
  expect(focused()).toBe('/risks/b')
})

it('returns to the last row when the list is shown again', () => {
  show('/list-two', ['a', 'b', 'c'])
  press('j')
  press('j')
  show('/risks/b', [])
  show('/list-two', ['new', 'a', 'b', 'c'])
  press('j')
  expect(focused()).toBe('/risks/b')
})

it('returns to the position of a removed row', () => {
  show('/list-three', ['a', 'b', 'c'])
  press('j')
  press('j')
  show('/list-three', ['a', 'c'])
  press('j')
  expect(focused()).toBe('/risks/c')
  show('/list-three', ['a'])
  press('j')
  expect(focused()).toBe('/risks/a')
})

it('ignores the last row of another page', () => {
  show('/list-four', ['a', 'b'])
  press('j')
  press('j')
  show('/list-five', ['x', 'b'])
  press('j')
  expect(focused()).toBe('/risks/x')
})
