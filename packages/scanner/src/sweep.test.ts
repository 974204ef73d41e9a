import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createBudget, limitsByProfile, type Limits } from '#budget.ts'
import { createGuard } from '#guard.ts'
import { createSweeper } from '#ports.ts'
import { createHost, nextPass, recordAttempt, replyOf, timeoutOf } from '#sweep-host.ts'
import { engines, noFallback } from '#testing/engines.ts'
import { listen, sendNothing } from '#testing/loopback.ts'

const guard = createGuard({ allow: ['127.71.0.0/16', '::1'] })
const portsFrom = (first: number, count: number) => Array.from({ length: count }, (_, index) => first + index)

/** Sweeps refusing ports on each address and returns the duration in seconds. */
async function swept(
  addresses: readonly string[],
  count: number,
  { isAccelerated, ...rates }: Partial<Limits> & { readonly isAccelerated: boolean },
): Promise<number> {
  const limits = { ...limitsByProfile.deep, sweepWorkers: 1, ...rates }
  const signal = AbortSignal.timeout(20_000)
  const sweeper = createSweeper({ guard, limits, signal, isAccelerated, withoutAccelerator: noFallback })
  const begun = performance.now()
  const readings = await Promise.all(addresses.map((address) => sweeper.host(address, portsFrom(20_000, count))))
  const seconds = (performance.now() - begun) / 1000
  await sweeper.close()
  expect(readings.map(({ closed }) => closed)).toEqual(addresses.map(() => count))
  return seconds
}

describe.each(engines)('sweep rates with $engine', ({ isAccelerated }) => {
  const two = ['127.71.1.1', '127.71.1.2']
  const far = ['127.71.1.1', '127.71.2.1']
  // A bucket allows its burst immediately: a twentieth of a second, or thirty ports of one host.
  it.each([
    ['of the whole scan', far, { sweepPerSecond: 200 }, (120 - 10) / 200],
    ['of one network', two, { sweepPerNetworkPerSecond: 200 }, (120 - 10) / 200],
    ['of one host', two, { sweepPerHostPerSecond: 100 }, (60 - 30) / 100],
  ] as const)('SEC-C4 respect the limit %s', async (_what, addresses, rates, leastSeconds) => {
    expect(await swept(addresses, 60, { ...rates, isAccelerated })).toBeGreaterThanOrEqual(leastSeconds * 0.98)
  })
})

describe('request rates', () => {
  it.each([
    ['of the whole scan', { requestsPerSecond: 100, requestsPerHostPerSecond: 10_000 }],
    ['of one host', { requestsPerSecond: 10_000, requestsPerHostPerSecond: 100 }],
  ])('SEC-C4 respect the limit %s', async (_what, rates) => {
    const budget = createBudget(rates)
    const begun = performance.now()
    for (let count = 0; count < 50; count++) await budget.take('127.71.1.1', AbortSignal.timeout(10_000))
    // A burst of a tenth of a second is allowed.
    expect(performance.now() - begun).toBeGreaterThanOrEqual(((50 - 11) / 100) * 1000 * 0.98)
  })
})

it('never reports an open port as closed when file descriptors run out', async () => {
  const servers = await Promise.all(portsFrom(30_000, 40).map((port) => listen('127.71.3.1', port, sendNothing)))
  const program = new URL('./testing/sweep-alone.ts', import.meta.url).pathname
  const command = `ulimit -n 48 && exec "${process.execPath}" "${program}" 127.71.3.1 29800 400`
  const { stdout } = await promisify(execFile)('sh', ['-c', command], { timeout: 25_000 })
  await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()))
  const reading = JSON.parse(stdout)
  expect(reading.localErrors.EMFILE).toBeGreaterThan(0)
  expect(reading.closed + reading.open.length + reading.unknown).toBe(400)
  expect(reading.closed).toBeLessThanOrEqual(360)
  // Ports are retried with fewer sockets, so nearly all are decided eventually.
  expect(reading.open.length).toBeGreaterThanOrEqual(36)
  expect(reading.open.every((port: number) => port >= 30_000 && port < 30_040)).toBe(true)
})

it.each(engines)('sweeps IPv6 with $engine', async ({ isAccelerated }) => {
  await using server = await listen('::1', 0, sendNothing)
  const limits = limitsByProfile.deep
  const signal = AbortSignal.timeout(20_000)
  const sweeper = createSweeper({ guard, limits, signal, isAccelerated, withoutAccelerator: noFallback })
  const reading = await sweeper.host('::1', [server.port, 4])
  await sweeper.close()
  expect(reading).toMatchObject({ open: [server.port], closed: 1, filtered: 0, unknown: 0 })
})

it.each(engines)('finishes the hosts of a network one after another with $engine', async ({ isAccelerated }) => {
  const limits = { ...limitsByProfile.deep, sweepWorkers: 1, sweepPerNetworkPerSecond: 400, sweepPerHostPerSecond: 400 }
  const signal = AbortSignal.timeout(20_000)
  const sweeper = createSweeper({ guard, limits, signal, isAccelerated, withoutAccelerator: noFallback })
  const begun = performance.now()
  const elapsed = ['127.71.4.1', '127.71.4.2', '127.71.4.3', '127.71.4.4'].map(async (address) => {
    await sweeper.host(address, portsFrom(20_000, 200))
    return performance.now() - begun
  })
  const [first = 0, ...others] = await Promise.all(elapsed)
  await sweeper.close()
  expect(first).toBeLessThan(Math.max(...others) * 0.75)
})

describe('a silent host', () => {
  const order = {
    id: 1,
    address: '192.0.2.1',
    ports: portsFrom(1, 2000),
    headCount: 30,
    silentPortsMax: 1000,
    pace: { perSecond: 1000, burst: 100, inFlightMax: 10, deadlineMs: 60_000 },
  }
  it('is probed once per common port with a shorter timeout', () => {
    const host = createHost(order)
    for (const port of host.queue) recordAttempt(host, port, 'filtered', 1000)
    const rest = nextPass(host)
    expect(rest).toEqual(portsFrom(31, 970))
    expect(timeoutOf(host)).toBe(750)
    for (const port of rest) recordAttempt(host, port, 'filtered', 750)
    expect(nextPass(host)).toEqual([])
    expect(replyOf(host)).toMatchObject({ open: [], closed: 0, filtered: 1000 })
  })
  it('is probed on all ports once an unusual port responds', () => {
    const host = createHost(order)
    for (const port of host.queue.slice(1)) recordAttempt(host, port, 'filtered', 1000)
    recordAttempt(host, 1, 'open', 20)
    expect(nextPass(host)).toHaveLength(1970)
  })
  it('is retried with twice the timeout', () => {
    const host = createHost({ ...order, ports: [1, 2], headCount: 2 })
    recordAttempt(host, 1, 'open', 400)
    recordAttempt(host, 2, 'filtered', 1000)
    const first = timeoutOf(host)
    expect(nextPass(host)).toEqual([2])
    expect(timeoutOf(host)).toBe(Math.min(3000, 2 * first))
  })
})
