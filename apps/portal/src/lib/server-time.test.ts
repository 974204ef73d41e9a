import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { noteServerTime, serverNow } from '#lib/server-time.ts'

const here = Date.parse('2026-11-21T12:00:00Z')
beforeEach(() => {
  vi.useFakeTimers({ now: here })
})
afterEach(() => {
  noteServerTime(new Date().toUTCString())
  vi.useRealTimers()
})

it.each([
  ['Sat, 21 Nov 2026 12:10:00 GMT', here + 600_000],
  ['Sat, 21 Nov 2026 11:00:00 GMT', here - 3_600_000],
  ['Sat, 21 Nov 2026 12:00:01 GMT', here],
])('counts as the server does when its date is %s', (date, now) => {
  noteServerTime(date)
  expect(serverNow()).toBe(now)
})

it('keeps what it knows when an answer tells no time', () => {
  noteServerTime('Sat, 21 Nov 2026 12:10:00 GMT')
  noteServerTime(null)
  expect(serverNow()).toBe(here + 600_000)
})
