/** `/overview` */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, lazyRouteComponent } from '@tanstack/react-router'
import { type ReactNode, Suspense } from 'react'
import { cx } from '#lib/cx.ts'
import { formatNumber } from '#lib/format.ts'
import { steps } from '#onboarding/queries.ts'
import { ChartSkeleton } from '#overview/chart-states.tsx'
import { FirstRun } from '#overview/first-run.tsx'
import { NeedsAttention } from '#overview/needs-attention.tsx'
import { OpenRisks } from '#overview/open-risks.tsx'
import { summary } from '#overview/queries.ts'
import { RecentActivity } from '#overview/recent-activity.tsx'
import { SetupProgress } from '#overview/setup-progress.tsx'
import { Share } from '#overview/share.tsx'
import { KindSwitch, PeriodSwitch } from '#overview/view-switches.tsx'
import { kindLabels, statsInput, viewFromSearch } from '#overview/view.ts'
import { PageHead } from '#ui/page-head.tsx'
import { RelativeTime } from '#ui/relative-time.tsx'

const route = getRouteApi('/_auth/overview')

// The charts and the lists below them load separately, because the page is usable without them.
const trends = () => import('#overview/trends.tsx')
const RisksBySeverity = lazyRouteComponent(trends, 'RisksBySeverity')
const RisksByStatus = lazyRouteComponent(trends, 'RisksByStatus')
const AffectedHosts = lazyRouteComponent(trends, 'AffectedHosts')
const ScansFinished = lazyRouteComponent(trends, 'ScansFinished')
const SummaryLists = lazyRouteComponent(() => import('#overview/summary-lists.tsx'), 'SummaryLists')
const FeedTable = lazyRouteComponent(() => import('#overview/feeds.tsx'), 'FeedTable')

/**
 * Every section loads and fails independently.
 *
 * @param startScan the "Start scan" button, passed in because this module can't import it
 */
export function OverviewPage({ startScan }: { readonly startScan?: ReactNode }) {
  const view = viewFromSearch(route.useSearch())
  const { data, isPending } = useQuery(summary(statsInput(view)))
  // Hidden until the setup card above it is known, so that the card doesn't push it down.
  const isLayoutKnown = !useQuery(steps()).isPending && !isPending
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
      ) : (
        // Fades in late: until the data has loaded, this could still be a new workspace without any of these sections.
        <div className={cx('flex flex-col', !isLayoutKnown && 'late')}>
          <div className="gap-2 px-(--gl-gutter) pt-3 max-md:grid">
            <KindSwitch view={view} />
            <span className="md:hidden">
              <PeriodSwitch view={view} />
            </span>
          </div>
          <div className="ruled g-hero mt-4">
            <OpenRisks view={view} summary={data} />
            <Suspense fallback={<ChartSkeleton title="Open risks by severity" height={212} />}>
              <RisksBySeverity view={view} />
            </Suspense>
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
              <Suspense fallback={<ChartSkeleton title="Risks by status" />}>
                <RisksByStatus view={view} />
              </Suspense>
            </div>
            <div className="min-w-0">
              <Suspense fallback={<ChartSkeleton title="Affected hosts" />}>
                <AffectedHosts view={view} hostCount={data?.hostCount} />
              </Suspense>
            </div>
            <div className="min-w-0">
              <Suspense fallback={<ChartSkeleton title="Finished scans" />}>
                <ScansFinished view={view} />
              </Suspense>
            </div>
          </div>
          <Suspense>
            <div className="min-w-0">
              <SummaryLists />
            </div>
            <div className="min-w-0">
              <FeedTable />
            </div>
          </Suspense>
        </div>
      )}
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
