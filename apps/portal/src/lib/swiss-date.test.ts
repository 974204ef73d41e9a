import { expect, it } from 'vitest'
import { parseSwissDate, formatSwissDate } from '#lib/swiss-date.ts'
import { inZone } from '#lib/testing/zone.ts'

it.each([
  ['18.02.2027', '2027-02-18'],
  [' 1. 2. 2027 ', '2027-02-01'],
  ['29.02.2028', '2028-02-29'],
  ['29.02.2027', undefined],
  ['31.04.2027', undefined],
  ['02/18/2027', undefined],
  ['18.02.27', undefined],
  ['', undefined],
])('reads %j as %s', (text, day) => {
  expect(parseSwissDate(text)).toBe(day)
})

it('pads days and months', () => {
  expect([formatSwissDate('2027-02-18'), formatSwissDate('')]).toEqual(['18.02.2027', ''])
})

it.each([
  ['America/St_Johns', '2026-11-24T01:30:00Z', 1, '2026-11-24'],
  ['Asia/Kolkata', '2026-11-23T20:30:00Z', 1, '2026-11-25'],
  ['Europe/Zurich', '2026-10-01T21:30:00Z', 30, '2026-10-31'],
  ['Europe/Zurich', '2027-03-01T22:30:00Z', 30, '2027-03-31'],
  ['Pacific/Auckland', '2026-12-30T12:00:00Z', 1, '2027-01-01'],
])('counts calendar days in %s from %s', (zone, now, days, day) => {
  expect(inZone(zone, '#lib/swiss-date.ts', `it.dayFromNow(${days}, new Date('${now}'))`)).toBe(day)
})
