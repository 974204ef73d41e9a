/** Charts over the period: risks by status, affected hosts, and finished scans. */
import { useNavigate } from '@tanstack/react-router'
import { useDeferredQuery } from '#api/query.ts'
import { affectedOverTime } from '#hosts/queries.ts'
import { byStatus } from '#issues/queries.ts'
import { formatNumber } from '#lib/format.ts'
import { ChartError, ChartSkeleton } from '#overview/open-risks.tsx'
import { riskListPath, statsPeriod, statsInput, type View } from '#overview/view.ts'
import { overTime } from '#scans/queries.ts'
import { ChartFigure } from '#ui/charts/figure.tsx'
import { Area, Lines, type LineSeries } from '#ui/charts/lines.tsx'
import { bucketsOf, levels, sums } from '#ui/charts/series.ts'
import { Columns } from '#ui/charts/stacked-columns.tsx'
import { IssueStatusIcon } from '#ui/status.tsx'

interface TrendProps {
  readonly view: View
}

const statusLines = [
  { key: 'resolved', name: 'Resolved', status: 'STATUS_RESOLVED', color: 'var(--gl-resolved)', stroke: 'solid' },
  { key: 'open', name: 'Open', status: 'STATUS_OPEN', color: 'var(--gl-open)', stroke: 'solid' },
  { key: 'ignored', name: 'Ignored', status: 'STATUS_IGNORED', color: 'var(--gl-ignored)', stroke: 'dotted' },
  {
    key: 'regressive',
    name: 'Regressed',
    status: 'STATUS_REGRESSION',
    color: 'var(--gl-regression)',
    stroke: 'dashed',
  },
] as const

export function RisksByStatus({ view }: TrendProps) {
  const { data, isError, refetch } = useDeferredQuery(byStatus(statsInput(view)))
  const navigate = useNavigate()
  if (isError && !data) return <ChartError title="Risks by status" onRetry={() => void refetch()} />
  if (!data) return <ChartSkeleton title="Risks by status" />
  const buckets = bucketsOf(data.timestamps, statsPeriod(view))
  const series: LineSeries[] = statusLines.map(({ key, name, status, color, stroke }) => {
    const glyph = <IssueStatusIcon status={status} />
    return { name, color, stroke, glyph, values: levels(buckets, data[key]) }
  })
  return (
    <ChartFigure title="Risks by status" points={buckets} series={series}>
      <Lines
        label="Risks by status"
        points={buckets}
        series={series}
        onOpen={() => void navigate({ to: riskListPath(view), search: { status: 'all' } })}
      />
    </ChartFigure>
  )
}

/** Hosts with at least one active risk, out of all hosts. */
export function AffectedHosts({ view, hostCount }: TrendProps & { readonly hostCount: number | undefined }) {
  const { data, isError, refetch } = useDeferredQuery(affectedOverTime(statsInput(view)))
  const navigate = useNavigate()
  if (isError && !data) return <ChartError title="Affected hosts" onRetry={() => void refetch()} />
  if (!data) return <ChartSkeleton title="Affected hosts" />
  const buckets = bucketsOf(data.timestamps, statsPeriod(view))
  const line = { name: 'Affected hosts', color: 'var(--gl-main-mark)', values: levels(buckets, data.values) }
  return (
    <ChartFigure title="Affected hosts" points={buckets} series={[line]}>
      <Area
        label="Affected hosts"
        onOpen={() => void navigate({ to: '/assets' })}
        points={buckets}
        {...line}
        of={hostCount === undefined ? '' : `of ${formatNumber(hostCount)}`}
      />
    </ChartFigure>
  )
}

/** Finished scans per day, week, or month. */
export function ScansFinished({ view }: TrendProps) {
  const { data, isError, refetch } = useDeferredQuery(overTime({ period: statsPeriod(view) }))
  const navigate = useNavigate()
  if (isError && !data) return <ChartError title="Finished scans" onRetry={() => void refetch()} />
  if (!data) return <ChartSkeleton title="Finished scans" />
  const buckets = bucketsOf(data.timestamps, statsPeriod(view))
  const values = sums(buckets, data.values)
  const total = values.reduce((sum, value) => sum + value, 0)
  const series = [{ name: 'Scans', color: 'var(--gl-n7)', values }]
  return (
    <ChartFigure
      title="Finished scans"
      points={buckets}
      series={series}
      aside={`${formatNumber(total)} in the past ${view.period}`}
    >
      <Columns
        label="Finished scans"
        name="Scans"
        points={buckets}
        values={values}
        onOpen={() => void navigate({ to: '/scans' })}
      />
    </ChartFigure>
  )
}
