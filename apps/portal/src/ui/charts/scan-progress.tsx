/** Progress of a scan: a thin bar and text. */
import type { Scan, ScanPhase } from '@glacis/contract/scan'
import { formatNumber } from '#lib/format.ts'
import { percent } from '#ui/charts/percent.ts'

export const phaseLabels: Readonly<Record<ScanPhase, string>> = {
  PHASE_WAITING: 'Waiting',
  PHASE_DISCOVERY: 'Finding hosts',
  PHASE_PORTS: 'Scanning ports',
  PHASE_IDENTIFY: 'Identifying services',
  PHASE_CHECKS: 'Running checks',
  PHASE_EVALUATE: 'Evaluating results',
  PHASE_DONE: 'Done',
}

/** With reduced motion the bar is uniform, because a static segment would read as partial progress. */
const sweep =
  'block h-full w-1/4 animate-sweep bg-main-mark motion-reduce:w-full motion-reduce:animate-none motion-reduce:opacity-40'

/** Maximum share shown, so that a running scan never looks finished. */
const shareMax = 0.95

/** "Running checks. 142 of 187 addresses scanned, 9 hosts affected." */
export function progressText({ status, progress, hostCount }: Pick<Scan, 'status' | 'progress' | 'hostCount'>): string {
  if (status === 'STATUS_CREATED') return progress?.failureReason || 'Waiting to start.'
  if (progress?.phase === 'PHASE_WAITING' && progress.failureReason) return progress.failureReason
  const { scannedHosts, affectedHosts } = hostCount
  const done = Math.max(scannedHosts, progress?.hostsDone ?? 0)
  const total = progress?.hostsTotal ?? 0
  // The total counts addresses, most of which may have no host.
  const scanned =
    total > 0
      ? `${formatNumber(done)} of ${formatNumber(total)} ${total === 1 ? 'address' : 'addresses'} scanned`
      : `${formatNumber(done)} ${done === 1 ? 'host' : 'hosts'} scanned`
  const phase = progress ? `${progress.resumeTime ? 'Paused' : phaseLabels[progress.phase]}. ` : ''
  return `${phase}${scanned}${affectedHosts > 0 ? `, ${formatNumber(affectedHosts)} ${affectedHosts === 1 ? 'host' : 'hosts'} affected` : ''}.`
}

/** Share of addresses scanned; indeterminate while their number is unknown. Show the text beside it. */
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
