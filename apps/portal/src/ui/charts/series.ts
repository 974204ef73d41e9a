/** From the API's series to the points of a chart: one per day, week or month of the period. */
import type { StatsPeriod } from '@glacis/contract/insights'

export interface ChartPoint {
  /** On the axis: "12 Oct". */
  readonly label: string
  /** In the tooltip and the table: "Week of 12 Oct". */
  readonly title: string
}

export interface Bucket extends ChartPoint {
  /** Positions of the timestamps that fall into it, oldest first. */
  readonly members: readonly number[]
}

type Grain = 'day' | 'week' | 'month'
const grains: Readonly<Record<StatsPeriod, Grain>> = {
  PERIOD_WEEK: 'day',
  PERIOD_MONTH: 'day',
  PERIOD_QUARTER: 'week',
  PERIOD_YEAR: 'month',
}

/**
 * Groups timestamps by the day, week (from Monday) or month of the period, in UTC as the
 * server counts them. A timestamp at midnight closes the day before it.
 */
export function bucketsOf(timestamps: readonly string[], period: StatsPeriod): Bucket[] {
  const grain = grains[period]
  const found = new Map<number, { start: Date; members: number[] }>()
  timestamps.forEach((timestamp, index) => {
    const start = startOf(grain, new Date(Date.parse(timestamp) - 1))
    const bucket = found.get(start.getTime()) ?? { start, members: [] }
    bucket.members.push(index)
    found.set(start.getTime(), bucket)
  })
  return [...found.values()].map(({ start, members }) => ({ ...wordsFor(grain, start), members }))
}

/** The level at the end of each bucket: for figures that say how things stand. */
export function levels(buckets: readonly Bucket[], values: readonly number[]): number[] {
  return buckets.map(({ members }) => values[members.at(-1) ?? -1] ?? 0)
}

/** What came together in each bucket: for figures that count events. */
export function sums(buckets: readonly Bucket[], values: readonly number[]): number[] {
  return buckets.map(({ members }) => members.reduce((sum, index) => sum + (values[index] ?? 0), 0))
}

function startOf(grain: Grain, time: Date): Date {
  const day = new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth(), time.getUTCDate()))
  if (grain === 'month') day.setUTCDate(1)
  if (grain === 'week') day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7))
  return day
}

const format = (parts: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat('en-CH', { ...parts, timeZone: 'UTC' })
const dayAndMonth = format({ day: 'numeric', month: 'short' })
const monthAlone = format({ month: 'short' })
const monthAndYear = format({ month: 'long', year: 'numeric' })
const weekdayAndDay = format({ weekday: 'short', day: 'numeric', month: 'short' })

function wordsFor(grain: Grain, start: Date): ChartPoint {
  if (grain === 'month') return { label: monthAlone.format(start), title: monthAndYear.format(start) }
  const label = dayAndMonth.format(start)
  return { label, title: grain === 'week' ? `Week of ${label}` : weekdayAndDay.format(start) }
}
