/** Dialogs, alone and one after the other, and their focus. */
import { act, render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, it, vi } from 'vitest'
import { clearToasts, shownToasts } from '#lib/testing/toasts.ts'
import { Dialog, SlideOver } from '#ui/dialog.tsx'
import { addToast, ToastRegion } from '#ui/toasts.tsx'

const user = userEvent.setup()

/** A form dialog followed by a dialog that shows the result once. */
function CreateFlow() {
  const [step, setStep] = useState<'form' | 'made'>()
  return (
    <main>
      <button type="button" onClick={() => setStep('form')}>
        New
      </button>
      {step === 'form' && (
        <SlideOver open title="New" onClose={() => setStep(undefined)}>
          <button type="button" onClick={() => setStep('made')}>
            Create
          </button>
        </SlideOver>
      )}
      <Dialog open={step === 'made'} title="Made" onClose={() => setStep(undefined)}>
        <button type="button">Copy</button>
      </Dialog>
    </main>
  )
}

it('keeps focus in a dialog that replaces another, and the page inert', async () => {
  const { container } = render(<CreateFlow />)
  await user.click(screen.getByRole('button', { name: 'New' }))
  await user.click(await screen.findByRole('button', { name: 'Create' }))
  const made = await screen.findByRole('dialog', { name: 'Made' })
  await waitFor(() => expect(container.inert).toBe(true))
  await waitFor(() => expect(made.contains(document.activeElement)).toBe(true))
  await user.keyboard('{Escape}')
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: 'New' })))
  expect(container.inert).toBe(false)
})

it('shows an accessible error toast above a dialog, whose dismissal closes nothing else', async () => {
  render(
    <>
      <ToastRegion />
      <CreateFlow />
    </>,
  )
  await user.click(screen.getByRole('button', { name: 'New' }))
  const panel = await screen.findByRole('dialog', { name: 'New' })
  act(() => addToast('error', { title: 'API failure', message: 'Bad Gateway' }))
  await user.click(within(screen.getByRole('alert')).getByRole('button', { name: 'Dismiss' }))
  expect(shownToasts()[0]?.isLeaving).toBe(true)
  expect(panel.isConnected).toBe(true)
  clearToasts()
})

it('shows its description and footer, and closes by its button and Escape', async () => {
  const close = vi.fn()
  render(
    <Dialog open onClose={close} title="Remove target" description="This can't be undone." footer={<button>Go</button>}>
      body
    </Dialog>,
  )
  const dialog = within(await screen.findByRole('dialog', { name: 'Remove target' }))
  for (const text of ["This can't be undone.", 'body', 'Go']) dialog.getByText(text)
  await user.click(dialog.getByRole('button', { name: 'Close' }))
  await user.keyboard('{Escape}')
  expect(close).toHaveBeenCalledTimes(2)
})

it('stays open while its form is submitted', async () => {
  const close = vi.fn()
  render(
    <SlideOver busy open onClose={close} title="New target">
      body
    </SlideOver>,
  )
  const button = await screen.findByRole<HTMLButtonElement>('button', { name: 'Close panel' })
  await user.keyboard('{Escape}')
  expect([button.disabled, close.mock.calls.length]).toEqual([true, 0])
})
