/** Confirmation dialog for canceling a scan. */
import type { Scan } from '@glacis/contract/scan'
import { cancel } from '#scans/queries.ts'
import { ConfirmMutation } from '#ui/confirm-mutation.tsx'

interface CancelScanProps {
  readonly scan: Pick<Scan, 'id' | 'target'> | undefined
  readonly onClose: () => void
}

export function CancelScan({ scan, onClose }: CancelScanProps) {
  return (
    <ConfirmMutation
      mutation={cancel}
      input={scan?.id}
      onClose={onClose}
      title={`Cancel the scan of ${scan?.target?.name ?? 'this target'}`}
      description="The scan stops within two seconds. Results so far are kept."
      label="Cancel scan"
      keep="Keep scanning"
    />
  )
}
