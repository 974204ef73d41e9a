/** Keyboard focus when the focused element is disabled or removed. */
import { act, cleanup, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, it } from 'vitest'
import { startShortcuts } from '#lib/keyboard.ts'
import { clearToasts } from '#lib/testing/toasts.ts'
import { Button } from '#ui/button.tsx'
import { FilterBar, FilterMenu, FilterToggle } from '#ui/filter-bar.tsx'
import { ListBody } from '#ui/list.tsx'
import { SelectionBar } from '#ui/selection-bar.tsx'
import { TableBody } from '#ui/table-body.tsx'
import { Table } from '#ui/table.tsx'
import { addToast, ToastRegion } from '#ui/toasts.tsx'

const user = userEvent.setup()
afterEach(() => {
  cleanup()
  clearToasts()
})

it('restores focus to a button that was disabled while busy', async () => {
  const { rerender } = render(<Button>Save</Button>)
  const button = screen.getByRole('button', { name: 'Save' })
  button.focus()
  rerender(<Button loading>Save</Button>)
  button.blur()
  rerender(<Button>Save</Button>)
  await waitFor(() => expect(document.activeElement).toBe(button))
})

it('does not steal focus from another element', async () => {
  const draw = (loading: boolean) => (
    <>
      <Button loading={loading}>Save</Button>
      <Button>Other</Button>
    </>
  )
  const { rerender } = render(draw(false))
  screen.getByRole('button', { name: 'Save' }).focus()
  rerender(draw(true))
  const other = screen.getByRole('button', { name: 'Other' })
  other.focus()
  rerender(draw(false))
  await act(async () => {})
  expect(document.activeElement).toBe(other)
})

it('runs the action of the newest toast once on z', async () => {
  const stop = startShortcuts(() => {})
  const done: string[] = []
  const offer = (name: string) =>
    addToast('success', { title: name, message: '', actions: [{ label: 'Undo', run: () => done.push(name) }] })
  render(<ToastRegion />)
  act(() => {
    offer('first')
    offer('second')
    addToast('info', { title: 'offers nothing', message: '' })
  })
  await user.keyboard('z')
  expect(done).toEqual(['second'])
  await user.keyboard('z')
  await user.keyboard('z')
  expect(done).toEqual(['second', 'first'])
  stop()
})

/** A list of rows by their names; the first control of each is a box. */
function List({ names }: { readonly names: readonly string[] }) {
  return (
    <>
      <h1 tabIndex={-1}>Risks</h1>
      <button type="button">Filter</button>
      <ListBody what="Risks" query={{ data: names, error: null, refetch: () => {} }} count={names.length} empty="None">
        <Table label="Risks">
          <TableBody>
            {names.map((name) => (
              <tr key={name}>
                <td>
                  <input type="checkbox" aria-label={`Select ${name}`} />
                  <a data-row-link href={`#${name}`}>
                    {name}
                  </a>
                </td>
              </tr>
            ))}
          </TableBody>
        </Table>
      </ListBody>
    </>
  )
}
const focused = () => document.activeElement?.textContent ?? ''

it.each([
  ['the next', 'b', ['a', 'c', 'd'], 'c'],
  ['the next that stays', 'b', ['a', 'd'], 'd'],
  ['the one before at the end', 'd', ['a', 'b', 'c'], 'c'],
  ['the title if no row is left', 'b', [], 'Risks'],
] as const)('moves focus from a removed row to %s', (_, from, left, to) => {
  const { rerender } = render(<List names={['a', 'b', 'c', 'd']} />)
  screen.getByRole('link', { name: from }).focus()
  rerender(<List names={left} />)
  expect(focused()).toBe(to)
})

it('moves focus along as rows are removed one by one', () => {
  const { rerender } = render(<List names={['a', 'b', 'c']} />)
  screen.getByRole('link', { name: 'a' }).focus()
  rerender(<List names={['b', 'c']} />)
  rerender(<List names={['c']} />)
  expect(focused()).toBe('c')
})

