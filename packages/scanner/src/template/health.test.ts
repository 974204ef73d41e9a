import { expect, it } from 'vitest'
import { createHealth } from '#template/health.ts'
import type { HttpResponse } from '#net/http-message.ts'

const response = (isBomb: boolean): HttpResponse => ({
  kind: 'response',
  status: 200,
  statusText: '',
  headers: [],
  body: Buffer.alloc(0),
  truncated: isBomb,
  ...(isBomb && { isBomb }),
  durationMs: 1,
  request: '',
})
const origin = { address: '127.66.9.1', port: 80, tls: false, hostname: 'lab.test' }
const chain = (isBomb: boolean) => ({
  exchanges: [{ origin, path: '/', request: { method: 'GET', path: '/' }, response: response(isBomb) }],
  failure: null,
})

it('stops after several decompression bombs', () => {
  const health = createHealth(true)
  for (let at = 0; at < 7; at++) health.record(chain(true))
  for (let at = 0; at < 50; at++) health.record(chain(false))
  expect(health.stopReason()).toBeNull()
  health.record(chain(true))
  expect(health.stopReason()).toBe('sends decompression bombs')
})

it('counts a shared response once', () => {
  const health = createHealth(true)
  const shared = chain(true)
  for (let at = 0; at < 50; at++) health.record(shared)
  expect(health.stopReason()).toBeNull()
})
