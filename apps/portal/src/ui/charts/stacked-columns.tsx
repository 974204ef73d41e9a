/** Column charts of levels by kind, or of event counts. */
import { stack } from 'd3-shape'
import { percent } from '#ui/charts/percent.ts'
import { type ChartSeries, Plot, totalAt } from '#ui/charts/plot.tsx'
import { countScale } from '#ui/charts/scale.ts'
import type { ChartPoint } from '#ui/charts/series.ts'

interface ColumnsProps {
  readonly label: string
  readonly points: readonly ChartPoint[]
  readonly height?: number
  readonly onOpen?: (index: number) => void
}

/** One column per point. The first series is at the base, so that its trend is readable. Segments are 1.5 px apart. */
export function StackedColumns({ series, ...props }: ColumnsProps & { readonly series: readonly ChartSeries[] }) {
  const totals = props.points.map((_, index) => totalAt(series, index))
  const scale = countScale(Math.max(0, ...totals))
  const layers = stack<number, number>()
    .keys(series.keys())
    .value((index, layer) => series[layer]?.values[index] ?? 0)([...props.points.keys()])
  return (
    <Plot
      {...props}
      height={props.height ?? 212}
      series={series}
      scale={scale}
      layout="slots"
      showTotal={series.length > 1}
    >
      <svg className="absolute inset-0 size-full overflow-visible" aria-hidden="true">
        {layers.map((layer) =>
          layer.map(([from, to], index) => {
            if (to <= from) return null
            return (
              <rect
                key={`${layer.key}-${props.points[index]?.title}`}
                fill={series[layer.key]?.color}
                rx={to === totals[index] ? 2 : 1}
                style={columnStyle(index, props.points.length, scale.share(from), scale.share(to))}
              />
            )
          }),
        )}
      </svg>
    </Plot>
  )
}

/** Columns of a single series. */
export function Columns({
  name,
  values,
  ...props
}: ColumnsProps & { readonly name: string; readonly values: readonly number[] }) {
  const series = [{ name, values, color: 'var(--gl-n7)' }]
  return <StackedColumns {...props} height={props.height ?? 130} series={series} />
}

const gapPx = 1.5
function columnStyle(index: number, total: number, from: number, to: number) {
  const slot = 100 / total
  const width = `min(18px, ${slot * 0.56}%)`
  return {
    width,
    x: `calc(${(index + 0.5) * slot}% - ${width} / 2)`,
    y: percent(1 - to),
    height: `max(calc(${percent(to - from)} - ${gapPx}px), 1px)`,
  }
}
