import type { Agent } from '@glacis/contract/agent'
import { describe, expect, it } from 'vitest'
import {
  availability,
  isLoopback,
  isDisconnected,
  formatLatency,
  nameError,
  sortAgents,
  formatTargetCount,
} from '#agents/labels.ts'

const day = '2026-11-20T00:00:00Z'
function agent(name: string, status: Agent['status'], lastSeenTime?: string): Agent {
  const time = { createTime: day, updateTime: day }
  return { id: name, name, status, ...time, ...(lastSeenTime && { lastSeenTime }) }
}
const here = agent('bern-dmz-1', 'STATUS_CONNECTED', '2026-11-21T10:00:00Z')
const away = agent('lausanne-dc', 'STATUS_DISCONNECTED', '2026-11-21T09:00:00Z')
const fresh = agent('altdorf', 'STATUS_DISCONNECTED')

it.each([
  [undefined, ['lausanne-dc', 'bern-dmz-1', 'altdorf']],
  ['name', ['altdorf', 'bern-dmz-1', 'lausanne-dc']],
  ['seen', ['bern-dmz-1', 'lausanne-dc', 'altdorf']],
] as const)('sorts agents by %s', (sort, names) => {
  expect(sortAgents([here, fresh, away], sort).map(({ name }) => name)).toEqual(names)
})

it('treats disconnected agents as lost only if they have been seen', () => {
  expect([here, away, fresh].map(isDisconnected)).toEqual([false, true, false])
})

it.each([
  ['0.042s', '42 ms'],
  ['1.5s', '1 s'],
  [undefined, undefined],
])('formats a latency of %s as %s', (latency, expected) => {
  expect(formatLatency(latency === undefined ? {} : { latency })).toBe(expected)
})

it.each([
  ['', 'Required'],
  ['  ', 'Required'],
  ['x', undefined],
  ['x'.repeat(128), undefined],
  ['x'.repeat(129), 'String must contain at most 128 character(s)'],
])('validates the name %j: %s', (name, problem) => {
  expect(nameError(name)).toBe(problem)
})

it('formats the number of targets with a verb', () => {
  expect([formatTargetCount(1), formatTargetCount(1234)]).toEqual(['1 target is', "1'234 targets are"])
})

describe('availability', () => {
  const now = Date.parse('2026-11-21T00:00:00Z')
  const spans = [
    { connectTime: '2026-11-20T12:00:00Z' },
    { connectTime: '2026-11-19T00:00:00Z', disconnectTime: '2026-11-19T06:00:00Z' },
  ]
  it('returns a share per day and undefined for days before the agent was created', () => {
    expect(availability(spans, { createTime: '2026-11-19T00:00:00Z', now, days: 3 })).toEqual([undefined, 0.25, 0.5])
  })
  it('measures the first day from the creation of the agent', () => {
    expect(availability(spans, { createTime: '2026-11-20T12:00:00Z', now, days: 1 })).toEqual([1])
  })
})

it.each([
  ['localhost', true],
  ['glacis.localhost', true],
  ['127.0.0.1', true],
  ['127.35.0.4', true],
  ['[::1]', true],
  ['glacis.aarewerk.example', false],
  ['127.0.0.1.aarewerk.example', false],
  ['10.0.0.1', false],
  ['[2001:db8::1]', false],
])('treats %s as loopback: %s', (hostname, verdict) => {
  expect(isLoopback(hostname)).toBe(verdict)
})
