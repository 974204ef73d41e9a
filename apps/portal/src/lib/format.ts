/**
 * Numbers, money and times as the product writes them: as `Intl` does in en-CH, which the tests hold it to.
 *
 * What every page begins with is written by hand: the first number or date that `Intl` writes has a browser look through
 * the data of all languages, which takes a phone a fifth of a second, and the page stands still meanwhile.
 */
import { dayMonthYear, localDay } from '#lib/calendar.ts'
import { late } from '#lib/late.ts'

const locale = 'en-CH'
const fractions = late(() => new Intl.NumberFormat(locale))
const money = late(() => new Intl.NumberFormat(locale, { style: 'currency', currency: 'CHF' }))
const roundMoney = late(
  () => new Intl.NumberFormat(locale, { style: 'currency', currency: 'CHF', maximumFractionDigits: 0 }),
)

/** A moment as the API writes it, as epoch milliseconds, or as a date. */
export type Moment = string | number | Date

/** `1'234` */
export function formatNumber(value: number): string {
  if (!Number.isSafeInteger(value)) return fractions.format(value)
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, "'")
}

/** A count for a small place: `999+` above 999. */
export function formatCount(value: number): string {
  return value > 999 ? '999+' : formatNumber(value)
}

/** `0.942` → `94.2%` */
export function formatPercent(share: number): string {
  return `${rounded(share * 1000) / 10}%`
}

/** `0.167` → `17%` */
export function formatWholePercent(share: number): string {
  return `${rounded(share * 100)}%`
}

/** `9.8`, with its decimal always: a score of at most ten, in tenths. */
export function formatScore(score: number): string {
  return score.toFixed(1)
}

/** Half goes up, as in the number that was written: 1.005 × 100 is a little less in the machine. */
function rounded(value: number): number {
  return Math.round(Number(value.toPrecision(12)))
}

/** Swiss francs; only 0 is written without decimals. */
export function formatCurrency(amount: number): string {
  return amount === 0 ? roundMoney.format(0) : money.format(amount)
}

/** `20 Nov 2026` */
export function formatDate(moment: Moment): string {
  return dayMonthYear(localDay(new Date(moment)))
}

/** `20 Nov 2026, 22:42` */
export function formatDateTime(moment: Moment): string {
  const time = new Date(moment)
  const [hours, minutes] = [time.getHours(), time.getMinutes()].map((part) => String(part).padStart(2, '0'))
  return `${dayMonthYear(localDay(time))}, ${hours}:${minutes}`
}

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour
/** Mean Gregorian year; a month is its twelfth. */
const year = 365.2425 * day
const month = year / 12

/**
 * How long ago, or how soon, a moment is: milliseconds under a second, seconds under a minute,
 * minutes, hours, days under a week, weeks under 30 days, months under a year, then years.
 * At a boundary the larger unit holds. Only days use words ("yesterday").
 */
export function formatRelativeTime(moment: Moment, now: Moment = Date.now()): string {
  const difference = new Date(moment).getTime() - new Date(now).getTime()
  const distance = Math.abs(difference)
  const isAhead = difference > 0
  const many = (unitMs: number, unit: string) =>
    fromNow(counted(Math.max(1, Math.floor(distance / unitMs)), unit), isAhead)
  if (distance < second) return fromNow(`${Math.round(distance)} ms`, isAhead)
  if (distance < minute) return many(second, 'second')
  if (distance < hour) return many(minute, 'minute')
  if (distance < day) return many(hour, 'hour')
  if (distance < 2 * day) return isAhead ? 'tomorrow' : 'yesterday'
  if (distance < 7 * day) return many(day, 'day')
  if (distance < 30 * day) return many(7 * day, 'week')
  if (distance < year) return many(month, 'month')
  return many(year, 'year')
}

function fromNow(words: string, isAhead: boolean): string {
  return isAhead ? `in ${words}` : `${words} ago`
}

/** `1 day`, `12 days` */
function counted(amount: number, unit: string): string {
  return `${formatNumber(amount)} ${unit}${amount === 1 ? '' : 's'}`
}

/**
 * How long ago something was that has happened. The page's clock ticks every 15 seconds and may be a
 * little behind, so what seems to lie ahead was just now.
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

/** "12 hours", "1 day": how long something has lasted, in its largest unit; under a minute says so. */
export function formatAge(since: Moment, now: Moment = Date.now()): string {
  const age = new Date(now).getTime() - new Date(since).getTime()
  const [unitMs, unit] = agesMs.find(([size]) => age >= size) ?? []
  if (!unitMs || !unit) return 'under a minute'
  return counted(Math.floor(age / unitMs), unit)
}

const written: readonly (readonly [unitMs: number, write: (amount: number) => string])[] = [
  [day, (amount) => counted(amount, 'day')],
  [hour, (amount) => `${formatNumber(amount)} h`],
  [minute, (amount) => `${formatNumber(amount)} min`],
  [second, (amount) => `${formatNumber(amount)} s`],
]

/**
 * `3725000` → `1 h 2 min`; the two largest units that are not zero. The symbols are those of the SI,
 * which have no plural; `Intl` would write "secs" in this locale.
 */
export function formatDuration(durationMs: number): string {
  if (durationMs < second) return `${Math.round(Math.max(0, durationMs))} ms`
  const first = written.findIndex(([unitMs]) => durationMs >= unitMs)
  const parts = written.slice(first, first + 2).map(([unitMs, write], index) => {
    const over = index === 0 ? durationMs : durationMs % (written[first]?.[0] ?? durationMs)
    const amount = Math.floor(over / unitMs)
    return amount > 0 ? write(amount) : ''
  })
  return parts.filter(Boolean).join(' ')
}
