/** How long a scan took, or has taken so far. */
import type { Scan } from '@glacis/contract/scan'
import { formatDuration } from '#lib/format.ts'

/** "24 mins 10 secs"; nothing while it waits. `now` is epoch milliseconds. */
export function durationWords(
  scan: Pick<Scan, 'startTime' | 'createTime' | 'completeTime' | 'status'>,
  now: number,
): string | undefined {
  if (scan.status === 'STATUS_CREATED') return undefined
  const from = Date.parse(scan.startTime ?? scan.createTime)
  const until = scan.completeTime ? Date.parse(scan.completeTime) : now
  return formatDuration(Math.max(0, until - from))
}
