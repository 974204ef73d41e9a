/** How long a scan took, or has taken so far. */
import type { Scan } from '@glacis/contract/scan'
import { formatDuration } from '#lib/format.ts'

type Times = Pick<Scan, 'startTime' | 'createTime' | 'completeTime' | 'status'>

/** "24 min 10 s"; nothing while it waits. `now` is epoch milliseconds. */
export function durationWords(scan: Times, now: number): string | undefined {
  const spent = spentMs(scan, now)
  return spent === undefined ? undefined : formatDuration(spent)
}

const unitsMs = [86_400_000, 3_600_000, 60_000, 1000]

/** "24 min": the largest unit alone, for tables. */
export function roughDurationWords(scan: Times, now: number): string | undefined {
  const spent = spentMs(scan, now)
  if (spent === undefined) return undefined
  const unit = unitsMs.find((size) => spent >= size) ?? 1
  return formatDuration(Math.floor(spent / unit) * unit)
}

function spentMs({ status, startTime, createTime, completeTime }: Times, now: number): number | undefined {
  if (status === 'STATUS_CREATED') return undefined
  const until = completeTime ? Date.parse(completeTime) : now
  return Math.max(0, until - Date.parse(startTime ?? createTime))
}
