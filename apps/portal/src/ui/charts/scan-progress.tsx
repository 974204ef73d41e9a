/** How far a scan is: a thin bar, and always words. */
import type { Scan, ScanPhase } from '@glacis/contract/scan'
import { formatNumber } from '#lib/format.ts'
import { percent } from '#ui/charts/percent.ts'

export const phaseWords: Readonly<Record<ScanPhase, string>> = {
  PHASE_WAITING: 'Waiting',
  PHASE_DISCOVERY: 'Finding hosts',
  PHASE_PORTS: 'Looking for open ports',
  PHASE_IDENTIFY: 'Recognising services',
  PHASE_CHECKS: 'Running checks',
  PHASE_EVALUATE: 'Evaluating',
  PHASE_DONE: 'Done',
}

/** Without motion the whole bar is quiet: a standing quarter would look like a quarter done. */
const sweep =
  'block h-full w-1/4 animate-sweep bg-main-mark motion-reduce:w-full motion-reduce:animate-none motion-reduce:opacity-40'

/** A scan never looks finished before it is. */
const shareMax = 0.95

/** "Running checks. 142 of 187 hosts scanned, 9 affected." */
export function progressWords({
  status,
  progress,
  hostCount,
}: Pick<Scan, 'status' | 'progress' | 'hostCount'>): string {
  if (status === 'STATUS_CREATED') return progress?.failureReason || 'Waiting for its turn.'
  if (progress?.phase === 'PHASE_WAITING' && progress.failureReason) return progress.failureReason
  const { scannedHosts, affectedHosts } = hostCount
  const done = Math.max(scannedHosts, progress?.hostsDone ?? 0)
  const total = progress?.hostsTotal ?? 0
  const word = (total || done) === 1 ? 'host' : 'hosts'
  const hosts = `${formatNumber(done)}${total > 0 ? ` of ${formatNumber(total)}` : ''} ${word} scanned`
  const phase = progress ? `${progress.resumeTime ? 'Paused' : phaseWords[progress.phase]}. ` : ''
  return `${phase}${hosts}${affectedHosts > 0 ? `, ${formatNumber(affectedHosts)} affected` : ''}.`
}

/** A bar of hosts done; it sweeps while the number of hosts is not known yet. Say the words beside it. */
export function ScanProgressBar({ scan }: { readonly scan: Pick<Scan, 'progress'> }) {
  const total = scan.progress?.hostsTotal ?? 0
  const share = total > 0 ? Math.min(shareMax, (scan.progress?.hostsDone ?? 0) / total) : undefined
  return (
    <span className="block h-[3px] overflow-hidden rounded-[2px] bg-main-edge" aria-hidden="true">
      <span
        className={share === undefined ? sweep : 'block h-full bg-main-mark'}
        style={share === undefined ? undefined : { width: percent(share) }}
      />
    </span>
  )
}
