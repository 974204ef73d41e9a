import { describe, expect, it } from 'vitest'
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

describe('unanswered requests', () => {
  const post = (type: string, body = 'a=b') => ({
    method: 'POST',
    path: '/',
    body,
    ...(type !== '' && { headers: { 'Content-Type': type } }),
  })
  const unanswered = (
    body: string,
    reason: string,
    rest: { isTimeout?: boolean; type?: string; path?: string } = {},
  ) => ({
    exchanges: [],
    failure: { kind: 'failure', reason, local: false, isTimeout: rest.isTimeout === true } as const,
    failedRequest: { ...post(rest.type ?? '', body), path: rest.path ?? '/' },
  })
  const answered = (request: ReturnType<typeof post>) => ({
    exchanges: chain(false).exchanges.map((exchange) => ({ ...exchange, request })),
    failure: null,
  })
  it.each([
    ['', 'other side closed', {}, 6],
    ['a=b', 'connect ECONNREFUSED 127.66.9.1:80', {}, 6],
    ['a=b', 'other side closed', {}, 24],
    ['a=b', 'read ECONNRESET', {}, 24],
  ])('stops after requests with body %j: %s', (body, reason, rest, failuresMax) => {
    const health = createHealth(true)
    for (let at = 1; at < failuresMax; at++) health.record(unanswered(body, reason, rest))
    expect(health.stopReason()).toBeNull()
    health.record(unanswered(body, reason, rest))
    expect(health.stopReason()).toBe(`stopped responding to HTTP (${reason})`)
  })

  it.each([
    ['', { isTimeout: true, path: '/?a' }],
    ['{}', { isTimeout: true, type: 'application/json' }],
  ])('continues after timeouts of one kind of request, with body %j', (body, rest) => {
    const health = createHealth(true)
    for (let at = 0; at < 50; at++) health.record(unanswered(body, 'late', rest))
    expect(health.stopReason()).toBeNull()
  })

  it('stops after timeouts of different requests', () => {
    const health = createHealth(true)
    for (const path of ['/', '/a', '/b?a', '/c', '/d']) health.record(unanswered('', 'late', { isTimeout: true, path }))
    expect(health.stopReason()).toBeNull()
    health.record(unanswered('', 'late', { isTimeout: true, path: '/e' }))
    expect(health.stopReason()).toBe('stopped responding to HTTP (late)')
  })

  it.each([
    ['', true],
    ['a=b', false],
  ])('after a response to a request with body %j, reports that bodies are rejected: %s', (body, rejectsBodies) => {
    const health = createHealth(true)
    health.record(answered(post('', body)))
    for (let at = 0; at < 5; at++) health.record(unanswered('a=b', 'other side closed'))
    expect(health.rejectsBodyOf(post(''))).toBe(false)
    health.record(unanswered('a=b', 'other side closed'))
    expect(health.rejectsBodyOf(post(''))).toBe(rejectsBodies)
    expect(health.rejectsBodyOf(post('', ''))).toBe(false)
  })

  it('distinguishes bodies by their type once one was answered', () => {
    const health = createHealth(true)
    health.record(answered(post('application/x-www-form-urlencoded')))
    const rest = { isTimeout: true, type: 'application/json; charset=utf-8' }
    for (let at = 0; at < 6; at++) health.record(unanswered('{}', 'no complete response within 10 s', rest))
    expect(health.rejectsBodyOf(post('application/json'))).toBe(true)
    expect(health.rejectsBodyOf(post('application/xml'))).toBe(false)
    expect(health.rejectsBodyOf(post('application/x-www-form-urlencoded'))).toBe(false)
  })
})
