import { Button } from '#ui/button.tsx'
import { CopyField } from '#ui/copy-field.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Note } from '#ui/note.tsx'

/** A newly created secret and its kind. */
export interface NewSecret {
  readonly what: 'signing secret' | 'API token' | 'provisioning token'
  readonly value: string
}

const instructions: Readonly<Record<NewSecret['what'], string>> = {
  'signing secret':
    'Use it to verify the webhook-signature header (Standard Webhooks): HMAC-SHA256 over ID, timestamp, and body.',
  'provisioning token': 'Enter it in your identity provider as the SCIM bearer token.',
  'API token': 'Send it with each request in the header Authorization: Bearer <token>.',
}

/** Shows a secret once. Closing the dialog discards it. */
export function SecretDialog({
  shown,
  onClose,
}: {
  readonly shown: NewSecret | undefined
  readonly onClose: () => void
}) {
  return (
    <Dialog
      wide
      open={shown !== undefined}
      onClose={onClose}
      title={`Your ${shown?.what ?? 'secret'}`}
      description={shown && instructions[shown.what]}
      footer={
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      {shown && (
        <div className="grid gap-3">
          <CopyField label={shown.what} value={shown.value} wrap />
          <Note variant="yellow">Copy it now: it won't be shown again. Anyone with this {shown.what} can use it.</Note>
        </div>
      )}
    </Dialog>
  )
}
