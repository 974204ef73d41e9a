/** Line and area charts of counts over time. */
import { area, line } from 'd3-shape'
import type { ReactNode } from 'react'
import { formatNumber } from '#lib/format.ts'
import { type ChartSeries, positionOf, Plot } from '#ui/charts/plot.tsx'
import { type CountScale, countScale, spreadLabels } from '#ui/charts/scale.ts'
import type { ChartPoint } from '#ui/charts/series.ts'

export interface LineSeries extends ChartSeries {
  /** Distinguishes lines without relying on color. */
  readonly stroke: 'solid' | 'dotted' | 'dashed'
}

interface LinesProps {
  readonly label: string
  readonly points: readonly ChartPoint[]
  readonly height?: number
  readonly onOpen?: (index: number) => void
}

const dashes = { solid: undefined, dotted: '0.5 4', dashed: '5 4' } as const

/** One line per series, labeled at its end with the last value. */
export function Lines({ series, height = 130, ...props }: LinesProps & { readonly series: readonly LineSeries[] }) {
  const scale = countScale(Math.max(0, ...series.flatMap(({ values }) => values)))
  return (
    <Plot {...props} height={height} series={series} scale={scale} layout="edges" endRoom={112} labelsMax={2}>
      <Canvas>
        {series.map(({ name, color, stroke, values }) => (
          <Stroke key={name} color={color} dash={dashes[stroke]} d={pathOf(values, scale)} />
        ))}
      </Canvas>
      <EndLabels series={series} scale={scale} height={height} />
    </Plot>
  )
}

interface AreaProps extends LinesProps {
  readonly name: string
  readonly color: string
  readonly values: readonly number[]
  /** The total that the last value is part of: "of 412". */
  readonly of?: string
}

/** A single line with a shaded area below. */
export function Area({ name, color, values, of, height = 130, ...props }: AreaProps) {
  const scale = countScale(Math.max(0, ...values))
  const series = [{ name, color, values }]
  return (
    <Plot {...props} height={height} series={series} scale={scale} layout="edges" endRoom={72} labelsMax={2}>
      <Canvas>
        <path d={areaPathOf(values, scale)} fill={color} opacity={0.12} />
        <Stroke color={color} d={pathOf(values, scale)} />
      </Canvas>
      <EndLabel top={(1 - scale.share(values.at(-1) ?? 0)) * height} value={values.at(-1) ?? 0}>
        {of}
      </EndLabel>
    </Plot>
  )
}

function Canvas({ children }: { readonly children: ReactNode }) {
  return (
    <svg
      className="absolute inset-0 size-full overflow-visible"
      viewBox="0 0 100 100"
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {children}
    </svg>
  )
}

function Stroke({
  color,
  dash,
  d,
}: {
  readonly color: string
  readonly dash?: string | undefined
  readonly d: string
}) {
  return (
    <path
      d={d}
      fill="none"
      stroke={color}
      strokeWidth={1.75}
      strokeDasharray={dash}
      strokeLinecap="round"
      strokeLinejoin="round"
      vectorEffect="non-scaling-stroke"
    />
  )
}

/** Draws a single value as a horizontal line. */
function plottedValues(values: readonly number[]): number[] {
  return values.length === 1 ? [...values, ...values] : [...values]
}

function pathOf(values: readonly number[], scale: CountScale): string {
  const all = plottedValues(values)
  const path = line<number>()
    .x((_, index) => positionOf(index, all.length, 'edges') * 100)
    .y((value) => (1 - scale.share(value)) * 100)
  return path(all) ?? ''
}

function areaPathOf(values: readonly number[], scale: CountScale): string {
  const all = plottedValues(values)
  const path = area<number>()
    .x((_, index) => positionOf(index, all.length, 'edges') * 100)
    .y0(100)
    .y1((value) => (1 - scale.share(value)) * 100)
  return path(all) ?? ''
}

const labelHeightPx = 16
function EndLabels({
  series,
  scale,
  height,
}: {
  readonly series: readonly LineSeries[]
  readonly scale: CountScale
  readonly height: number
}) {
  const tops = spreadLabels(
    series.map(({ values }) => (1 - scale.share(values.at(-1) ?? 0)) * height),
    labelHeightPx,
    height,
  )
  return series.map(({ name, glyph, values }, index) => (
    <EndLabel key={name} top={tops[index] ?? 0} value={values.at(-1) ?? 0} glyph={glyph}>
      {name}
    </EndLabel>
  ))
}

interface EndLabelProps {
  readonly top: number
  readonly value: number
  readonly glyph?: ReactNode
  readonly children: ReactNode
}
function EndLabel({ top, value, glyph, children }: EndLabelProps) {
  return (
    <span
      aria-hidden="true"
      className="absolute left-full ml-2 inline-flex -translate-y-1/2 items-center gap-1.25 text-12 whitespace-nowrap text-ink-2 tabular-nums"
      style={{ top }}
    >
      {glyph}
      <b className="font-semibold text-ink">{formatNumber(value)}</b>
      {children}
    </span>
  )
}
