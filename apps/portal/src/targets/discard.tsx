import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'

interface DiscardProps {
  readonly open: boolean
  readonly onKeep: () => void
  readonly onDiscard: () => void
}
/** Asks before what was entered is lost. */
export function Discard({ open, onKeep, onDiscard }: DiscardProps) {
  return (
    <Dialog
      open={open}
      onClose={onKeep}
      title="Discard changes"
      description="What you entered has not been saved."
      footer={
        <>
          <Button onClick={onKeep}>Keep editing</Button>
          <Button variant="danger" onClick={onDiscard}>
            Discard
          </Button>
        </>
      }
    />
  )
}
