import type { SkippedIssue } from '@glacis/contract/triage'
import { Link } from '@tanstack/react-router'
import { formatNumber } from '#lib/format.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'

interface SkippedDialogProps {
  /** Empty closes the dialog. */
  readonly skipped: readonly SkippedIssue[]
  readonly onClose: () => void
}

/** The issues that a bulk change skipped, and why. */
export function SkippedDialog({ skipped, onClose }: SkippedDialogProps) {
  const title = skipped.length === 1 ? '1 risk was skipped' : `${formatNumber(skipped.length)} risks were skipped`
  return (
    <Dialog
      open={skipped.length > 0}
      onClose={onClose}
      title={title}
      footer={
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <ul className="grid max-h-80 gap-2.5 overflow-y-auto">
        {skipped.map(({ id, name, message }) => (
          <li key={id}>
            {name ? (
              <Link to="/risks/$id" params={{ id }} className="inline-link font-medium wrap-anywhere">
                {name}
              </Link>
            ) : (
              <span className="font-medium">Deleted risk</span>
            )}
            <span className="block text-12 text-ink-2">{message}</span>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
