/** Shared by all charts: plot area, highlighted band, tooltip, and keyboard navigation. */
import { type CSSProperties, type MouseEvent, type ReactNode, useState } from 'react'
import { cx } from '#lib/cx.ts'
import { formatNumber } from '#lib/format.ts'
import { percent } from '#ui/charts/percent.ts'
import { type CountScale, labeledIndexes } from '#ui/charts/scale.ts'
import type { ChartPoint } from '#ui/charts/series.ts'

export interface ChartSeries {
  readonly name: string
  /** A CSS color from the design tokens. */
  readonly color: string
  /** One value per point. */
  readonly values: readonly number[]
  /** A shape that conveys the same as the color. */
  readonly glyph?: ReactNode
}

interface PlotProps {
  /** Accessible name. */
  readonly label: string
  readonly points: readonly ChartPoint[]
  readonly series: readonly ChartSeries[]
  readonly scale: CountScale
  /** Fixed height in pixels, so that the page doesn't shift. */
  readonly height: number
  /** `slots` centers each point in its own slot; `edges` spreads points from edge to edge. */
  readonly layout: 'slots' | 'edges'
  readonly showTotal?: boolean
  /** Pixels reserved on the right for end labels. */
  readonly endRoom?: number
  /** Maximum number of axis labels. */
  readonly labelsMax?: number
  /** Called with a point's index on click and Enter. */
  readonly onOpen?: ((index: number) => void) | undefined
  readonly children: ReactNode
}

/**
 * The plot area: grid, axes, a band that follows the pointer and arrow keys, and a tooltip with all values. `children`
 * are drawn into it.
 */
export function Plot({ label, points, series, scale, height, layout, endRoom = 0, ...rest }: PlotProps) {
  const { showTotal = false, labelsMax = 7, onOpen, children } = rest
  const [active, setActive] = useState<number>()
  const last = points.length - 1
  const pointAt = (event: MouseEvent<HTMLElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    return nearest((event.clientX - left) / width, points.length, layout)
  }
  const move = (event: MouseEvent<HTMLElement>) => setActive(pointAt(event))
  const press = (key: string) => {
    if (key === 'Escape') setActive(undefined)
    if (key === 'Enter') onOpen?.(active ?? last)
  }
  return (
    <div className="@container/plot" style={{ paddingRight: endRoom }}>
      <div
        className={cx(
          'relative ml-8 rounded-xs outline-offset-4 outline-focus has-focus-visible:outline-2',
          onOpen && 'cursor-pointer',
        )}
        style={{ height }}
        onPointerMove={move}
        onPointerDown={move}
        onPointerLeave={() => setActive(undefined)}
        onPointerUp={(event) => onOpen?.(pointAt(event))}
      >
        {/* The native slider supports arrow keys, Home, and End, and announces every step. */}
        <input
          type="range"
          className="pointer-events-none absolute inset-0 opacity-0"
          aria-label={`${label}, navigate points`}
          aria-valuetext={announcement(points, series, active ?? last, showTotal)}
          min={0}
          max={last}
          value={active ?? last}
          onChange={(event) => setActive(event.currentTarget.valueAsNumber)}
          onFocus={() => setActive((now) => now ?? last)}
          onBlur={() => setActive(undefined)}
          onKeyDown={(event) => press(event.key)}
        />
        {scale.ticks.map((tick) => (
          <GridLine key={tick} tick={tick} share={scale.share(tick)} />
        ))}
        {active !== undefined && <Band {...slotOf(active, points.length, layout)} />}
        {children}
        {active !== undefined && (
          <ChartTooltip points={points} series={series} index={active} layout={layout} showTotal={showTotal} />
        )}
      </div>
      <Axis points={points} layout={layout} labelsMax={labelsMax} />
    </div>
  )
}

/** Left edge and width of a point's slot, as shares of the plot width. */
function slotOf(index: number, total: number, layout: PlotProps['layout']) {
  if (layout === 'slots') return { left: index / total, width: 1 / total }
  const width = 1 / Math.max(1, total - 1)
  const left = Math.max(0, (index - 0.5) * width)
  return { left, width: Math.min(1, (index + 0.5) * width) - left }
}

/** Horizontal position of a point, 0 to 1. */
export function positionOf(index: number, total: number, layout: PlotProps['layout']): number {
  if (layout === 'slots') return (index + 0.5) / total
  return total <= 1 ? 1 : index / (total - 1)
}

