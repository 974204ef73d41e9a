/** One dialog after the other, and the focus that goes with them. */
import { act, cleanup, render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { afterEach, expect, it } from 'vitest'
import { clearToasts } from '#lib/testing/toasts.ts'
import { addToast, shownToasts } from '#lib/toasts.ts'
import { Dialog, SlideOver } from '#ui/dialog.tsx'
import { ToastRegion } from '#ui/toast-region.tsx'

const user = userEvent.setup()
afterEach(cleanup)

/** A form, and after it what was made by it, which is shown once. */
function Making() {
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

it('keeps the focus in a dialog that takes the place of another, and the page behind it shut', async () => {
  const { container } = render(<Making />)
  await user.click(screen.getByRole('button', { name: 'New' }))
  await user.click(await screen.findByRole('button', { name: 'Create' }))
  const made = await screen.findByRole('dialog', { name: 'Made' })
  await waitFor(() => expect(container.inert).toBe(true))
  await waitFor(() => expect(made.contains(document.activeElement)).toBe(true))
  await user.keyboard('{Escape}')
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: 'New' })))
  expect(container.inert).toBe(false)
})

it('tells of a failure over a dialog, where it is heard, can be dismissed, and closes nothing', async () => {
  render(
    <>
      <ToastRegion />
      <Making />
    </>,
  )
  await user.click(screen.getByRole('button', { name: 'New' }))
  const panel = await screen.findByRole('dialog', { name: 'New' })
  act(() => void addToast('error', { title: 'API failure', message: 'Bad Gateway' }))
  await user.click(within(screen.getByRole('alert')).getByRole('button', { name: 'Dismiss' }))
  expect(shownToasts()[0]?.isLeaving).toBe(true)
  expect(panel.isConnected).toBe(true)
  await clearToasts()
})
