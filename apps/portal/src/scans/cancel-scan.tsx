/** Asks before a running scan is stopped. */
import type { Scan } from '@glacis/contract/scan'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { cancel } from '#scans/queries.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'

interface CancelScanProps {
  readonly scan: Pick<Scan, 'id' | 'target'> | undefined
  readonly onClose: () => void
}

export function CancelScan({ scan, onClose }: CancelScanProps) {
  const cancelling = useMutation(cancel(useQueryClient()))
  return (
    <Dialog
      open={scan !== undefined}
      onClose={onClose}
      busy={cancelling.isPending}
      title={`Cancel the scan of ${scan?.target?.name ?? 'this target'}`}
      description="It stops within two seconds. What was found so far stays; nothing more is decided."
      footer={
        <>
          <Button onClick={onClose} disabled={cancelling.isPending}>
            Keep scanning
          </Button>
          <Button
            variant="danger"
            loading={cancelling.isPending}
            onClick={() => scan && cancelling.mutate(scan.id, { onSettled: onClose })}
          >
            Cancel scan
          </Button>
        </>
      }
    />
  )
}
