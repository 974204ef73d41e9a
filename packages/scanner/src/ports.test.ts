import { defaultPortCount } from '@glacis/contract/target'
import { describe, expect, it } from 'vitest'
import { limitsByProfile } from '#budget.ts'
import { commonPorts, headPorts } from '#common-ports.ts'
import { judgeReach } from '#discover.ts'
import { createGuard } from '#guard.ts'
import { createSweeper, scanOrder } from '#ports.ts'
import { engines, noFallback } from '#testing/engines.ts'
import { listen, reset, sendNothing } from '#testing/loopback.ts'

const guard = createGuard({ allow: ['127.41.0.0/16'], deny: ['127.41.1.3:8080'] })
const limits = { ...limitsByProfile.deep, sweepWorkers: 1 }

describe.each(engines)('sweep with $engine', ({ isAccelerated }) => {
  function sweeping() {
    const abort = new AbortController()
    return {
      abort,
      sweeper: createSweeper({ guard, limits, signal: abort.signal, isAccelerated, withoutAccelerator: noFallback }),
    }
  }

  it('finds the open ports among closed ones', async () => {
    await using first = await listen('127.41.1.1', 0, sendNothing)
    await using second = await listen('127.41.1.1', 8080, reset)
    const { sweeper } = sweeping()
    const reading = await sweeper.host('127.41.1.1', [...commonPorts, first.port])
    await sweeper.close()
    expect(reading.open).toEqual([second.port, first.port])
    expect(reading.closed).toBe(new Set([...commonPorts, first.port]).size - 2)
    expect(judgeReach(reading)).toEqual({ reached: true, reason: '2 ports open' })
  })

  it('counts a refused connect as a response', async () => {
    const { sweeper } = sweeping()
    const reading = await sweeper.host('127.41.1.2', [80, 443])
    await sweeper.close()
    expect(reading).toMatchObject({ open: [], closed: 2, filtered: 0, unknown: 0 })
    expect(judgeReach(reading).reached).toBe(true)
  })

  it('does not connect when the guard rejects the port', async () => {
    await using server = await listen('127.41.1.3', 8080, sendNothing)
    const { sweeper } = sweeping()
    const reading = await sweeper.host('127.41.1.3', [server.port, 8081])
    const outside = await sweeper.host('127.42.0.1', [80])
    await sweeper.close()
    expect(reading).toMatchObject({ open: [], closed: 1, denied: 1 })
    expect(outside).toMatchObject({ open: [], closed: 0, denied: 1, denialReason: '127.42.0.1 is outside the target' })
    expect(judgeReach(outside)).toEqual({ reached: false, reason: 'refused: 127.42.0.1 is outside the target' })
  })

  it('detects a host that responds on nearly every port', async () => {
    const ports = Array.from({ length: 110 }, (_, index) => 30_000 + index)
    const servers = await Promise.all(ports.map((port) => listen('127.41.1.4', port, sendNothing)))
    const { sweeper } = sweeping()
    const reading = await sweeper.host('127.41.1.4', ports)
    await sweeper.close()
    await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()))
    expect(reading.answersEverything).toBe(true)
  })

  it("rejects immediately with the signal's reason", async () => {
    const { abort, sweeper } = sweeping()
    const ports = Array.from({ length: 60_000 }, (_, index) => index + 1)
    const reading = sweeper.host('127.41.1.5', ports)
    abort.abort(new Error('enough'))
    await expect(reading).rejects.toThrow('enough')
    await expect(sweeper.host('127.41.1.5', [80])).rejects.toThrow('enough')
  })
})

describe('judgeReach', () => {
  const nothing = {
    open: [],
    closed: 0,
    filtered: 0,
    unknown: 0,
    denied: 0,
    denialReason: null,
    answersEverything: false,
    localErrors: {},
  }
  it.each([
    [{ open: [80] }, true, 'port 80 open'],
    [{ closed: 1 }, true, 'no open ports; 1 port refused the connection'],
    [{ filtered: 12 }, false, 'no response from 12 ports'],
    [{ unknown: 9 }, false, '9 ports could not be probed because of local errors'],
  ])('%j', (part, reached, reason) => {
    expect(judgeReach({ ...nothing, ...part })).toEqual({ reached, reason })
  })
})

describe('scanOrder', () => {
  it('depends on the seed and contains every port', () => {
    const ports = Array.from({ length: 2000 }, (_, index) => index + 1)
    expect(scanOrder(ports, 1)).toEqual(scanOrder(ports, 1))
    expect(scanOrder(ports, 1)).not.toEqual(scanOrder(ports, 2))
    expect(scanOrder(ports, 1).toSorted((a, b) => a - b)).toEqual(ports)
  })

  it('starts with the most likely ports', () => {
    expect(scanOrder(commonPorts.toReversed(), 7).slice(0, headPorts)).toEqual(commonPorts.slice(0, headPorts))
  })
})

it('has 1,100 distinct common ports, including well-known services', () => {
  expect(new Set(commonPorts).size).toBe(defaultPortCount)
  const usual =
    '21 22 23 25 53 80 110 111 143 389 443 445 873 993 995 1025 1080 1337 1880 1883 2379 2380 3000 3001 3128 3306 3690 4000 ' +
    '4730 4873 5173 5300 5432 5900 6080 6379 6667 8000 8080 8404 8888 9090 9091 9100 9229 9418 11211 11300'
  expect(usual.split(' ').filter((port) => !commonPorts.includes(Number(port)))).toEqual([])
})
