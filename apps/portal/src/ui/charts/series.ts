/** From the API's series to the points of a chart: one per day, week or month of the period. */
import type { StatsPeriod } from '@glacis/contract/insights'
import { dayAndMonth, dayMonthYear, monthAndYear, shortMonth, utcDay, weekdayAndDay } from '#lib/calendar.ts'

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
 * Groups timestamps by the day, week (from Monday) or month of the period, in UTC as the server
 * counts them; a timestamp at midnight closes the day before it. Timestamps that are already as far
 * apart as that stay single and are named by the day on which they end.
 */
export function bucketsOf(timestamps: readonly string[], period: StatsPeriod): Bucket[] {
  const grain = grains[period]
  const times = timestamps.map((timestamp) => Date.parse(timestamp) - 1)
  if (grain !== 'day' && spacingMs(times) > lengthsMs[grain] * 0.9) {
    return times.map((time, index) => ({ ...wordsForEnd(grain, new Date(time)), members: [index] }))
  }
  const found = new Map<number, { start: Date; members: number[] }>()
  times.forEach((time, index) => {
    const start = startOf(grain, new Date(time))
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

const dayMs = 86_400_000
const lengthsMs = { week: 7 * dayMs, month: 30 * dayMs } as const

/** Between the first two: the last one is now and may come early. */
function spacingMs([first = 0, second = first]: readonly number[]): number {
  return second - first
}

function startOf(grain: Grain, time: Date): Date {
  const day = new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth(), time.getUTCDate()))
  if (grain === 'month') day.setUTCDate(1)
  if (grain === 'week') day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7))
  return day
}

function wordsFor(grain: Grain, start: Date): ChartPoint {
  const day = utcDay(start)
  if (grain === 'month') return { label: shortMonth(day), title: monthAndYear(day) }
  const label = dayAndMonth(day)
  return { label, title: grain === 'week' ? `Week of ${label}` : weekdayAndDay(day) }
}

function wordsForEnd(grain: 'week' | 'month', end: Date): ChartPoint {
  const day = utcDay(end)
  const label = dayAndMonth(day)
  return { label, title: grain === 'week' ? `Week to ${label}` : `30 days to ${dayMonthYear(day)}` }
}
