import { Button } from '#ui/button.tsx'
import { CopyField } from '#ui/copy-field.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Note } from '#ui/note.tsx'

/** A secret that was just made, and what to call it. */
export interface Shown {
  readonly what: 'signing secret' | 'API token'
  readonly value: string
}

const uses: Readonly<Record<Shown['what'], string>> = {
  'signing secret':
    'Verify webhook-signature with it, as Standard Webhooks describes: HMAC-SHA256 over id, timestamp and body.',
  'API token': 'Send it with each request, as Authorization: Bearer.',
}

/** Shows a secret once. Closing it takes it out of the page for good. */
export function SecretDialog({ shown, onClose }: { readonly shown: Shown | undefined; readonly onClose: () => void }) {
  return (
    <Dialog
      wide
      open={shown !== undefined}
      onClose={onClose}
      title={`Your ${shown?.what ?? 'secret'}`}
      description={shown && uses[shown.what]}
      footer={
        <Button variant="primary" onClick={onClose}>
          I have stored it
        </Button>
      }
    >
      {shown && (
        <div className="grid gap-3">
          <CopyField label={shown.what} value={shown.value} wrap />
          <Note variant="yellow">It is shown this once. Whoever holds it can use it.</Note>
        </div>
      )}
    </Dialog>
  )
}
