/** Duration of a scan, or the time elapsed so far. */
import type { Scan } from '@glacis/contract/scan'
import { formatDuration } from '#lib/format.ts'

type Times = Pick<Scan, 'startTime' | 'createTime' | 'completeTime' | 'status'>

/** "24 min 10 s"; undefined before the scan starts. `now` is in epoch milliseconds. */
export function formatScanDuration(scan: Times, now: number): string | undefined {
  const spent = elapsedMs(scan, now)
  return spent === undefined ? undefined : formatDuration(spent)
}

const unitsMs = [86_400_000, 3_600_000, 60_000, 1000]

/** "24 min": only the largest unit, for tables. */
export function formatRoughDuration(scan: Times, now: number): string | undefined {
  const spent = elapsedMs(scan, now)
  if (spent === undefined) return undefined
  const unit = unitsMs.find((size) => spent >= size) ?? 1
  return formatDuration(Math.floor(spent / unit) * unit)
}

function elapsedMs({ status, startTime, createTime, completeTime }: Times, now: number): number | undefined {
  if (status === 'STATUS_CREATED') return undefined
  const until = completeTime ? Date.parse(completeTime) : now
  return Math.max(0, until - Date.parse(startTime ?? createTime))
}
