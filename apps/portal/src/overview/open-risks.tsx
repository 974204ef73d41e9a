/** The number of open risks, by severity and over time. */
import type { SeveritySeries, StatusSeries, statsSummary } from '@glacis/contract/insights'
import type { SeverityCount } from '@glacis/contract/primitives'
import type { ResultOf } from '@glacis/contract/endpoint'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useDeferredQuery } from '#api/query.ts'
import { bySeverity, byStatus } from '#issues/queries.ts'
import { formatNumber } from '#lib/format.ts'
import { changeOf, changeText } from '#overview/change.ts'
import { riskListPath, statsPeriod, statsInput, type View } from '#overview/view.ts'
import { lastEnded } from '#scans/queries.ts'
import { ChartFigure } from '#ui/charts/figure.tsx'
import { bucketsOf, levels } from '#ui/charts/series.ts'
import { Delta, LadderLink, LadderRow, SeverityLadder } from '#ui/charts/severity-ladder.tsx'
import { StackedColumns } from '#ui/charts/stacked-columns.tsx'
import { RelativeTime } from '#ui/relative-time.tsx'
import { SeverityGlyph, severityLevels, severityLabels } from '#ui/severity.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { SectionError } from '#ui/states.tsx'

type Summary = ResultOf<typeof statsSummary>

/** The current number of open risks and its change since the start of the period. */
export function OpenRisks({ view, summary }: { readonly view: View; readonly summary: Summary | undefined }) {
  const { data, isError, refetch } = useDeferredQuery(bySeverity(statsInput(view)))
  const statuses = useDeferredQuery(byStatus(statsInput(view))).data
  return (
    <section aria-labelledby="open-risks">
      <h2 id="open-risks" className="flex min-h-7 items-center text-14/5 font-semibold tracking-[-.006em]">
        Open risks
      </h2>
      {isError && !data && <SectionError what="Open risks" onRetry={() => void refetch()} />}
      {(!data || !statuses) && !isError && <LadderSkeleton />}
      {data && statuses && <Figures series={data} statuses={statuses} view={view} summary={summary} />}
    </section>
  )
}

/** Always two lines high, to avoid a layout shift. */
const note = 'mt-2.5 min-h-8 text-12 text-ink-3'

interface FiguresProps {
  readonly series: SeveritySeries
  readonly statuses: StatusSeries
  readonly view: View
  readonly summary: Summary | undefined
}
function Figures({ series, statuses, view, summary }: FiguresProps) {
  // Totals come from the status series because the severity series omits risks without a severity.
  const totals = statuses.open.map((open, at) => open + (statuses.regressive[at] ?? 0))
  const start = startOf(series, view)
  const change = changeOf(totals)
  // Before the first finding, there is nothing to compare with.
  const { open, resolved, ignored, regressive } = statuses
  const isComparable = [open, resolved, ignored, regressive].some(([first = 0]) => first > 0)
  const total = totals.at(-1) ?? 0
  const unrated = total - severityLevels.reduce((sum, level) => sum + (series[level].at(-1) ?? 0), 0)
  return (
    <>
      <p className="mt-1.5 flex flex-wrap items-baseline gap-x-3">
        <b className="text-44 font-medium tracking-figure tabular-nums">{formatNumber(total)}</b>
        {isComparable && <Delta amount={change}>{changeText(change, start)}</Delta>}
      </p>
      <SeverityLadder
        counts={perSeverity((level) => series[level].at(-1) ?? 0)}
        changes={isComparable ? perSeverity((level) => changeOf(series[level])) : undefined}
        row={(level, content) =>
          view.kind === 'all' ? (
            <LadderRow>{content}</LadderRow>
          ) : (
            <LadderLink to={`/risks/${view.kind}`} search={{ severity: [level] }}>
              {content}
            </LadderLink>
          )
        }
      />
      <p className={note}>
        {total === 0 && summary?.hostCount === 0 && summary.lastScanTime ? (
          <NoHostsNote />
        ) : total === 0 && summary ? (
          <>
            No open risks on {formatNumber(summary.hostCount)} {summary.hostCount === 1 ? 'host' : 'hosts'}
            {summary.lastScanTime && (
              <>
                , last checked <RelativeTime value={summary.lastScanTime} />
              </>
            )}
            .
          </>
        ) : (
          <>
            {unrated > 0 && `${formatNumber(unrated)} more without a severity. `}
            {summary !== undefined && summary.regressive > 0 && `Includes ${regressions(summary.regressive)}. `}
            {isComparable && `Change since ${start}.`}
          </>
        )}
      </p>
    </>
  )
}

