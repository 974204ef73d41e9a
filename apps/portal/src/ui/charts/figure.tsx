/** The frame of a chart: header, chart/table toggle, and empty state. */
import { ChartColumn, Table2 } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { cx } from '#lib/cx.ts'
import { formatNumber } from '#lib/format.ts'
import { IconButton } from '#ui/button.tsx'
import { type ChartSeries, totalAt } from '#ui/charts/plot.tsx'
import type { ChartPoint } from '#ui/charts/series.ts'

interface FigureProps {
  readonly title: string
  readonly points: readonly ChartPoint[]
  readonly series: readonly ChartSeries[]
  /** In pixels; the same for chart, table, and empty state. */
  readonly height?: number
  /** Shows a legend in the header. */
  readonly hasLegend?: boolean
  readonly showTotal?: boolean
  /** Shown on the right of the header: "149 in the past quarter". */
  readonly aside?: ReactNode
  /** The chart. A function receives the series that aren't hidden in the legend. */
  readonly children: ReactNode | ((shown: readonly ChartSeries[]) => ReactNode)
}

/** A chart with heading, text summary for screen readers, and the same data as a table. */
export function ChartFigure({ title, points, series, height = 130, children, ...props }: FigureProps) {
  const { hasLegend = false, showTotal = false, aside } = props
  const [asTable, setAsTable] = useState(false)
  const [hidden, setHidden] = useState<readonly string[]>([])
  const shown = series.filter(({ name }) => !hidden.includes(name))
  const toggle = (name: string) =>
    setHidden(hidden.includes(name) ? hidden.filter((other) => other !== name) : [...hidden, name])
  const id = useId()
  const isEmpty = series.every(({ values }) => values.every((value) => value === 0))
  return (
    <section aria-labelledby={id} className="min-w-0">
      <div className="flex min-h-7 items-center gap-2">
        <h2 id={id} className="text-14 leading-5 font-semibold tracking-[-.006em]">
          {title}
        </h2>
        <span className="grow" />
        {hasLegend && <Legend series={series} hidden={hidden} onToggle={toggle} />}
        {aside !== undefined && <span className="text-ink-2 tabular-nums">{aside}</span>}
        {!isEmpty && <TableToggle title={title} isOn={asTable} onToggle={() => setAsTable(!asTable)} />}
      </div>
      <p className="sr-only">{summary(title, points, series)}</p>
      <div className="mt-3.5" style={{ minHeight: height + 22 }}>
        {isEmpty && <EmptySeries height={height} />}
        {!isEmpty && !asTable && (typeof children === 'function' ? children(shown) : children)}
        {!isEmpty && asTable && (
          <FigureTable title={title} points={points} series={series} height={height + 22} showTotal={showTotal} />
        )}
      </div>
    </section>
  )
}

interface LegendProps extends Pick<FigureProps, 'series'> {
  readonly hidden: readonly string[]
  readonly onToggle: (name: string) => void
}

/** The legend; clicking a series hides or shows it. */
function Legend({ series, hidden, onToggle }: LegendProps) {
  return (
    <ul className="flex flex-wrap gap-x-1 text-12 text-ink-2 max-md:hidden" aria-label="Series">
      {series.map(({ name, glyph }) => (
        <li key={name}>
          <button
            type="button"
            aria-pressed={!hidden.includes(name)}
            className={cx(
              'inline-flex min-h-6 items-center gap-1.5 rounded-md px-1.5 hover:bg-n3',
              hidden.includes(name) && 'text-ink-3 line-through',
            )}
            onClick={() => onToggle(name)}
          >
            {glyph}
            {name}
          </button>
        </li>
      ))}
    </ul>
  )
}

interface ToggleProps {
  readonly title: string
  readonly isOn: boolean
  readonly onToggle: () => void
}
function TableToggle({ title, isOn, onToggle }: ToggleProps) {
  const label = isOn ? 'Show as chart' : 'Show as table'
  return (
    <IconButton size="xs" label={`${label}: ${title}`} icon={isOn ? <ChartColumn /> : <Table2 />} onClick={onToggle} />
  )
}

function EmptySeries({ height }: { readonly height: number }) {
  return (
    <div className="grid place-items-center border-b border-n7 text-ink-3" style={{ height }}>
      No data in this period
    </div>
  )
}

type FigureTableProps = Pick<FigureProps, 'title' | 'points' | 'series' | 'showTotal'> & { readonly height: number }
function FigureTable({ title, points, series, height, showTotal }: FigureTableProps) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable areas must be keyboard accessible
    <section className="overflow-auto" style={{ height }} tabIndex={0} aria-label={`${title}, as a table`}>
      <table className="w-full text-12 tabular-nums">
        <thead>
          <tr className="text-ink-3 [&>th]:sticky [&>th]:top-0 [&>th]:bg-surface [&>th]:py-1.5 [&>th]:font-medium">
            <th scope="col" className="text-left">
              Period
            </th>
            {series.map(({ name }) => (
              <th key={name} scope="col" className="pl-3 text-right">
                {name}
              </th>
            ))}
            {showTotal && (
              <th scope="col" className="pl-3 text-right">
                Total
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {points.map((point, index) => (
            <tr key={point.title} className="[&>*]:border-t [&>*]:border-line [&>*]:py-1.5">
              <th scope="row" className="text-left font-normal">
                {point.title}
              </th>
              {series.map(({ name, values }) => (
                <td key={name} className="pl-3 text-right">
                  {formatNumber(values[index] ?? 0)}
                </td>
              ))}
              {showTotal && <td className="pl-3 text-right font-medium">{formatNumber(totalAt(series, index))}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** "Open risks by severity, 24 Aug to 16 Nov. Critical: from 5 to 4, peak 6." */
export function summary(title: string, points: readonly ChartPoint[], series: readonly ChartSeries[]): string {
  const [first, last] = [points[0], points.at(-1)]
  if (!first || !last || series.every(({ values }) => values.every((value) => value === 0))) {
    return `${title}: no data in this period.`
  }
  const sentences = series.map(({ name, values }) => {
    const highest = formatNumber(Math.max(...values))
    return `${name}: from ${formatNumber(values[0] ?? 0)} to ${formatNumber(values.at(-1) ?? 0)}, peak ${highest}.`
  })
  return `${title}, ${first.label} to ${last.label}. ${sentences.join(' ')}`
}
