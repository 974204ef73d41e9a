import type { SkippedIssue } from '@glacis/contract/triage'
import { Link } from '@tanstack/react-router'
import { formatNumber } from '#lib/format.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'

interface SkippedDialogProps {
  /** Empty closes it. */
  readonly skipped: readonly SkippedIssue[]
  readonly onClose: () => void
}

/** What a batch left as it was, and why. */
export function SkippedDialog({ skipped, onClose }: SkippedDialogProps) {
  const title =
    skipped.length === 1 ? '1 risk was left as it was' : `${formatNumber(skipped.length)} risks were left as they were`
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
              <span className="font-medium">One that is gone</span>
            )}
            <span className="block text-12 text-ink-2">{message}</span>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
