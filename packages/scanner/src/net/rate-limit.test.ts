import { expect, it } from 'vitest'
import type { HttpResponse } from '#net/http-message.ts'
import { createRateLimits } from '#net/rate-limit.ts'

const { signal } = new AbortController()

function response(status: number, headers: readonly (readonly [string, string])[] = []): HttpResponse {
  const rest = { statusText: '', body: Buffer.alloc(0), truncated: false, durationMs: 1, request: '' }
  return { kind: 'response', status, headers, ...rest }
}

it('waits as long as a server that limits requests states', async () => {
  const limits = createRateLimits()
  expect(limits.limits('a', response(429, [['Retry-After', '0']]))).toBe(true)
  const start = performance.now()
  await limits.ready('b', signal)
  await limits.ready('a', signal)
  expect(performance.now() - start).toBeGreaterThan(150)
  expect(limits.limits('a', response(200))).toBe(false)
})

it.each([
  ['Retry-After', '40', true],
  ['RateLimit-Reset', '34', true],
  ['RateLimit', 'limit=500, remaining=0, reset=34', true],
  ['RateLimit', '"500-in-1min"; r=0; t=34', true],
  ['Retry-After', '900', false],
  ['Retry-After', 'Sat, 28 Nov 2026 11:53:33 GMT', false],
  ['Content-Type', 'text/html', false],
])('%s: %s is a reason to wait: %s', (name, value, expected) => {
  expect(createRateLimits().limits('a', response(429, [[name, value]]))).toBe(expected)
})

it('does not wait again for a server that limits requests after a pause', () => {
  const limits = createRateLimits()
  limits.repeated('a', response(429, [['Retry-After', '1']]))
  expect(limits.limits('a', response(429, [['Retry-After', '1']]))).toBe(false)
})
