/** Formats numbers, money, and times with `Intl` in the locale en-CH. */
import { once } from '#lib/once.ts'

/** Of all numbers, dates, and sorted names. */
export const locale = 'en-CH'
const numbers = once(() => new Intl.NumberFormat(locale))
const percents = once(() => new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 }))
const wholePercents = once(() => new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 }))
const scores = once(() => new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 }))
const money = once(() => new Intl.NumberFormat(locale, { style: 'currency', currency: 'CHF' }))
const roundMoney = once(
  () => new Intl.NumberFormat(locale, { style: 'currency', currency: 'CHF', maximumFractionDigits: 0 }),
)
const milliseconds = once(
  () => new Intl.NumberFormat(locale, { style: 'unit', unit: 'millisecond', maximumFractionDigits: 0 }),
)
const megabytes = once(
  () => new Intl.NumberFormat(locale, { style: 'unit', unit: 'megabyte', maximumFractionDigits: 0 }),
)
const gigabytes = once(
  () => new Intl.NumberFormat(locale, { style: 'unit', unit: 'gigabyte', maximumFractionDigits: 1 }),
)
const dates = once(() => new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year: 'numeric' }))
const toTheMinute = {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
} as const
const dateTimes = once(() => new Intl.DateTimeFormat(locale, toTheMinute))
const dateTimesToTheSecond = once(() => new Intl.DateTimeFormat(locale, { ...toTheMinute, second: '2-digit' }))
const relative = once(() => new Intl.RelativeTimeFormat(locale, { numeric: 'always' }))
const relativeDay = once(() => new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }))

/** An API timestamp, epoch milliseconds, or a date. */
export type Moment = string | number | Date

/** `1'234` */
export function formatNumber(value: number): string {
  // Most counts need no separator, and so no formatter.
  return Number.isInteger(value) && value >= 0 && value < 1000 ? String(value) : numbers().format(value)
}

/** A count for a narrow space: `999+` above 999. */
export function formatCount(value: number): string {
  return value > 999 ? '999+' : numbers().format(value)
}

/** `412 MB` */
export function formatBytes(bytes: number): string {
  return bytes < 1e9 ? megabytes().format(bytes / 1e6) : gigabytes().format(bytes / 1e9)
}

/** `0.942` → `94.2%` */
export function formatPercent(share: number): string {
  return percents().format(share)
}

/** `0.167` → `17%` */
export function formatWholePercent(share: number): string {
  return wholePercents().format(share)
}

/** `9.8`, always with one decimal. */
export function formatScore(score: number): string {
  return scores().format(score)
}

/** Swiss francs; only 0 is written without decimals. */
export function formatCurrency(amount: number): string {
  return amount === 0 ? roundMoney().format(0) : money().format(amount)
}

/** `20 Nov 2026` */
export function formatDate(moment: Moment): string {
  return dates().format(new Date(moment))
}

/** `20 Nov 2026, 22:42` */
export function formatDateTime(moment: Moment): string {
  return dateTimes().format(new Date(moment))
}

/** `20 Nov 2026, 22:42:07`, for logs. */
export function formatDateTimeSeconds(moment: Moment): string {
  return dateTimesToTheSecond().format(new Date(moment))
}

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour
/** Mean Gregorian year; a month is its twelfth. */
const year = 365.2425 * day
const month = year / 12

/**
 * Relative time: milliseconds under a second, seconds under a minute, minutes, hours, days under a week, weeks under
 * 30 days, months under a year, then years. At a boundary, the larger unit is used. Only days use words ("yesterday").
 */
export function formatRelativeTime(moment: Moment, now: Moment = Date.now()): string {
  const difference = new Date(moment).getTime() - new Date(now).getTime()
  const distance = Math.abs(difference)
  const signed = (unitMs: number) => Math.sign(difference) * Math.max(1, Math.floor(distance / unitMs))
  if (distance < second) return relativeMilliseconds(difference)
  if (distance < minute) return relative().format(signed(second), 'second')
  if (distance < hour) return relative().format(signed(minute), 'minute')
  if (distance < day) return relative().format(signed(hour), 'hour')
  if (distance < 7 * day) return relativeDay().format(signed(day), 'day')
  if (distance < 30 * day) return relative().format(signed(7 * day), 'week')
  if (distance < year) return relative().format(signed(month), 'month')
  return relative().format(signed(year), 'year')
}

/**
 * Relative time of a past event. The page's clock ticks every 15 seconds and may lag, so a slightly future time is
 * shown as "just now".
 */
export function formatSince(moment: Moment, now: Moment = Date.now()): string {
  return new Date(moment) > new Date(now) ? 'just now' : formatRelativeTime(moment, now)
}

const agesMs = [
  [year, 'year'],
  [month, 'month'],
  [7 * day, 'week'],
  [day, 'day'],
  [hour, 'hour'],
  [minute, 'minute'],
] as const

/** "12 hours", "1 day": elapsed time in its largest unit. */
export function formatAge(since: Moment, now: Moment = Date.now()): string {
  const age = new Date(now).getTime() - new Date(since).getTime()
  const [unitMs, unit] = agesMs.find(([size]) => age >= size) ?? []
  if (!unitMs || !unit) return 'under a minute'
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(Math.floor(age / unitMs))
}

/** `Intl.RelativeTimeFormat` has no unit below the second. */
function relativeMilliseconds(difference: number): string {
  const amount = milliseconds().format(Math.abs(difference))
  return difference > 0 ? `in ${amount}` : `${amount} ago`
}

const days = once(() => new Intl.NumberFormat(locale, { style: 'unit', unit: 'day', unitDisplay: 'long' }))
const written: readonly (readonly [unitMs: number, write: (amount: number) => string])[] = [
  [day, (amount) => days().format(amount)],
  [hour, (amount) => `${numbers().format(amount)} h`],
  [minute, (amount) => `${numbers().format(amount)} min`],
  [second, (amount) => `${numbers().format(amount)} s`],
]

/**
 * `3725000` → `1 h 2 min`: the two largest nonzero units. Uses SI symbols, which have no plural; `Intl` would write
 * "secs" in this locale.
 */
export function formatDuration(durationMs: number): string {
  if (durationMs < second) return milliseconds().format(Math.max(0, durationMs))
  const first = written.findIndex(([unitMs]) => durationMs >= unitMs)
  const parts = written.slice(first, first + 2).map(([unitMs, write], index) => {
    const over = index === 0 ? durationMs : durationMs % (written[first]?.[0] ?? durationMs)
    const amount = Math.floor(over / unitMs)
    return amount > 0 ? write(amount) : ''
  })
  return parts.filter(Boolean).join(' ')
}
