/** Whoever uses the keyboard keeps their place when what they stood on waits or goes. */
import { act, cleanup, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, it } from 'vitest'
import { startShortcuts } from '#lib/keyboard.ts'
import { addToast, dismissToast, shownToasts, toastLeaveMs } from '#lib/toasts.ts'
import { Button } from '#ui/button.tsx'
import { ToastRegion } from '#ui/toast-region.tsx'

const user = userEvent.setup()
afterEach(async () => {
  cleanup()
  for (const { id } of shownToasts()) dismissToast(id)
  await waitFor(() => expect(shownToasts()).toEqual([]), { timeout: 4 * toastLeaveMs })
})

it('gives a button its focus back when it has waited, as browsers take it off what is disabled', async () => {
  const { rerender } = render(<Button>Save</Button>)
  const button = screen.getByRole('button', { name: 'Save' })
  button.focus()
  rerender(<Button loading>Save</Button>)
  button.blur()
  rerender(<Button>Save</Button>)
  await waitFor(() => expect(document.activeElement).toBe(button))
})

it('takes it from nobody who has gone elsewhere meanwhile', async () => {
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

it('does what the newest notice offers at z, once', async () => {
  const stop = startShortcuts(() => {})
  const done: string[] = []
  const offer = (name: string) =>
    addToast('success', { title: name, message: '', action: { label: 'Undo', run: () => done.push(name) } })
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

it('leads from a notice that has gone to the title of the page', async () => {
  render(
    <>
      <h1 tabIndex={-1}>Risks</h1>
      <ToastRegion />
    </>,
  )
  act(() => void addToast('success', { title: 'Success', message: '', action: { label: 'Undo', run: () => {} } }))
  await user.tab()
  await user.tab()
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Undo' }))
  await user.keyboard('{Enter}')
  const title = screen.getByRole('heading', { name: 'Risks' })
  await waitFor(() => expect(document.activeElement).toBe(title), { timeout: 4 * toastLeaveMs })
})
