import { act, cleanup, render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { badgeVariants, tagColor } from '#ui/badge.tsx'
import { Button } from '#ui/button.tsx'
import { CopyField, copiedLabelMs } from '#ui/copy-field.tsx'
import { SlideOver } from '#ui/dialog.tsx'
import { type FieldState, TextField } from '#ui/field.tsx'
import { Menu } from '#ui/menu.tsx'
import { MenuAction, MenuChoice } from '#ui/menu-entries.tsx'
import { Slider } from '#ui/slider.tsx'
import { UnexpectedError } from '#ui/states.tsx'
import { Stepper } from '#ui/stepper.tsx'

afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

describe('button', () => {
  it('ignores clicks while loading, and sets aria-busy', async () => {
    const press = vi.fn()
    render(
      <Button loading onClick={press}>
        Save
      </Button>,
    )
    const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Save' })
    await userEvent.click(button)
    expect([press.mock.calls.length, button.disabled, button.getAttribute('aria-busy')]).toEqual([0, true, 'true'])
  })

  it('does not submit by accident', () => {
    render(<Button>Cancel</Button>)
    expect(screen.getByRole<HTMLButtonElement>('button').type).toBe('button')
  })
})

it('has ten badge colors in tag order', () => {
  expect(badgeVariants).toEqual(['main', 'gray', 'orange', 'yellow', 'pink', 'teal', 'purple', 'blue', 'green', 'red'])
  expect([tagColor(0), tagColor(9), tagColor(13), tagColor(-1)]).toEqual(['main', 'red', 'yellow', 'red'])
})

it.each<[FieldState, string | null]>([
  ['default', null],
  ['error', 'true'],
  ['success', null],
])('an input in state %s has aria-invalid %s and is described by its message', (state, invalid) => {
  render(<TextField label="Address" state={state} messages={['a message']} />)
  const input = screen.getByLabelText('Address')
  const described = document.getElementById(input.getAttribute('aria-describedby') ?? '')
  expect([input.getAttribute('aria-invalid'), described?.textContent]).toEqual([invalid, 'a message'])
})

it('shows Copied for 2.5 seconds', async () => {
  vi.useFakeTimers()
  const write = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue()
  render(<CopyField label="token" value="gla_7Qm" />)
  await act(async () => screen.getByRole('button', { name: 'Copy token' }).click())
  expect(write).toHaveBeenCalledWith('gla_7Qm')
  act(() => void vi.advanceTimersByTime(copiedLabelMs - 1))
  expect(screen.getByRole('button').textContent).toBe('Copied')
  act(() => void vi.advanceTimersByTime(1))
  expect(screen.getByRole('button', { name: 'Copy token' }).textContent).toBe('')
  expect(copiedLabelMs).toBe(2500)
})

it('copies a selection without HTTPS, and restores the previous selection', async () => {
  const own = Object.getOwnPropertyDescriptor(Navigator.prototype, 'clipboard')
  Reflect.deleteProperty(Navigator.prototype, 'clipboard')
  Reflect.deleteProperty(navigator, 'clipboard')
  const copied: (string | undefined)[] = []
  document.execCommand = () => copied.push(getSelection()?.toString()) > 0
  render(<CopyField label="token" value={'gla_7Qm  two'} />)
  await userEvent.click(screen.getByRole('button', { name: 'Copy token' }))
  expect(await screen.findByRole('button', { name: 'Copied' })).toBeTruthy()
  expect([copied, getSelection()?.toString()]).toEqual([['gla_7Qm  two'], ''])
  if (own) Object.defineProperty(Navigator.prototype, 'clipboard', own)
  Reflect.deleteProperty(document, 'execCommand')
})

it('closes a slide-over by its control', async () => {
  const close = vi.fn()
  render(
    <SlideOver open onClose={close} title="New target" footer={<Button>Save</Button>}>
      body
    </SlideOver>,
  )
  await userEvent.click(await screen.findByRole('button', { name: 'Close panel' }))
  expect(close).toHaveBeenCalledOnce()
})

it('finds a menu entry by typing, and resets the search after 350 ms', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  const user = userEvent.setup({ advanceTimers: vi.advanceTimersByTime })
  render(
    <Menu button="More">
      <MenuAction onClick={() => {}}>Settings</MenuAction>
      <MenuAction onClick={() => {}}>Start scan</MenuAction>
      <MenuAction onClick={() => {}}>Delete</MenuAction>
    </Menu>,
  )
  const focusedEntry = () => document.querySelector('[role=menuitem][data-focus]')?.textContent
  await user.click(screen.getByRole('button', { name: 'More' }))
  await user.keyboard('st')
  expect(focusedEntry()).toBe('Start scan')
  await act(() => vi.advanceTimersByTimeAsync(351))
  await user.keyboard('d')
  expect(focusedEntry()).toBe('Delete')
})

it('marks the selected choice of a menu', async () => {
  render(
    <Menu button="Sort">
      <MenuChoice checked onClick={() => {}}>
        Most recent
      </MenuChoice>
      <MenuChoice checked={false} onClick={() => {}}>
        Severity
      </MenuChoice>
    </Menu>,
  )
  await userEvent.click(screen.getByRole('button', { name: 'Sort' }))
  const states = screen
    .getAllByRole('menuitemradio')
    .map((item) => [item.textContent, item.getAttribute('aria-checked')])
  expect(states).toEqual([
    ['Most recent', 'true'],
    ['Severity', 'false'],
  ])
})

it('has a slider range of 0 to 100 with step 1 by default', () => {
  render(<Slider label="Targets" value={40} onChange={() => {}} />)
  const { min, max, step, value } = screen.getByRole<HTMLInputElement>('slider', { name: 'Targets' })
  expect([min, max, step, value]).toEqual(['0', '100', '1', '40'])
})

it('shows and hides the error message', async () => {
  render(<UnexpectedError error={new Error('the chunk is gone')} />)
  expect(screen.getByRole('heading').textContent).toBe('Something went wrong!')
  expect(screen.queryByText('the chunk is gone')).toBeNull()
  await userEvent.click(screen.getByRole('button', { name: 'Show Error' }))
  expect(screen.getByText('the chunk is gone')).toBeTruthy()
  await userEvent.click(screen.getByRole('button', { name: 'Hide Error' }))
  expect(screen.queryByText('the chunk is gone')).toBeNull()
})

it('marks the current and the completed steps', () => {
  const steps = [
    { title: 'Target', state: 'done' },
    { title: 'Scan', state: 'current' },
    { title: 'Notifications', state: 'open' },
  ] as const
  render(<Stepper label="Setting up" steps={steps} />)
  const items = within(screen.getByRole('list', { name: 'Setting up' })).getAllByRole('listitem')
  expect(items.map((item) => item.getAttribute('aria-current'))).toEqual([null, 'step', null])
  expect(items[0]?.textContent).toContain('Target, done')
})
