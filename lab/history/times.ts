/** Times of the events in the demo's history. */
import { randomBytes } from 'node:crypto'

/** A week longer than the quarter that charts can show. */
export const days = 98
export const dayMs = 86_400_000

/** Scheduled scans run at night. */
export function scanTime(now: Date, daysAgo: number): Date {
  const night = new Date(now.getTime() - daysAgo * dayMs)
  night.setUTCHours(2, 10, 0, 0)
  return night
}

/** Users make decisions during the day. */
export function workingTime(now: Date, daysAgo: number): Date {
  return new Date(scanTime(now, daysAgo).getTime() + (6 + fraction(daysAgo) * 8) * 3_600_000)
}

/** The n-th number of an evenly distributed sequence from 0 to 1 (golden ratio). */
export function fraction(number: number): number {
  return (number * 0.618_033_988_75) % 1
}

/** A UUIDv7, because lists are sorted by ID. */
export function idAt(time: Date): string {
  const bytes = randomBytes(16)
  bytes.writeUIntBE(time.getTime(), 0, 6)
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f)
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** How many days ago the n-th issue was found: many by the first scans, the others over time. */
export function foundDaysAgo(number: number): number {
  return number % 5 < 2 ? days - 1 - (number % 6) : Math.round(8 + fraction(number) * (days - 14))
}
