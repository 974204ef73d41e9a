import { ConfirmDialog } from '#ui/confirm-dialog.tsx'

interface DiscardProps {
  readonly open: boolean
  readonly onKeep: () => void
  readonly onDiscard: () => void
}
/** Asks before what was entered is lost. */
export function Discard({ open, onKeep, onDiscard }: DiscardProps) {
  return (
    <ConfirmDialog
      open={open}
      onClose={onKeep}
      title="Discard changes"
      description="What you entered has not been saved."
      label="Discard"
      keep="Keep editing"
      onConfirm={onDiscard}
    />
  )
}
