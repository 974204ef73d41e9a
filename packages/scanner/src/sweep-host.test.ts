import { expect, it } from 'vitest'
import { bucketOf } from '#bucket.ts'
import {
  createHost,
  canConnect,
  networkOf,
  nextPass,
  recordAttempt,
  replyOf,
  consumeRate,
  timeoutOf,
} from '#sweep-host.ts'

const order = (address: string, ports: readonly number[] = [1, 2, 3]) => ({
  id: 1,
  address,
  ports,
  headCount: ports.length,
  silentPortsMax: 1000,
  pace: { perSecond: 1000, burst: 100, inFlightMax: 10, deadlineMs: 60_000 },
})

it.each([
  ['192.0.2.17', '192.0.2'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
])('networkOf(%s) is %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})

it('shares one rate among the hosts of a network', () => {
  const network = bucketOf(0.001, 3)
  const hosts = [createHost(order('192.0.2.1'), network), createHost(order('192.0.2.2'), network)]
  const now = performance.now()
  let requests = 0
  for (const host of [...hosts, ...hosts]) {
    if (!canConnect(host, now)) continue
    consumeRate(host)
    requests++
  }
  expect(requests).toBe(3)
})

it('adapts the timeout to the response times', () => {
  const host = createHost(order('192.0.2.1'))
  expect(timeoutOf(host)).toBe(1000)
  for (const tookMs of [200, 210, 190, 205]) recordAttempt(host, 1, 'closed', tookMs)
  expect(timeoutOf(host)).toBeGreaterThanOrEqual(250)
  expect(timeoutOf(host)).toBeLessThan(700)
  for (const tookMs of [2000, 2500, 3000]) recordAttempt(host, 1, 'closed', tookMs)
  expect(timeoutOf(host)).toBeGreaterThan(1000)
  expect(timeoutOf(host)).toBeLessThanOrEqual(3000)
})

it('retries a silent port of a responding host once, then counts it as filtered', () => {
  const host = createHost(order('192.0.2.1'))
  recordAttempt(host, 1, 'open', 5)
  recordAttempt(host, 2, 'filtered', 1000)
  expect(nextPass(host)).toEqual([2])
  recordAttempt(host, 2, 'filtered', 1000)
  expect(nextPass(host)).toEqual([])
  expect(replyOf(host)).toMatchObject({ open: [1], closed: 0, filtered: 1 })
})
