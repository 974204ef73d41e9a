/** Starts or cancels the scan of a target. */
import type { Scan } from '@glacis/contract/scan'
import { useMutation, useQuery } from '@tanstack/react-query'
import { CircleStop, Play } from 'lucide-react'
import { addToast } from '#ui/toasts.tsx'
import { active, cancel, isActive, start, startedMessage } from '#scans/queries.ts'
import { Button } from '#ui/button.tsx'

/** The target's active scan, polled while it runs. */
export function useActiveScan(targetId: string): Scan | undefined {
  return useQuery(active(targetId)).data?.scans.find(isActive)
}

/** "Start scan", or "Cancel scan" while one is active. */
export function ScanButton({
  targetId,
  activeScan,
}: {
  readonly targetId: string
  readonly activeScan: Scan | undefined
}) {
  const starting = useMutation(start)
  const cancelling = useMutation(cancel)
  if (activeScan) {
    return (
      <Button
        size="sm"
        call="cancelScan"
        icon={<CircleStop />}
        loading={cancelling.isPending}
        onClick={() => cancelling.mutate(activeScan.id)}
      >
        Cancel scan
      </Button>
    )
  }
  const onSuccess = ({ scan }: { readonly scan: Scan }) =>
    addToast('success', { title: 'Success', message: startedMessage(scan) })
  return (
    <Button
      variant="primary"
      size="sm"
      data-key="s"
      call="startScan"
      icon={<Play />}
      loading={starting.isPending}
      onClick={() => starting.mutate(targetId, { onSuccess })}
    >
      Start scan
    </Button>
  )
}
