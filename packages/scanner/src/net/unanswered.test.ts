import { expect, it } from 'vitest'
import type { HttpFailure, HttpRequest, HttpResponse } from '#net/http-message.ts'
import { createUnanswered } from '#net/unanswered.ts'

const usualMs = 10_000
const page: HttpRequest = { method: 'GET', path: '/' }
const query = (name: string): HttpRequest => ({ method: 'GET', path: `/?${name}=1` })
const timeout: HttpFailure = { kind: 'failure', reason: '', local: false, isTimeout: true }
const reset: HttpFailure = { kind: 'failure', reason: '', local: false }
const after = (durationMs: number): HttpResponse => ({
  kind: 'response',
  status: 200,
  statusText: '',
  headers: [],
  body: Buffer.alloc(0),
  truncated: false,
  durationMs,
  request: '',
})
const json = (path: string): HttpRequest => ({
  method: 'POST',
  path,
  headers: { 'content-type': 'application/json' },
  body: '{}',
})
type Exchange = readonly [HttpRequest, HttpResponse | HttpFailure, sentAt: number]

const instead =
  (request: HttpRequest) =>
  ([, failure, sentAt]: Exchange): Exchange => [request, failure, sentAt]

function deadlineAfter(exchanges: readonly Exchange[], request: HttpRequest): number | undefined {
  const unanswered = createUnanswered()
  for (const exchange of exchanges) unanswered.record('server', ...exchange)
  return unanswered.deadlineMs('server', request, usualMs)
}

const silent: readonly Exchange[] = [
  [query('a'), timeout, 0],
  [query('b'), timeout, 1],
  [query('c'), timeout, 2],
]

it.each<[string, number | undefined, readonly Exchange[], HttpRequest]>([
  ['shortens the deadline of requests with a query', 3000, [...silent, [page, after(50), 100]], query('d')],
  ['sends no more of them', undefined, [...silent, ...silent, ...silent, [page, after(50), 100]], query('d')],
  ['waits four times as long as for the slowest response', 6000, [...silent, [page, after(1500), 100]], query('d')],
  ['waits for slow servers', usualMs, [...silent, [page, after(2500), 100]], query('d')],
  ['waits after few timeouts', usualMs, [...silent.slice(1), [page, after(50), 100]], query('d')],
  ['waits while the server answers nothing', usualMs, [[page, after(50), -90], ...silent], query('d')],
  ['waits for other requests', usualMs, [...silent, [page, after(50), 100]], page],
  [
    'waits for requests with a query to another path',
    usualMs,
    [...silent, [page, after(50), 100]],
    { method: 'GET', path: '/search?q=1' },
  ],
  [
    'ignores a response to a query to another path',
    3000,
    [...silent, [{ method: 'GET', path: '/search?q=1' }, after(50), 100]],
    query('d'),
  ],
  [
    'waits again after a response to such a request',
    usualMs,
    [...silent, [page, after(50), 100], [query('d'), after(50), 200]],
    query('e'),
  ],
  [
    'waits after other failures',
    usualMs,
    [...silent.slice(1), [page, after(50), 100], [query('a'), reset, 200]],
    query('d'),
  ],
  [
    'shortens the deadline of requests to one path',
    3000,
    [...silent.map(instead({ method: 'GET', path: '/slow' })), [page, after(50), 100]],
    { method: 'GET', path: '/slow' },
  ],
  [
    'shortens the deadline of requests with a body of one type',
    3000,
    [...silent.map(instead(json('/a'))), [page, after(50), 100]],
    json('/b'),
  ],
  [
    'waits for requests with a body of another type',
    usualMs,
    [...silent.map(instead(json('/a'))), [page, after(50), 100]],
    { method: 'POST', path: '/a', body: 'a=b' },
  ],
])('%s', (_, expected, exchanges, request) => {
  expect(deadlineAfter(exchanges, request)).toBe(expected)
})

const late = (count: number, response: HttpResponse | HttpFailure): readonly Exchange[] =>
  Array.from({ length: count }, (_, at) => [{ method: 'GET', path: `/late/${at}` }, response, at])

it.each<[string, number | undefined, readonly Exchange[], HttpRequest]>([
  ['shortens all deadlines after many late responses', 3000, [...late(1, after(50)), ...late(11, after(3500))], page],
  ['shortens all deadlines after many timeouts', 3000, late(10, timeout), page],
  ['sends nothing more after more of them', undefined, [...late(1, after(50)), ...late(20, after(3500))], page],
  ['continues to send what got a prompt response', usualMs, [[page, after(50), 0], ...late(20, after(9500))], page],
  ['waits if more responses are prompt', usualMs, [...late(10, timeout), ...late(1, after(50))], page],
  ['waits for a server that is always slow', usualMs, late(40, after(5000)), page],
])('%s', (_, expected, exchanges, request) => {
  expect(deadlineAfter(exchanges, request)).toBe(expected)
})
