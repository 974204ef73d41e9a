/** The scan of one target: start it, or cancel the one that runs. */
import type { Scan } from '@glacis/contract/scan'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleStop, Play } from 'lucide-react'
import { addToast } from '#lib/toasts.ts'
import { active, cancel, isActive, start, startedWords } from '#scans/queries.ts'
import { Button } from '#ui/button.tsx'

/** The scan under way, or undefined; refreshed while it runs. */
export function useActiveScan(targetId: string): Scan | undefined {
  return useQuery(active(targetId)).data?.scans.find(isActive)
}

/** "Start scan", or "Cancel scan" while one is under way. */
export function ScanButton({
  targetId,
  activeScan,
}: {
  readonly targetId: string
  readonly activeScan: Scan | undefined
}) {
  const client = useQueryClient()
  const starting = useMutation(start(client))
  const cancelling = useMutation(cancel(client))
  if (activeScan) {
    return (
      <Button
        size="sm"
        icon={<CircleStop />}
        loading={cancelling.isPending}
        onClick={() => cancelling.mutate(activeScan.id)}
      >
        Cancel scan
      </Button>
    )
  }
  const onSuccess = ({ scan }: { readonly scan: Scan }) =>
    addToast('success', { title: 'Success', message: startedWords(scan) })
  return (
    <Button
      variant="primary"
      size="sm"
      data-key="s"
      icon={<Play />}
      loading={starting.isPending}
      onClick={() => starting.mutate(targetId, { onSuccess })}
    >
      Start scan
    </Button>
  )
}