/** The day of the first value; with its year only in the longest period, where the day alone is ambiguous. */
function startOf({ timestamps: [first] }: SeveritySeries, { period }: View): string {
  if (first === undefined) return ''
  const label = bucketsOf([first], 'PERIOD_MONTH')[0]?.label ?? ''
  return period === 'year' ? `${label} ${new Date(Date.parse(first) - 1).getUTCFullYear()}` : label
}

/** There are no open risks because there are no hosts. */
function NoHostsNote() {
  const { data: last } = useQuery(lastEnded())
  if (last?.hostCount.scannedHosts !== 0) return 'No hosts found yet.'
  return (
    <>
      No hosts responded to the last scan, <RelativeTime value={last.completeTime ?? last.updateTime} />.{' '}
      <Link to="/scans/$id" params={{ id: last.id }} className="inline-link">
        View scan
      </Link>
    </>
  )
}

/** Open risks over the period: one column per day, week, or month. */
export function RisksBySeverity({ view }: { readonly view: View }) {
  const { data, isError, refetch } = useDeferredQuery(bySeverity(statsInput(view)))
  const buckets = data ? bucketsOf(data.timestamps, statsPeriod(view)) : []
  const series = severityLevels.map((level) => ({
    name: severityLabels[level],
    color: `var(--gl-${level})`,
    glyph: <SeverityGlyph level={level} className="size-3" />,
    values: data ? levels(buckets, data[level]) : [],
  }))
  const navigate = useNavigate()
  // Filters the list by the severities that are visible in the chart.
  const openList = (shown: readonly { readonly name: string }[]) => {
    const severity = severityLevels.filter((level) => shown.some((line) => line.name === severityLabels[level]))
    const isAll = severity.length === severityLevels.length
    void navigate({ to: riskListPath(view), search: isAll ? {} : { severity } })
  }
  if (isError && !data) return <ChartError title="Open risks by severity" onRetry={() => void refetch()} />
  if (!data) return <ChartSkeleton title="Open risks by severity" height={212} />
  return (
    <ChartFigure title="Open risks by severity" points={buckets} series={series} height={212} hasLegend showTotal>
      {(shown) => (
        <StackedColumns
          label="Open risks by severity"
          points={buckets}
          series={shown}
          height={212}
          onOpen={() => openList(shown)}
        />
      )}
    </ChartFigure>
  )
}

/** A chart that failed to load, below its title. */
export function ChartError({ title, onRetry }: { readonly title: string; readonly onRetry: () => void }) {
  return (
    <section>
      <ChartTitle>{title}</ChartTitle>
      <SectionError what="The chart" onRetry={onRetry} />
    </section>
  )
}

/** A loading chart: its title and height. */
export function ChartSkeleton({ title, height = 130 }: { readonly title: string; readonly height?: number }) {
  return (
    <section aria-busy="true">
      <ChartTitle>{title}</ChartTitle>
      <div className="mt-3.5 flex items-end" style={{ height: height + 22 }}>
        <Skeleton className="h-px w-full" />
      </div>
    </section>
  )
}

function ChartTitle({ children }: { readonly children: string }) {
  return (
    <div className="flex min-h-7 items-center">
      <h2 className="text-14 leading-5 font-semibold tracking-[-.006em]">{children}</h2>
    </div>
  )
}

function LadderSkeleton() {
  return (
    <div aria-busy="true">
      <p className="mt-1.5 flex flex-wrap items-baseline gap-x-3">
        <Skeleton className="h-8 w-20" />
        <b className="invisible text-44 font-medium tracking-figure">0</b>
      </p>
      <div className="mt-3.5 border-b border-line">
        {severityLevels.map((level) => (
          <div key={level} className="flex h-8.75 items-center border-t border-line">
            <Skeleton className="w-2/3" />
          </div>
        ))}
      </div>
      <p className={note} />
    </div>
  )
}

function perSeverity(value: (level: keyof SeverityCount) => number): SeverityCount {
  return { critical: value('critical'), high: value('high'), medium: value('medium'), low: value('low') }
}

function regressions(count: number): string {
  return count === 1 ? '1 regression' : `${formatNumber(count)} regressions`
}
