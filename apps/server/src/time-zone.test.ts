import { expect, it } from 'vitest'
import { isTimeZone } from '#time-zone.ts'

it('accepts every name that the runtime lists', () => {
  expect(Intl.supportedValuesOf('timeZone').filter((name) => !isTimeZone(name))).toEqual([])
})

it.each([
  'UTC',
  'Europe/Zurich',
  'Asia/Kolkata',
  'America/Argentina/Buenos_Aires',
  'America/Port-au-Prince',
  'Etc/GMT+5',
])('accepts %s', (name) => {
  expect(isTimeZone(name)).toBe(true)
})

it.each(['+01:00', 'GMT+1', 'EST', 'CET', 'utc', 'europe/zurich', 'Europe/Zuerich', '', 'Mars/Base', 'Europe/../etc'])(
  'rejects %j',
  (name) => {
    expect(isTimeZone(name)).toBe(false)
  },
)
