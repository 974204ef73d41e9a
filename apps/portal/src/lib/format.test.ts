import { describe, expect, it } from 'vitest'
import { dayAndMonth, monthAndYear, shortMonth, utcDay, weekdayAndDay } from '#lib/calendar.ts'
import {
  formatAge,
  formatCount,
  formatCurrency,
  formatDate,
  formatDateTime,
  formatDuration,
  formatNumber,
  formatPercent,
  formatRelativeTime,
  formatScore,
  formatSince,
  formatWholePercent,
} from '#lib/format.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

describe('relative time', () => {
  it.each([
    [0, '0 ms ago'],
    [999, '999 ms ago'],
    [second, '1 second ago'],
    [minute - 1, '59 seconds ago'],
    [minute, '1 minute ago'],
    [hour - 1, '59 minutes ago'],
    [hour, '1 hour ago'],
    [day - 1, '23 hours ago'],
    [day, 'yesterday'],
    [7 * day - 1, '6 days ago'],
    [7 * day, '1 week ago'],
    [30 * day - 1, '4 weeks ago'],
    [30 * day, '1 month ago'],
    [365 * day, '11 months ago'],
    [366 * day, '1 year ago'],
    [3 * 366 * day, '3 years ago'],
  ])('%i ms back is %s', (distance, words) => {
    expect(formatRelativeTime(now - distance, now)).toBe(words)
  })

  it.each([
    [500, 'in 500 ms'],
    [5 * second, 'in 5 seconds'],
    [day, 'tomorrow'],
    [8 * day, 'in 1 week'],
  ])('%i ms ahead is %s', (distance, words) => {
    expect(formatRelativeTime(now + distance, now)).toBe(words)
  })

  it('takes what the page’s clock has not reached yet for just now', () => {
    expect(formatSince(now + 3 * second, now)).toBe('just now')
    expect(formatSince(now - 3 * second, now)).toBe('3 seconds ago')
  })

  it.each([
    [24 * second, 'under a minute'],
    [12 * hour, '12 hours'],
    [day, '1 day'],
    [8 * day, '1 week'],
    [400 * day, '1 year'],
  ])('an age of %i ms is %s', (distance, words) => {
    expect(formatAge(now - distance, now)).toBe(words)
  })

  it('reads the times of the API', () => {
    expect(formatRelativeTime('2026-11-21T11:18:00Z', now)).toBe('42 minutes ago')
  })
})

describe('numbers and dates of Switzerland', () => {
  it('groups with an apostrophe', () => {
    expect(formatNumber(1_234_567)).toMatch(/^1['’]234['’]567$/)
  })

  it('writes francs, and only nothing without decimals', () => {
    expect(formatCurrency(1890).replaceAll('’', "'")).toBe("CHF\u00A01'890.00")
    expect(formatCurrency(0)).toBe('CHF\u00A00')
  })

  it('caps a count for a small place', () => {
    expect([formatCount(0), formatCount(999), formatCount(1000)]).toEqual(['0', '999', '999+'])
  })

  it('writes shares with at most one decimal', () => {
    expect([formatPercent(0.942), formatPercent(0.5)]).toEqual(['94.2%', '50%'])
  })

  it('writes day, short month and year, and 24 hours', () => {
    const noon = new Date(2026, 10, 20, 22, 42)
    expect(formatDate(noon)).toBe('20 Nov 2026')
    expect(formatDateTime(noon)).toBe('20 Nov 2026, 22:42')
  })

  it('writes the two largest units of a duration', () => {
    expect([formatDuration(38), formatDuration(3_725_000), formatDuration(45_000), formatDuration(2 * day)]).toEqual([
      '38 ms',
      '1 h 2 min',
      '45 s',
      '2 days',
    ])
  })
})

/** What is written by hand is what `Intl` writes, whichever apostrophe its data of this year has. */
describe('words as Intl has them in en-CH', () => {
  const straight = (words: string) => words.replaceAll('’', "'")
  const days = Array.from({ length: 800 }, (_, index) => new Date(2023, 11, 25 + index, index % 24, (index * 7) % 60))
  const same = <Value>(values: readonly Value[], ours: (value: Value) => string, theirs: (value: Value) => string) =>
    expect(values.map((value) => straight(ours(value)))).toEqual(values.map((value) => straight(theirs(value))))

  it('numbers', () => {
    const { format } = new Intl.NumberFormat('en-CH')
    const whole = [0, 1, 9, 10, 99, 100, 999, 1000, 9999, 10_000, 123_456, 1_234_567, 12_345_678_901]
    same([...whole, ...whole.slice(1).map((value) => -value), 0.5, 1234.5678], formatNumber, format)
  })

  it('shares and scores', () => {
    const shares = Array.from({ length: 2001 }, (_, index) => index / 2000)
    const percent = (maximumFractionDigits: number) =>
      new Intl.NumberFormat('en-CH', { style: 'percent', maximumFractionDigits }).format
    same([...shares, 0.00042, 0.97435], formatPercent, percent(1))
    same(shares, formatWholePercent, percent(0))
    const scores = Array.from({ length: 101 }, (_, index) => index / 10)
    const one = new Intl.NumberFormat('en-CH', { minimumFractionDigits: 1, maximumFractionDigits: 1 })
    same(scores, formatScore, one.format)
  })

  it('dates and times', () => {
    const date = { day: 'numeric', month: 'short', year: 'numeric' } as const
    const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
    same(days, formatDate, new Intl.DateTimeFormat('en-CH', date).format)
    same(days, formatDateTime, new Intl.DateTimeFormat('en-CH', { ...date, ...time }).format)
  })

  it('days of charts, in UTC', () => {
    const inUtc = (parts: Intl.DateTimeFormatOptions) =>
      new Intl.DateTimeFormat('en-CH', { ...parts, timeZone: 'UTC' }).format
    const day = { day: 'numeric', month: 'short' } as const
    same(days, (time) => shortMonth(utcDay(time)), inUtc({ month: 'short' }))
    same(days, (time) => monthAndYear(utcDay(time)), inUtc({ month: 'long', year: 'numeric' }))
    same(days, (time) => dayAndMonth(utcDay(time)), inUtc(day))
    same(days, (time) => weekdayAndDay(utcDay(time)), inUtc({ ...day, weekday: 'short' }))
  })

  it('distances in time', () => {
    const relative = new Intl.RelativeTimeFormat('en-CH', { numeric: 'auto' })
    const distances = [-6, -5, -2, -1, 1, 2, 6]
    same(
      distances,
      (away) => formatRelativeTime(now + away * day, now),
      (away) => relative.format(away, 'day'),
    )
    const exact = new Intl.RelativeTimeFormat('en-CH', { numeric: 'always' })
    const minutes = (away: number) => exact.format(away, 'minute')
    same(distances, (away) => formatRelativeTime(now + away * minute, now), minutes)
    const ages = new Intl.NumberFormat('en-CH', { style: 'unit', unit: 'hour', unitDisplay: 'long' })
    same([1, 2, 23], (hours) => formatAge(now - hours * hour, now), ages.format)
    same([0, 1, 38, 999], formatDuration, new Intl.NumberFormat('en-CH', { style: 'unit', unit: 'millisecond' }).format)
  })
})
