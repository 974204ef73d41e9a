import { ConfirmDialog } from '#ui/confirm-dialog.tsx'

interface DiscardDialogProps {
  readonly open: boolean
  readonly onKeep: () => void
  readonly onDiscard: () => void
}
/** Confirmation before unsaved input is lost. */
export function DiscardDialog({ open, onKeep, onDiscard }: DiscardDialogProps) {
  return (
    <ConfirmDialog
      open={open}
      onClose={onKeep}
      title="Discard changes?"
      description="Your changes haven't been saved and will be lost."
      label="Discard"
      keep="Keep editing"
      onConfirm={onDiscard}
    />
  )
}