it('moves focus to the next row after a dialog removed the row', () => {
  const draw = (names: readonly string[], isAsking: boolean) => (
    <>
      <List names={names} />
      {isAsking && (
        <div ref={(dialog) => dialog?.setAttribute('role', 'dialog')}>
          <button type="button">Delete</button>
        </div>
      )}
    </>
  )
  const { rerender } = render(draw(['a', 'b', 'c'], true))
  screen.getByRole('link', { name: 'a' }).focus()
  const confirm = screen.getByRole('button', { name: 'Delete' })
  confirm.focus()
  rerender(draw(['b', 'c'], true))
  expect(document.activeElement).toBe(confirm)
  rerender(draw(['b', 'c'], false))
  expect(focused()).toBe('b')
})

it('moves focus from the checkbox of a removed row to the next checkbox', () => {
  const { rerender } = render(<List names={['a', 'b']} />)
  screen.getByRole('checkbox', { name: 'Select a' }).focus()
  rerender(<List names={['b']} />)
  expect(document.activeElement).toBe(screen.getByRole('checkbox', { name: 'Select b' }))
})

it('does not move focus that was outside the removed row', async () => {
  const { rerender } = render(<List names={['a', 'b', 'c']} />)
  rerender(<List names={['b', 'c']} />)
  expect(document.activeElement).toBe(document.body)
  screen.getByRole('link', { name: 'b' }).focus()
  const filter = screen.getByRole('button', { name: 'Filter' })
  filter.focus()
  rerender(<List names={['c']} />)
  expect(document.activeElement).toBe(filter)
  screen.getByRole('link', { name: 'c' }).focus()
  await user.click(document.body)
  rerender(<List names={[]} />)
  expect(document.activeElement).toBe(document.body)
})

it('moves focus from cleared filters to the first one, and from a removed filter to its menu', async () => {
  const options = [{ value: 'high', label: 'High' }]
  const draw = (chosen: readonly string[], onChange: () => void) => (
    <FilterBar
      activeCount={chosen.length}
      onClear={onChange}
      filters={
        <>
          <FilterToggle label="Exploited" on={false} onChange={() => {}} />
          <FilterMenu label="Severity" options={options} chosen={chosen} onChange={onChange} />
        </>
      }
    />
  )
  const { rerender } = render(draw(['high'], () => rerender(draw([], () => {}))))
  screen.getByRole('button', { name: 'Clear filters' }).focus()
  await user.keyboard('{Enter}')
  expect(focused()).toBe('Exploited')
  rerender(draw(['high'], () => rerender(draw([], () => {}))))
  screen.getByRole('button', { name: 'Remove filter Severity' }).focus()
  await user.keyboard('{Enter}')
  expect(focused()).toBe('Severity')
})

it.each(['Clear filters', 'Clear'])('moves focus from %s to the title when its container is removed', async (name) => {
  const reading = { data: [], error: null, refetch: () => {} }
  const draw = (isGone: boolean, onPress: () => void) => (
    <>
      <h1 tabIndex={-1}>Risks</h1>
      <ListBody what="Risks" query={reading} count={isGone ? 1 : 0} isFiltered onClear={onPress} empty="None">
        rows
      </ListBody>
      {!isGone && (
        <SelectionBar label="Selected risks" summary="1 selected">
          <Button onClick={onPress}>Clear</Button>
        </SelectionBar>
      )}
    </>
  )
  const { rerender } = render(draw(false, () => rerender(draw(true, () => {}))))
  screen.getByRole('button', { name }).focus()
  await user.keyboard('{Enter}')
  expect(focused()).toBe('Risks')
})

it('moves focus from a removed toast to the page title', async () => {
  render(
    <>
      <h1 tabIndex={-1}>Risks</h1>
      <ToastRegion />
    </>,
  )
  act(() => addToast('success', { title: 'Success', message: '', actions: [{ label: 'Undo', run: () => {} }] }))
  await user.tab()
  await user.tab()
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Undo' }))
  await user.keyboard('{Enter}')
  const title = screen.getByRole('heading', { name: 'Risks' })
  await waitFor(() => expect(document.activeElement).toBe(title))
})
