import type { Flow, InputNode } from '@glacis/contract/identity'
import { SettingsForm } from '#profile/settings-form.tsx'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'

interface TurnOffDialogProps {
  readonly flow: Flow
  /** The button node to submit. */
  readonly button: InputNode
  readonly title: string
  /** The consequence, in one sentence. */
  readonly description: string
  readonly open: boolean
  readonly onClose: () => void
}

/** Confirmation dialog for turning off a security feature. */
export function TurnOffDialog({ flow, button, title, description, open, onClose }: TurnOffDialogProps) {
  return (
    <Dialog open={open} onClose={onClose} title={title} description={description}>
      <SettingsForm flow={flow} submitter={button} onSaved={onClose}>
        {({ isPending }) => (
          <footer className="flex justify-end gap-2 pb-5">
            <Button disabled={isPending} onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" variant="danger" loading={isPending}>
              Turn off
            </Button>
          </footer>
        )}
      </SettingsForm>
    </Dialog>
  )
}
