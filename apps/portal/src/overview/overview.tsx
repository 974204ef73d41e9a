/** `/overview` */
import type { ResultOf } from '@glacis/contract/endpoint'
import type { statsSummary } from '@glacis/contract/insights'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type ReactNode, useDeferredValue } from 'react'
import { formatNumber } from '#lib/format.ts'
import { steps } from '#onboarding/queries.ts'
import { FirstRun } from '#overview/first-run.tsx'
import { FeedTable } from '#overview/feeds.tsx'
import { NeedsAttention } from '#overview/needs-attention.tsx'
import { OpenRisks, RisksBySeverity } from '#overview/open-risks.tsx'
import { summary } from '#overview/queries.ts'
import { RecentActivity } from '#overview/recent-activity.tsx'
import { SetupProgress } from '#overview/setup-progress.tsx'
import { Share } from '#overview/share.tsx'
import { SummaryLists } from '#overview/summary-lists.tsx'
import { AffectedHosts, RisksByStatus, ScansFinished } from '#overview/trends.tsx'
import { KindSwitch, PeriodSwitch } from '#overview/view-switches.tsx'
import { kindLabels, statsInput, type View, viewFromSearch } from '#overview/view.ts'
import { PageHead } from '#ui/page-head.tsx'
import { RelativeTime } from '#ui/relative-time.tsx'
import { SkeletonLines } from '#ui/skeleton.tsx'

const route = getRouteApi('/_auth/overview')

/**
 * Every section loads and fails independently.
 *
 * @param startScan the "Start scan" button, passed in because this module can't import it
 */
export function OverviewPage({ startScan }: { readonly startScan?: ReactNode }) {
  const view = viewFromSearch(route.useSearch())
  const { data, isPending } = useQuery(summary(statsInput(view)))
  // A new workspace has no sections, and the setup card above them would push them down.
  const areStepsPending = useQuery(steps()).isPending
  // Deferred, so that the sections render in tasks short enough for a phone.
  const isLayoutKnown = useDeferredValue(!areStepsPending && !isPending)
  const isFirstRun = data !== undefined && (data.targetCount === 0 || data.lastScanTime === undefined)
  return (
    <div className="pg flex grow flex-col" data-prints="overview">
      <PageHead
        title="Overview"
        description={
          data && !isFirstRun ? (
            <Description view={view.kind} figures={data} />
          ) : (
            "Your open risks, how they're trending, and what to fix first."
          )
        }
        actions={
          !isPending &&
          !isFirstRun && (
            <>
              <Share />
              <span className="max-md:hidden">
                <PeriodSwitch view={view} />
              </span>
              {startScan}
            </>
          )
        }
      />
      {data && data.targetCount > 0 && <SetupProgress />}
      {isFirstRun ? (
        <FirstRun hasTargets={data.targetCount > 0} startScan={startScan} />
      ) : isLayoutKnown ? (
        <Sections view={view} summary={data} />
      ) : (
        <SkeletonLines className="late mx-(--gl-gutter) mt-6" />
      )}
    </div>
  )
}

interface SectionsProps {
  readonly view: View
  readonly summary: ResultOf<typeof statsSummary> | undefined
}
function Sections({ view, summary }: SectionsProps) {
  return (
    <div className="flex flex-col">
      <div className="gap-2 px-(--gl-gutter) pt-3 max-md:grid">
        <KindSwitch view={view} />
        <span className="md:hidden">
          <PeriodSwitch view={view} />
        </span>
      </div>
      <div className="ruled g-hero mt-4">
        <OpenRisks view={view} summary={summary} />
        <RisksBySeverity view={view} />
      </div>
      <div className="ruled g-work">
        <div className="min-w-0 pb-3!">
          <NeedsAttention view={view} />
        </div>
        <div className="min-w-0">
          <RecentActivity />
        </div>
      </div>
      <div className="ruled g-3 border-b border-line">
        <div className="min-w-0">
          <RisksByStatus view={view} />
        </div>
        <div className="min-w-0">
          <AffectedHosts view={view} hostCount={summary?.hostCount} />
        </div>
        <div className="min-w-0">
          <ScansFinished view={view} />
        </div>
      </div>
      <div className="min-w-0">
        <SummaryLists />
      </div>
      <div className="min-w-0">
        <FeedTable />
      </div>
    </div>
  )
}

interface DescriptionProps {
  readonly view: keyof typeof kindLabels
  readonly figures: {
    readonly targetCount: number
    readonly hostCount: number
    readonly lastScanTime?: string | undefined
  }
}
function Description({ view, figures: { targetCount, hostCount, lastScanTime } }: DescriptionProps) {
  return (
    <>
      {kindLabels[view]} across {formatNumber(targetCount)} {targetCount === 1 ? 'target' : 'targets'} and{' '}
      {formatNumber(hostCount)} {hostCount === 1 ? 'host' : 'hosts'}.
      {lastScanTime && (
        <>
          {' '}
          Last scan finished <RelativeTime value={lastScanTime} />.
        </>
      )}
    </>
  )
}
