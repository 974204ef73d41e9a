/** `/overview`: how bad and which way, what first, what is happening. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { cx } from '#lib/cx.ts'
import { formatNumber } from '#lib/format.ts'
import { pageWords } from '#lib/page-words.ts'
import { FirstRun } from '#overview/first-run.tsx'
import { Knowledge } from '#overview/knowledge.tsx'
import { NeedsAttention, NeedsAttentionPlace } from '#overview/needs-attention.tsx'
import { ChartSkeleton, OpenRisks, RisksBySeverity } from '#overview/open-risks.tsx'
import { summary } from '#overview/queries.ts'
import { RightNow, RightNowPlace } from '#overview/right-now.tsx'
import { SettingUp } from '#overview/setting-up.tsx'
import { Share } from '#overview/share.tsx'
import { Standings } from '#overview/standings.tsx'
import { AffectedHosts, RisksByStatus, ScansFinished } from '#overview/trends.tsx'
import { KindSwitch, PeriodSwitch } from '#overview/switches.tsx'
import { kindSentence, statsInput, viewOf } from '#overview/view.ts'
import { Later } from '#ui/later.tsx'
import { PageHead } from '#ui/page-head.tsx'
import { RelativeTime } from '#ui/relative-time.tsx'

const route = getRouteApi('/_auth/overview')

/**
 * The page behind the sign-in. Every section asks and fails alone; the period drives all charts.
 *
 * @param startScan the button that starts a scan, which belongs to another room
 */
export function OverviewPage({ startScan }: { readonly startScan?: ReactNode }) {
  const view = viewOf(route.useSearch())
  const { data, isPending } = useQuery(summary(statsInput(view)))
  const isFirstRun = data !== undefined && (data.targetCount === 0 || data.lastScanTime === undefined)
  return (
    <div className="pg flex grow flex-col" data-prints="overview">
      <PageHead
        title={pageWords.overview.title}
        description={data && !isFirstRun ? <Lede view={view.kind} figures={data} /> : pageWords.overview.lede}
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
      {data && data.targetCount > 0 && <SettingUp />}
      {isFirstRun ? (
        <FirstRun hasTargets={data.targetCount > 0} startScan={startScan} />
      ) : (
        // What stands here is not known before the figures are: a new account has none of it.
        <div className={cx('flex flex-col', isPending && 'late')}>
          <div className="gap-2 px-(--gl-gutter) pt-3 max-md:grid">
            <KindSwitch view={view} />
            <span className="md:hidden">
              <PeriodSwitch view={view} />
            </span>
          </div>
          <div className="ruled g-hero mt-4">
            <OpenRisks view={view} summary={data} />
            <RisksBySeverity view={view} />
          </div>
          <div className="ruled g-work">
            <Later className="pb-3!" place={<NeedsAttentionPlace />}>
              <NeedsAttention view={view} />
            </Later>
            <Later place={<RightNowPlace />}>
              <RightNow />
            </Later>
          </div>
          <div className="ruled g-3 border-b border-line">
            <Later place={<ChartSkeleton title="Risks by status" />}>
              <RisksByStatus view={view} />
            </Later>
            <Later place={<ChartSkeleton title="Affected hosts" />}>
              <AffectedHosts view={view} hostCount={data?.hostCount} />
            </Later>
            <Later place={<ChartSkeleton title="Scans finished" />}>
              <ScansFinished view={view} />
            </Later>
          </div>
          <Later>
            <Standings />
          </Later>
          <Later>
            <Knowledge />
          </Later>
        </div>
      )}
    </div>
  )
}

interface LedeProps {
  readonly view: keyof typeof kindSentence
  readonly figures: {
    readonly targetCount: number
    readonly hostCount: number
    readonly lastScanTime?: string | undefined
  }
}
function Lede({ view, figures: { targetCount, hostCount, lastScanTime } }: LedeProps) {
  return (
    <>
      {kindSentence[view]} on {formatNumber(targetCount)} {targetCount === 1 ? 'target' : 'targets'} and{' '}
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
