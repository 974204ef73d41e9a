import { constants } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { connectWithLibc } from '#net/connect-libc.ts'
import type { Libc } from '#net/libc.ts'
import { createHost } from '#sweep-host.ts'
import type { Attempt } from '#sweep-loop.ts'

const { EINPROGRESS, EALREADY, ECONNREFUSED, EMFILE, ENETUNREACH } = constants.errno

const pace = { perSecond: 1000, burst: 100, inFlightMax: 10, deadlineMs: 60_000 }
const host = createHost({ id: 1, address: '192.0.2.1', ports: [80, 81], headCount: 2, silentPortsMax: 2, pace })
const attemptOf = (port: number): Attempt => ({ host, port, startedAt: 0, deadlineAt: 0 })

/** Fake kernel: answers each `connect` with the next value and reports the given wakeups. */
function connecting({ fds = [7, 8], answers, woken = [] }: { fds?: number[]; answers: number[]; woken?: number[] }) {
  const told: string[] = []
  const closed: number[] = []
  const requests: number[] = []
  const libc: Libc = {
    open: () => fds.shift() ?? -EMFILE,
    watch: () => 0,
    connect: (fd) => {
      requests.push(fd)
      return answers.shift() ?? EALREADY
    },
    isSelf: () => false,
    close: (fd) => void closed.push(fd),
    onReady(_waitMs, notify) {
      for (const fd of woken.splice(0)) notify(fd)
    },
  }
  const connector = connectWithLibc(libc, ({ port }, code) => told.push(`${port} ${code || 'open'}`))
  return { connector, told, closed, requests }
}

it('reports pending connects later and reuses a refused socket', async () => {
  const { connector, told, closed, requests } = connecting({
    answers: [EINPROGRESS, EALREADY, ECONNREFUSED, EINPROGRESS, 0],
    woken: [7, 99],
  })
  connector.begin(attemptOf(80))
  expect(told).toEqual([])
  await expect.poll(() => told).toEqual(['80 ECONNREFUSED'])
  connector.begin(attemptOf(81))
  expect(told).toEqual(['80 ECONNREFUSED', '81 open'])
  expect([requests, closed]).toEqual([[7, 7, 7, 7, 7], [7]])
})

it.each([
  ['no more file descriptors', { fds: [], answers: [] }, '80 EMFILE'],
  ['no route to the network', { answers: [ENETUNREACH] }, '80 ENETUNREACH'],
])('reports a local error by name: %s', (_what, kernel, outcome) => {
  const { connector, told } = connecting(kernel)
  connector.begin(attemptOf(80))
  expect(told).toEqual([outcome])
})

it('cancels a silent connect, but not one that responded without an event', async () => {
  const silent = connecting({ answers: [EINPROGRESS] })
  const answered = connecting({ answers: [EINPROGRESS, EALREADY, ECONNREFUSED] })
  for (const { connector } of [silent, answered]) {
    const attempt = attemptOf(80)
    connector.begin(attempt)
    await pause(0)
    connector.cancel(attempt)
    connector.cancel(attempt)
    connector.releaseSockets()
  }
  expect([silent.told, answered.told]).toEqual([['80 ETIMEDOUT'], ['80 ECONNREFUSED']])
  expect([silent.closed, answered.closed]).toEqual([[7], [7]])
})
