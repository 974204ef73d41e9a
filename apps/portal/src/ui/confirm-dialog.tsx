import type { ReactNode } from 'react'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'

interface ConfirmDialogProps {
  readonly open: boolean
  readonly onClose: () => void
  /** States the thing ("Remove passkey"), not "Confirm". */
  readonly title: string
  /** What will be different, and whether it can be undone. */
  readonly description?: ReactNode
  /** The verb of the button. */
  readonly label: string
  /** The way out; another word where "Cancel" would name what is asked. */
  readonly keep?: string
  /** What takes nothing away is not red. */
  readonly variant?: 'danger' | 'primary'
  readonly busy?: boolean
  /** What is missing before it can be pressed. */
  readonly disabled?: boolean
  /** What went wrong and what to do about it: it stays open then. */
  readonly problem?: string | undefined
  readonly onConfirm: () => void
  /** What there is to choose first. */
  readonly children?: ReactNode
}

/** Asks before something is done. */
export function ConfirmDialog({
  label,
  keep = 'Cancel',
  variant = 'danger',
  busy = false,
  disabled = false,
  onConfirm,
  ...dialog
}: ConfirmDialogProps) {
  return (
    <Dialog
      {...dialog}
      busy={busy}
      footer={
        <>
          <Button onClick={dialog.onClose} disabled={busy}>
            {keep}
          </Button>
          <Button variant={variant} loading={busy} disabled={disabled} onClick={onConfirm}>
            {label}
          </Button>
        </>
      }
    />
  )
}
