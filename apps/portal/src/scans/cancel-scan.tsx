/** Asks before a running scan is stopped. */
import type { Scan } from '@glacis/contract/scan'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { asking } from '#api/advice.ts'
import { cancel } from '#scans/queries.ts'
import { ConfirmDialog } from '#ui/confirm-dialog.tsx'

interface CancelScanProps {
  readonly scan: Pick<Scan, 'id' | 'target'> | undefined
  readonly onClose: () => void
}

export function CancelScan({ scan, onClose }: CancelScanProps) {
  const cancelling = useMutation(cancel(useQueryClient()))
  return (
    <ConfirmDialog
      open={scan !== undefined}
      {...asking(cancelling, onClose)}
      title={`Cancel the scan of ${scan?.target?.name ?? 'this target'}`}
      description="It stops within two seconds. What was found so far stays; nothing more is decided."
      label="Cancel scan"
      keep="Keep scanning"
      onConfirm={() => scan && cancelling.mutate(scan.id, { onSuccess: onClose })}
    />
  )
}
