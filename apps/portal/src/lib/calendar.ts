/** Days in words, as `Intl` writes them in en-CH; `format.ts` says why not by it. */

export interface Day {
  readonly year: number
  /** 0 is January. */
  readonly month: number
  readonly day: number
  /** 0 is Sunday. */
  readonly weekday: number
}

const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const
const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const

/** The day that it is then where the reader is. */
export function localDay(time: Date): Day {
  return { year: time.getFullYear(), month: time.getMonth(), day: time.getDate(), weekday: time.getDay() }
}

/** The day that it is then in UTC. */
export function utcDay(time: Date): Day {
  return { year: time.getUTCFullYear(), month: time.getUTCMonth(), day: time.getUTCDate(), weekday: time.getUTCDay() }
}

/** `Nov`; September alone has four letters. */
export function shortMonth({ month }: Day): string {
  return months[month]?.slice(0, month === 8 ? 4 : 3) ?? ''
}

/** `November 2026` */
export function monthAndYear({ month, year }: Day): string {
  return `${months[month]} ${year}`
}

/** `20 Nov` */
export function dayAndMonth(day: Day): string {
  return `${day.day} ${shortMonth(day)}`
}

/** `20 Nov 2026` */
export function dayMonthYear(day: Day): string {
  return `${dayAndMonth(day)} ${day.year}`
}

/** `Fri, 20 Nov` */
export function weekdayAndDay(day: Day): string {
  return `${weekdays[day.weekday]}, ${dayAndMonth(day)}`
}
