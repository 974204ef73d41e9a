/** Days as people write them here, `18.02.2027`, and as the web writes them, `2027-02-18`. */
import { formatDate } from '#lib/format.ts'

/** `2027-02-18` → `18.02.2027`; nothing for nothing. */
export function swissDay(day: string): string {
  return day.split('-').toReversed().join('.')
}

/** `18.2.2027` → `2027-02-18`; undefined for what is no day of the calendar. */
export function readSwissDay(text: string): string | undefined {
  const [, day = '', month = '', year = ''] = /^(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})$/.exec(text.trim()) ?? []
  const iso = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  const at = new Date(`${iso}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(iso) ? iso : undefined
}

/** `2027-02-18` → `18 Feb 2027`, the same day wherever the person is. */
export function dayInWords(day: string): string {
  return formatDate(`${day}T12:00`)
}

/** The day of a moment where the person is: `2027-02-18`. */
export function localDay(at: Date): string {
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 10)
}

/** That many days of the calendar from now, where the person is: a day on which clocks change has 23 hours or 25. */
export function dayFromNow(days: number, now = new Date()): string {
  const at = new Date(now)
  at.setDate(at.getDate() + days)
  return localDay(at)
}
