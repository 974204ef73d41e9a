/** Confirmation dialog for canceling a scan. */
import type { Scan } from '@glacis/contract/scan'
import { useMutation } from '@tanstack/react-query'
import { mutationDialogProps } from '#api/advice.ts'
import { cancel } from '#scans/queries.ts'
import { ConfirmDialog } from '#ui/confirm-dialog.tsx'

interface CancelScanProps {
  readonly scan: Pick<Scan, 'id' | 'target'> | undefined
  readonly onClose: () => void
}

export function CancelScan({ scan, onClose }: CancelScanProps) {
  const cancelling = useMutation(cancel)
  return (
    <ConfirmDialog
      open={scan !== undefined}
      {...mutationDialogProps(cancelling, onClose)}
      title={`Cancel the scan of ${scan?.target?.name ?? 'this target'}`}
      description="The scan stops within two seconds. Results so far are kept."
      label="Cancel scan"
      keep="Keep scanning"
      onConfirm={() => scan && cancelling.mutate(scan.id, { onSuccess: onClose })}
    />
  )
}
