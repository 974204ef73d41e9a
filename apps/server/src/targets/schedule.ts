import type { AllowedHours, SchedulePeriod } from '@glacis/contract/target'

/** The settings that determine when a target is scanned. */
export interface Schedule {
  readonly period: SchedulePeriod
  /** Null: at any time. */
  readonly allowedHours: AllowedHours | null
}

const minutesOfDay = 24 * 60

/**
 * The next scheduled scan: a day, a week, or a month after `from`, at a minute of the day derived
 * from the target's ID. This spreads targets created together over the day, or over their allowed
 * hours, and each keeps its minute. At least half a day passes in between.
 *
 * @param from start of the previous scan, or creation time of the target
 */
export function nextScanAt({ period, allowedHours }: Schedule, targetId: string, from: Date): Date {
  const zone = allowedHours?.timeZone ?? 'UTC'
  const since = zoned(from, zone)
  const offsetOf = Number.parseInt(targetId.slice(-6), 16) / 0x1_00_00_00
  const [start, length] = allowedHours ? [minuteOf(allowedHours.start), lengthOf(allowedHours)] : [0, minutesOfDay]
  const minute = start + Math.floor(offsetOf * length)
  const halfDayLater = since.add({ hours: 12 })
  let day = allowedDayNear(allowedHours, since.toPlainDate().add(steps[period]))
  while (!isDayOf(allowedHours, day) || isBefore(at(day, minute, zone), halfDayLater)) day = day.add({ days: 1 })
  return dateOf(at(day, minute, zone))
}

/** The day itself or the nearest allowed day, so that a week stays about a week. */
function allowedDayNear(hours: AllowedHours | null, ideal: Temporal.PlainDate): Temporal.PlainDate {
  const nearest = [0, -1, 1, -2, 2, -3, 3].map((days) => ideal.add({ days }))
  return nearest.find((day) => isDayOf(hours, day)) ?? ideal
}

const steps: Readonly<Record<SchedulePeriod, Temporal.DurationLike>> = {
  PERIOD_DAILY: { days: 1 },
  PERIOD_WEEKLY: { weeks: 1 },
  PERIOD_MONTHLY: { months: 1 },
}

/**
 * When a scan can run: null for now, otherwise the next start of the allowed hours. Hours that end
 * at their start time cover the whole day.
 */
export function nextOpening(hours: AllowedHours | null, now: Date): Date | null {
  if (!hours) return null
  const localNow = zoned(now, hours.timeZone)
  // Hours that started yesterday may not have ended.
  for (let ahead = -1; ahead <= 7; ahead++) {
    const day = localNow.toPlainDate().add({ days: ahead })
    if (!isDayOf(hours, day)) continue
    const start = at(day, minuteOf(hours.start), hours.timeZone)
    const end = endOf(hours, day, start)
    if (isBefore(localNow, start)) return dateOf(start)
    if (isBefore(localNow, end)) return null
  }
  throw new Error('allowed hours need at least one day of the week')
}

/** The end of a day's allowed hours. If the clock is set forward, they keep their duration. */
function endOf(hours: AllowedHours, day: Temporal.PlainDate, start: Temporal.ZonedDateTime): Temporal.ZonedDateTime {
  const end = at(day, minuteOf(hours.start) + lengthOf(hours), hours.timeZone)
  return isBefore(start, end) ? end : start.add({ minutes: lengthOf(hours) })
}

/** `22:00–06:00 Europe/Zurich, Mon, Tue`: the hours for display. */
export function formatHours({ start, end, days, timeZone }: AllowedHours): string {
  const names = days?.map((day) => weekdays[day - 1]).join(', ')
  return `${start}–${end} ${timeZone}${names ? `, ${names}` : ''}`
}

const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const

/**
 * A time of day in minutes since midnight; beyond 24 h it is on the next day. A time skipped by a
 * clock change becomes the moment of the change.
 */
function at(day: Temporal.PlainDate, minute: number, timeZone: string): Temporal.ZonedDateTime {
  const [hour, rest] = [Math.floor((minute % minutesOfDay) / 60), minute % 60]
  const wallTime = day.add({ days: Math.floor(minute / minutesOfDay) }).toPlainDateTime({ hour, minute: rest })
  const moment = wallTime.toZonedDateTime(timeZone)
  if (moment.toPlainDateTime().equals(wallTime)) return moment
  return wallTime.toZonedDateTime(timeZone, { disambiguation: 'earlier' }).getTimeZoneTransition('next') ?? moment
}

function minuteOf(time: string): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  return hour * 60 + minute
}

function lengthOf({ start, end }: AllowedHours): number {
  const length = minuteOf(end) - minuteOf(start)
  return length > 0 ? length : length + minutesOfDay
}

function isDayOf(hours: AllowedHours | null, day: Temporal.PlainDate): boolean {
  return hours?.days?.includes(day.dayOfWeek) ?? true
}

function isBefore(item: Temporal.ZonedDateTime, other: Temporal.ZonedDateTime): boolean {
  return Temporal.ZonedDateTime.compare(item, other) < 0
}

function zoned(moment: Date, timeZone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(moment.getTime()).toZonedDateTimeISO(timeZone)
}

function dateOf(moment: Temporal.ZonedDateTime): Date {
  return new Date(moment.epochMilliseconds)
}
