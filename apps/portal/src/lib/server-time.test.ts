import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { recordServerTime, serverNow } from '#lib/server-time.ts'

const here = Date.parse('2026-11-21T12:00:00Z')
beforeEach(() => {
  vi.useFakeTimers({ now: here })
})
afterEach(() => {
  recordServerTime(new Date().toUTCString())
  vi.useRealTimers()
})

it.each([
  ['Sat, 21 Nov 2026 12:10:00 GMT', here + 600_000],
  ['Sat, 21 Nov 2026 11:00:00 GMT', here - 3_600_000],
  ['Sat, 21 Nov 2026 12:00:01 GMT', here],
])('follows the server clock at %s', (date, now) => {
  recordServerTime(date)
  expect(serverNow()).toBe(now)
})

it('keeps its estimate without a Date header', () => {
  recordServerTime('Sat, 21 Nov 2026 12:10:00 GMT')
  recordServerTime(null)
  expect(serverNow()).toBe(here + 600_000)
})
