import type { AllowedHours } from '@glacis/contract/target'
import { describe, expect, it } from 'vitest'
import { formatHours, nextScanAt, nextOpening } from '#targets/schedule.ts'

const night: AllowedHours = { start: '22:00', end: '06:00', timeZone: 'Europe/Zurich' }
const at = (text: string) => new Date(text)
/** Targets whose schedule offset is 0, one half, and almost 1 of the day. */
const ids = ['000000', '800000', 'ffffff'].map((end) => `0199a000-0000-7000-8000-000000${end}`)
const minuteMs = 60_000
const dayMs = 86_400_000

describe('the next scan', () => {
  it.each([
    ['PERIOD_DAILY', 1],
    ['PERIOD_WEEKLY', 7],
    ['PERIOD_MONTHLY', 31],
  ] as const)("with period %s is about %i days later, at the target's minute of the day", (period, days) => {
    for (const id of ids) {
      const first = nextScanAt({ period, allowedHours: null }, id, at('2026-10-05T10:30:00Z'))
      const second = nextScanAt({ period, allowedHours: null }, id, first)
      expect(Math.abs(first.getTime() - at('2026-10-05T10:30:00Z').getTime() - days * dayMs)).toBeLessThan(1.5 * dayMs)
      expect((second.getTime() - first.getTime()) % dayMs).toBe(0)
    }
    const minutes = ids.map((id) => nextScanAt({ period, allowedHours: null }, id, at('2026-10-05T10:30:00Z')))
    expect(new Set(minutes.map((item) => item.getTime() % dayMs)).size).toBe(ids.length)
  })

  it('is at least half a day after the previous scan', () => {
    for (let hour = 0; hour < 24; hour++) {
      const from = new Date(at('2026-10-05T00:59:00Z').getTime() + hour * 60 * minuteMs)
      for (const id of ids) {
        const next = nextScanAt({ period: 'PERIOD_DAILY', allowedHours: null }, id, from)
        expect(next.getTime() - from.getTime()).toBeGreaterThanOrEqual(dayMs / 2)
      }
    }
  })

  it('falls on the last day of a shorter month', () => {
    expect(
      nextScanAt({ period: 'PERIOD_MONTHLY', allowedHours: null }, ids[0] ?? '', at('2027-01-31T05:00:00Z')),
    ).toEqual(at('2027-02-28T00:00:00Z'))
  })

  it('is within the allowed hours, in winter and summer', () => {
    for (const from of [
      '2026-01-10T12:00:00Z',
      '2026-03-28T12:00:00Z',
      '2026-07-10T12:00:00Z',
      '2026-10-24T20:00:00Z',
    ]) {
      for (const period of ['PERIOD_DAILY', 'PERIOD_WEEKLY', 'PERIOD_MONTHLY'] as const) {
        for (const id of ids) {
          const next = nextScanAt({ period, allowedHours: night }, id, at(from))
          expect([from, period, id, nextOpening(night, next)]).toEqual([from, period, id, null])
        }
      }
    }
  })

  it('keeps weekly scans about a week apart if only some days are allowed', () => {
    const sunday = { ...night, days: [7] }
    // A Monday: the nearest allowed Sunday is the day before.
    const next = nextScanAt({ period: 'PERIOD_WEEKLY', allowedHours: sunday }, ids[0] ?? '', at('2026-10-05T08:00:00Z'))
    expect(next).toEqual(at('2026-10-11T20:00:00Z'))
    expect(nextScanAt({ period: 'PERIOD_WEEKLY', allowedHours: sunday }, ids[0] ?? '', next)).toEqual(
      at('2026-10-18T20:00:00Z'),
    )
  })
})

describe('allowed hours', () => {
  it.each([
    // Winter: Zurich is at UTC+1.
    ['2026-11-21T20:59:00Z', '2026-11-21T21:00:00Z'],
    ['2026-11-21T21:00:00Z', null],
    ['2026-11-22T04:59:00Z', null],
    ['2026-11-22T05:00:00Z', '2026-11-22T21:00:00Z'],
    // Summer: UTC+2.
    ['2026-07-01T19:59:00Z', '2026-07-01T20:00:00Z'],
    ['2026-07-01T20:00:00Z', null],
  ])('from 22:00 to 06:00 in Zurich, at %s, open at %s', (now, opens) => {
    expect(nextOpening(night, at(now))).toEqual(opens && at(opens))
  })

  it.each([
    // In Zurich, the clock goes from 2:00 to 3:00.
    ['02:30', '06:00', '2027-03-28T00:59:00Z', '2027-03-28T01:00:00Z'],
    ['02:30', '06:00', '2027-03-28T01:00:00Z', null],
    ['02:30', '03:00', '2027-03-28T00:59:00Z', '2027-03-28T01:00:00Z'],
    ['02:30', '03:00', '2027-03-28T01:29:00Z', null],
    ['02:30', '03:00', '2027-03-28T01:30:00Z', '2027-03-29T00:30:00Z'],
    ['02:00', '03:00', '2027-03-28T01:00:00Z', null],
    ['02:10', '02:40', '2027-03-28T01:29:00Z', null],
    ['02:10', '02:40', '2027-03-28T01:30:00Z', '2027-03-29T00:10:00Z'],
    // Hours that end in the gap end when it starts.
    ['01:00', '02:30', '2027-03-28T00:59:00Z', null],
    ['01:00', '02:30', '2027-03-28T01:00:00Z', '2027-03-28T23:00:00Z'],
  ])('from %s to %s, skipped by the clock change at %s, open at %s', (start, end, now, opens) => {
    expect(nextOpening({ ...night, start, end }, at(now))).toEqual(opens && at(opens))
  })

  it('skipped by a clock change still have their scan', () => {
    const shortNight = { ...night, start: '02:00', end: '03:00' }
    for (const id of ids) {
      const next = nextScanAt({ period: 'PERIOD_DAILY', allowedHours: shortNight }, id, at('2027-03-27T01:00:00Z'))
      expect([next.toISOString().slice(0, 10), nextOpening(shortNight, next)]).toEqual(['2027-03-28', null])
    }
  })

  it('belong to the day on which they start', () => {
    const friday = { ...night, days: [5] }
    // 2026-11-20 is a Friday; its allowed hours end on Saturday morning.
    expect(nextOpening(friday, at('2026-11-21T03:00:00Z'))).toBeNull()
    expect(nextOpening(friday, at('2026-11-21T22:00:00Z'))).toEqual(at('2026-11-27T21:00:00Z'))
  })

  it('with equal start and end cover the whole day', () => {
    const always = { start: '00:00', end: '00:00', timeZone: 'UTC' }
    expect(
      [0, 6, 12, 18].map((hour) => nextOpening(always, at(`2026-11-21T${`${hour}`.padStart(2, '0')}:30:00Z`))),
    ).toEqual([null, null, null, null])
  })

  it('are always open if not set', () => {
    expect(nextOpening(null, at('2026-11-21T12:00:00Z'))).toBeNull()
  })

  it('are formatted for display', () => {
    expect(formatHours({ ...night, days: [1, 7] })).toBe('22:00–06:00 Europe/Zurich, Mon, Sun')
  })
})
