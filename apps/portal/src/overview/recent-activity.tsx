/** Current activity: running scans, then the latest finished ones. */
import type { Scan } from '@glacis/contract/scan'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowRight } from 'lucide-react'
import { all as allAgents } from '#agents/queries.ts'
import { formatNumber } from '#lib/format.ts'
import { formatChanges, isActive, list } from '#scans/queries.ts'
import { SectionHead } from '#ui/card.tsx'
import { progressText, ScanProgressBar } from '#ui/charts/scan-progress.tsx'
import { RelativeTime } from '#ui/relative-time.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { AgentStatus, ScanStatus } from '#ui/status.tsx'
import { SectionError } from '#ui/states.tsx'

const shownMax = 5

export function RecentActivity() {
  const { data, isError, refetch } = useQuery(list({ pageSize: 25 }))
  const scans = data && [...data.scans].sort((a, b) => Number(isActive(b)) - Number(isActive(a))).slice(0, shownMax)
  return (
    <section aria-label="Recent activity">
      <SectionHead title="Recent activity">
        <Link to="/scans" className="inline-flex items-center gap-1 hover:text-ink">
          Reporting
          <ArrowRight className="size-3.5" aria-hidden="true" />
        </Link>
      </SectionHead>
      {isError && !data && <SectionError what="Scans" onRetry={() => void refetch()} />}
      {scans?.length === 0 && <p className="mt-3 text-ink-2">No scans yet.</p>}
      {!data && !isError && <Skeleton className="mt-4 w-2/3" />}
      <ul className="[&>li]:grid [&>li]:grid-cols-[minmax(0,1fr)] [&>li]:gap-[3px] [&>li]:border-b [&>li]:border-line [&>li]:py-2.5 [&>li:last-child]:border-b-0">
        <DisconnectedAgents />
        {scans?.map((scan) => (
          <Row key={scan.id} scan={scan} />
        ))}
      </ul>
    </section>
  )
}

function Row({ scan }: { readonly scan: Scan }) {
  return (
    <li>
      <span className="flex items-center justify-between gap-2">
        <Link
          to="/scans/$id"
          params={{ id: scan.id }}
          title={headline(scan)}
          className="min-w-0 truncate hover:underline"
        >
          <ScanStatus status={scan.status}>{headline(scan)}</ScanStatus>
        </Link>
        <RelativeTime
          value={scan.completeTime ?? scan.startTime ?? scan.createTime}
          className="flex-none text-12 text-ink-3"
        />
      </span>
      {scan.status === 'STATUS_RUNNING' && <ScanProgressBar scan={scan} />}
      <small className="text-12 text-ink-3">{outcome(scan)}</small>
    </li>
  )
}

/** Agents that were connected before, are disconnected now, and have targets assigned. */
function DisconnectedAgents() {
  const agents = useQuery(allAgents()).data?.agents ?? []
  const away = agents.filter(
    (agent) => agent.status === 'STATUS_DISCONNECTED' && agent.lastSeenTime && agent.targetCount,
  )
  return away.map(({ id, name, status, lastSeenTime = '', targetCount = 0 }) => (
    <li key={id}>
      <span className="flex items-center justify-between gap-2">
        <Link to="/agents/$id" params={{ id }} title={`Agent ${name}`} className="min-w-0 truncate hover:underline">
          <AgentStatus status={status}>Agent {name}</AgentStatus>
        </Link>
        <RelativeTime value={lastSeenTime} className="flex-none text-12 text-ink-3" />
      </span>
      <small className="text-12 text-ink-3">
        Disconnected. {targetCount === 1 ? '1 target' : `${formatNumber(targetCount)} targets`} can't be scanned.
      </small>
    </li>
  ))
}

function headline({ status, target, retestOf }: Scan): string {
  const name = retestOf ? 'Retest' : (target?.name ?? 'Deleted target')
  if (status === 'STATUS_RUNNING') return retestOf ? 'Retesting' : `Scanning ${name}`
  if (status === 'STATUS_CREATED') return name
  if (status === 'STATUS_FAILED') return `${name} failed`
  return status === 'STATUS_CANCELLED' ? `${name} canceled` : `${name} finished`
}

function outcome(scan: Scan): string {
  if (isActive(scan)) return progressText(scan)
  if (scan.progress?.failureReason) return scan.progress.failureReason
  if (scan.hostCount.scannedHosts === 0) return 'No hosts with open ports found.'
  const hosts = `${formatNumber(scan.hostCount.scannedHosts)} ${scan.hostCount.scannedHosts === 1 ? 'host' : 'hosts'} scanned.`
  if (scan.retestOf) return `${scan.retestOf.name}, ${scan.target?.name ?? 'deleted target'}`
  if (!scan.changes) return hosts
  const hasChanged = Object.values(scan.changes).some((count) => count > 0)
  return hasChanged ? `${hosts} Risks: ${formatChanges(scan.changes)}.` : `${hosts} No changes.`
}