function nearest(share: number, total: number, layout: PlotProps['layout']): number {
  const place = layout === 'slots' ? Math.floor(share * total) : Math.round(share * (total - 1))
  return Math.min(total - 1, Math.max(0, place))
}

function announcement(points: readonly ChartPoint[], series: readonly ChartSeries[], index: number, total: boolean) {
  const values = series.map(({ name, values: all }) => `${name} ${formatNumber(all[index] ?? 0)}`)
  if (total) values.push(`total ${formatNumber(totalAt(series, index))}`)
  return `${points[index]?.title ?? ''}: ${values.join(', ')}`
}

/** Sum of all series at one point. */
export function totalAt(series: readonly ChartSeries[], index: number): number {
  return series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0)
}

function GridLine({ tick, share }: { readonly tick: number; readonly share: number }) {
  const line = tick === 0 ? 'border-n7' : 'border-(--gl-chart-grid)'
  return (
    <div className={`absolute inset-x-0 border-t ${line}`} style={{ bottom: percent(share) }} aria-hidden="true">
      <span className="absolute right-full mr-2 -translate-y-1/2 text-12 whitespace-nowrap text-(--gl-chart-axis) tabular-nums">
        {formatNumber(tick)}
      </span>
    </div>
  )
}

function Band({ left, width }: { readonly left: number; readonly width: number }) {
  const style: CSSProperties = { left: percent(left), width: percent(width) }
  return <div className="absolute inset-y-0 bg-(--gl-chart-band)" style={style} aria-hidden="true" />
}

type TipProps = Pick<PlotProps, 'points' | 'series' | 'layout'> & {
  readonly index: number
  readonly showTotal: boolean
}
function ChartTooltip({ points, series, layout, index, showTotal }: TipProps) {
  const place = positionOf(index, points.length, layout)
  const side = place > 0.5 ? { right: percent(1 - place), marginRight: 14 } : { left: percent(place), marginLeft: 14 }
  return (
    <div
      aria-hidden="true"
      className="pointer-events-none absolute -top-1.5 z-(--gl-z-tooltip) rounded-lg bg-raised px-2.5 py-2 text-12 whitespace-nowrap shadow-menu"
      style={side}
    >
      <b className="font-semibold">{points[index]?.title}</b>
      <div className="mt-1 grid grid-cols-[auto_auto] gap-x-4.5 gap-y-0.5">
        {series.map(({ name, glyph, color, values }) => (
          <TooltipRow key={name} value={values[index] ?? 0}>
            {glyph ?? <i className="size-2.5 rounded-xs" style={{ background: color }} />}
            {name}
          </TooltipRow>
        ))}
        {showTotal && (
          <TooltipRow value={totalAt(series, index)}>
            <span className="text-ink-3">Total</span>
          </TooltipRow>
        )}
      </div>
    </div>
  )
}

function TooltipRow({ value, children }: { readonly value: number; readonly children: ReactNode }) {
  return (
    <>
      <span className="inline-flex items-center gap-1.5">{children}</span>
      <span className="text-right font-medium tabular-nums">{formatNumber(value)}</span>
    </>
  )
}

/** Renders labels for a wide and a narrow plot; CSS shows one set. */
function Axis({ points, layout, labelsMax }: Pick<PlotProps, 'points' | 'layout'> & { readonly labelsMax: number }) {
  const wide = labeledIndexes(points.length, labelsMax)
  const narrow = labeledIndexes(points.length, Math.min(labelsMax, 4))
  return (
    <div className="relative mt-1.5 ml-8 h-4 text-12 text-(--gl-chart-axis) tabular-nums" aria-hidden="true">
      {points.map(({ label, title }, index) => {
        const shown = `${wide.has(index) ? '' : 'hidden'} ${narrow.has(index) ? '@max-[420px]/plot:block' : '@max-[420px]/plot:hidden'}`
        return (
          <span
            key={title}
            className={`absolute whitespace-nowrap ${shown}`}
            style={axisStyle(index, points.length, layout)}
          >
            {label}
          </span>
        )
      })}
    </div>
  )
}

function axisStyle(index: number, total: number, layout: PlotProps['layout']): CSSProperties {
  const place = positionOf(index, total, layout)
  if (layout === 'edges' && index === total - 1) return { right: 0 }
  if (layout === 'edges' && index === 0) return { left: 0 }
  // Centered below its column, unless the label is wider and would extend beyond the plot.
  if (index === total - 1) return { right: 0, minWidth: percent(1 / total), textAlign: 'center' }
  return { left: percent(place), transform: 'translateX(-50%)' }
}
