import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, it, vi } from 'vitest'
import { ConfirmDialog } from '#ui/confirm-dialog.tsx'

const user = userEvent.setup()
const press = (name: string) => user.click(screen.getByRole('button', { name }))

function Asking({ onConfirm, ...more }: { onConfirm: () => void; busy?: boolean; problem?: string }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setIsOpen(true)}>
        Remove
      </button>
      <ConfirmDialog
        {...more}
        open={isOpen}
        title="Remove Slack"
        label="Remove channel"
        onClose={() => setIsOpen(false)}
        onConfirm={onConfirm}
      />
    </>
  )
}

it('confirms the action, and restores focus on cancel', async () => {
  const confirm = vi.fn()
  render(<Asking onConfirm={confirm} />)
  await press('Remove')
  await screen.findByRole('dialog', { name: 'Remove Slack' })
  await press('Remove channel')
  expect(confirm).toHaveBeenCalledOnce()
  await press('Cancel')
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Remove' })))
  expect(screen.queryByRole('dialog')).toBeNull()
})

it('cannot be closed while pending', async () => {
  render(<Asking busy onConfirm={() => {}} />)
  await press('Remove')
  await screen.findByRole('dialog')
  await user.keyboard('{Escape}')
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Cancel' }).disabled).toBe(true)
})

it('stays open and shows the error', async () => {
  render(<Asking problem="The server couldn't complete the request." onConfirm={() => {}} />)
  await press('Remove')
  expect((await screen.findByRole('alert')).textContent).toBe("The server couldn't complete the request.")
})
