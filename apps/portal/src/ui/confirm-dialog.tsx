import type { ReactNode } from 'react'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'

export interface ConfirmDialogProps {
  readonly open: boolean
  readonly onClose: () => void
  /** Names the action ("Remove passkey"), not "Confirm". */
  readonly title: string
  /** The consequences, and whether the action can be undone. */
  readonly description?: ReactNode
  /** Verb on the confirm button. */
  readonly label: string
  /** Label of the cancel button, if "Cancel" is ambiguous. */
  readonly keep?: string
  /** False for a nondestructive action, whose button isn't red. */
  readonly variant?: 'danger' | 'primary'
  readonly busy?: boolean
  /** Disables the confirm button. */
  readonly disabled?: boolean
  /** What failed and what to do about it. The dialog stays open. */
  readonly problem?: string | undefined
  readonly onConfirm: () => void
  /** Options to choose before confirming. */
  readonly children?: ReactNode
}

/** Asks for confirmation of an action. */
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
