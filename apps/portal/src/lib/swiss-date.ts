/** Converts days between Swiss format, `18.02.2027`, and ISO 8601, `2027-02-18`. */
import { formatDate } from '#lib/format.ts'

/** `2027-02-18` → `18.02.2027`; empty stays empty. */
export function formatSwissDate(day: string): string {
  return day.split('-').toReversed().join('.')
}

/** `18.2.2027` → `2027-02-18`; undefined if it isn't a valid date. */
export function parseSwissDate(text: string): string | undefined {
  const [, day = '', month = '', year = ''] = /^(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})$/.exec(text.trim()) ?? []
  const iso = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  const at = new Date(`${iso}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(iso) ? iso : undefined
}

/** `2027-02-18` → `18 Feb 2027`, independent of the time zone. */
export function formatDay(day: string): string {
  return formatDate(`${day}T12:00`)
}

/** The local calendar day: `2027-02-18`. */
export function localDay(at: Date): string {
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 10)
}

/** ISO time of the end of a local calendar day. */
export function endOfDay(day: string): string {
  return new Date(`${day}T23:59:59`).toISOString()
}

/**
 * The local calendar day that many days from now. Counts calendar days, because a day with a clock change has 23 or 25
 * hours.
 */
export function dayFromNow(days: number, now = new Date()): string {
  const at = new Date(now)
  at.setDate(at.getDate() + days)
  return localDay(at)
}
