import { describe, expect, it } from 'vitest'
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
  formatSince,
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
  ])('%i ms back is %s', (distance, expected) => {
    expect(formatRelativeTime(now - distance, now)).toBe(expected)
  })

  it.each([
    [500, 'in 500 ms'],
    [5 * second, 'in 5 seconds'],
    [day, 'tomorrow'],
    [8 * day, 'in 1 week'],
  ])('%i ms ahead is %s', (distance, expected) => {
    expect(formatRelativeTime(now + distance, now)).toBe(expected)
  })

  it('shows a slightly future time as just now', () => {
    expect(formatSince(now + 3 * second, now)).toBe('just now')
    expect(formatSince(now - 3 * second, now)).toBe('3 seconds ago')
  })

  it.each([
    [24 * second, 'under a minute'],
    [12 * hour, '12 hours'],
    [day, '1 day'],
    [8 * day, '1 week'],
    [400 * day, '1 year'],
  ])('an age of %i ms is %s', (distance, expected) => {
    expect(formatAge(now - distance, now)).toBe(expected)
  })

  it('accepts API timestamps', () => {
    expect(formatRelativeTime('2026-11-21T11:18:00Z', now)).toBe('42 minutes ago')
  })
})

describe('Swiss numbers and dates', () => {
  it('groups digits with an apostrophe', () => {
    expect(formatNumber(1_234_567)).toMatch(/^1['’]234['’]567$/)
  })

  it('formats francs, with decimals unless zero', () => {
    expect(formatCurrency(1890).replaceAll('’', "'")).toBe("CHF\u00A01'890.00")
    expect(formatCurrency(0)).toBe('CHF\u00A00')
  })

  it('caps counts at 999+', () => {
    expect([formatCount(0), formatCount(999), formatCount(1000)]).toEqual(['0', '999', '999+'])
  })

  it('formats shares with at most one decimal', () => {
    expect([formatPercent(0.942), formatPercent(0.5)]).toEqual(['94.2%', '50%'])
  })

  it('formats dates and 24-hour times', () => {
    const noon = new Date(2026, 10, 20, 22, 42)
    expect(formatDate(noon)).toBe('20 Nov 2026')
    expect(formatDateTime(noon)).toBe('20 Nov 2026, 22:42')
  })

  it('formats the two largest units of a duration', () => {
    expect([formatDuration(38), formatDuration(3_725_000), formatDuration(45_000), formatDuration(2 * day)]).toEqual([
      '38 ms',
      '1 h 2 min',
      '45 s',
      '2 days',
    ])
  })
})
