/** Groups an API series into chart points: one per day, week, or month. */
import type { StatsPeriod } from '@glacis/contract/insights'
import { locale } from '#lib/format.ts'
import { once } from '#lib/once.ts'

export interface ChartPoint {
  /** Axis label: "12 Oct", or "Nov 2025". */
  readonly label: string
  /** Label in tooltip and table: "Week of 12 Oct". */
  readonly title: string
}

export interface Bucket extends ChartPoint {
  /** Indexes of the timestamps in this bucket, oldest first. */
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
 * Groups timestamps by the period's day, week (from Monday), or month, in UTC like the server. A timestamp at midnight
 * belongs to the previous day. Timestamps already spaced that far apart stay separate and are labeled by their end
 * day.
 */
export function bucketsOf(timestamps: readonly string[], period: StatsPeriod): Bucket[] {
  const grain = grains[period]
  const times = timestamps.map((timestamp) => Date.parse(timestamp) - 1)
  if (grain !== 'day' && spacingMs(times) > grainMs[grain] * 0.9) {
    return times.map((time, index) => ({ ...labelsForEnd(grain, new Date(time)), members: [index] }))
  }
  const groups = new Map<number, { start: Date; members: number[] }>()
  times.forEach((time, index) => {
    const start = startOf(grain, new Date(time))
    const bucket = groups.get(start.getTime()) ?? { start, members: [] }
    bucket.members.push(index)
    groups.set(start.getTime(), bucket)
  })
  return [...groups.values()].map(({ start, members }, index) => {
    const labels = labelsFor(grain, start, index === 0)
    // The current week ends today, not on the Monday before.
    const end = grain === 'week' && index === groups.size - 1 ? times.at(-1) : undefined
    return { ...labels, ...(end !== undefined && { label: dayAndMonth().format(end) }), members }
  })
}

/** The last value in each bucket, for levels. */
export function levels(buckets: readonly Bucket[], values: readonly number[]): number[] {
  return buckets.map(({ members }) => values[members.at(-1) ?? -1] ?? 0)
}

/** The sum of each bucket, for event counts. */
export function sums(buckets: readonly Bucket[], values: readonly number[]): number[] {
  return buckets.map(({ members }) => members.reduce((sum, index) => sum + (values[index] ?? 0), 0))
}

const dayMs = 86_400_000
const grainMs = { week: 7 * dayMs, month: 30 * dayMs } as const

/** Spacing of the first two timestamps; the last one is now and may come early. */
function spacingMs([first = 0, second = first]: readonly number[]): number {
  return second - first
}

function startOf(grain: Grain, time: Date): Date {
  const day = new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth(), time.getUTCDate()))
  if (grain === 'month') day.setUTCDate(1)
  if (grain === 'week') day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7))
  return day
}

const format = (parts: Intl.DateTimeFormatOptions) =>
  once(() => new Intl.DateTimeFormat(locale, { ...parts, timeZone: 'UTC' }))
const dayAndMonth = format({ day: 'numeric', month: 'short' })
const monthAlone = format({ month: 'short' })
const shortMonthAndYear = format({ month: 'short', year: 'numeric' })
const monthAndYear = format({ month: 'long', year: 'numeric' })
const dayMonthYear = format({ day: 'numeric', month: 'short', year: 'numeric' })
const weekdayAndDay = format({ weekday: 'short', day: 'numeric', month: 'short' })

/** The first month and each January show the year: a year of months has the same month at both ends. */
function labelsFor(grain: Grain, start: Date, isFirst: boolean): ChartPoint {
  if (grain === 'month') {
    const showsYear = isFirst || start.getUTCMonth() === 0
    return { label: (showsYear ? shortMonthAndYear : monthAlone)().format(start), title: monthAndYear().format(start) }
  }
  const label = dayAndMonth().format(start)
  return { label, title: grain === 'week' ? `Week of ${label}` : weekdayAndDay().format(start) }
}

function labelsForEnd(grain: 'week' | 'month', end: Date): ChartPoint {
  const label = dayAndMonth().format(end)
  return { label, title: grain === 'week' ? `Week to ${label}` : `30 days to ${dayMonthYear().format(end)}` }
}
