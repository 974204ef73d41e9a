import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { limitsByProfile } from '#budget.ts'
import { createGuard } from '#guard.ts'
import { eventList, isSameAddress, setPort, socketAddress } from '#net/libc-structs.ts'
import { createSweeper } from '#ports.ts'
import { listenBusy } from '#testing/busy.ts'
import { engines, noFallback } from '#testing/engines.ts'
import { listen, sendNothing } from '#testing/loopback.ts'

const guard = createGuard({ allow: ['127.34.0.0/16'] })
const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'))

describe('libc structures', () => {
  it.each([
    ['192.0.2.7', '0200 1f90 c0000207 0000000000000000'],
    ['::ffff:192.0.2.7', '0200 1f90 c0000207 0000000000000000'],
    ['2001:db8::7', '0a00 1f90 00000000 20010db8000000000000000000000007 00000000'],
  ])('encode %s with its port', (text, layout) => {
    const address = socketAddress(text)
    setPort(address, 8080)
    expect(address.bytes).toEqual(bytes(layout))
    expect(isSameAddress(address, bytes(layout))).toBe(true)
    setPort(address, 8081)
    expect(isSameAddress(address, bytes(layout))).toBe(false)
  })

  it.each([
    ['x64', '04000080 07000000 00000000'],
    ['arm64', '04000080 00000000 07000000 00000000'],
  ])('encode the events of %s', (arch, layout) => {
    const events = eventList(2, arch)
    events.set(1, 0x8000_0004, 7)
    expect(events.bytes.subarray(events.bytes.length / 2)).toEqual(bytes(layout))
    expect([events.fdAt(0), events.fdAt(1)]).toEqual([0, 7])
  })
})

describe.runIf(engines.length > 1)('the accelerator', () => {
  it('returns the same results as sockets', async () => {
    await using first = await listen('127.34.1.1', 0, sendNothing)
    await using second = await listen('127.34.1.1', 0, (socket) => socket.resetAndDestroy())
    const ports = [...Array.from({ length: 300 }, (_, index) => 24_100 + index), first.port, second.port]
    const readings = []
    for (const { isAccelerated } of engines) {
      const signal = AbortSignal.timeout(20_000)
      const sweeper = createSweeper({ guard, limits: limitsByProfile.deep, signal, isAccelerated })
      readings.push(await sweeper.host('127.34.1.1', ports))
      await sweeper.close()
    }
    expect(readings[0]?.open).toEqual([first.port, second.port].toSorted((a, b) => a - b))
    expect(readings[1]).toEqual(readings[0])
  })

  it('times out on a full backlog and still reports the other ports', async () => {
    await using busy = await listenBusy('127.34.1.4')
    const ports = [busy.port, ...Array.from({ length: 40 }, (_, index) => 24_100 + index)]
    for (const { isAccelerated } of engines) {
      const signal = AbortSignal.timeout(20_000)
      const withoutAccelerator = noFallback
      const options = { guard, limits: limitsByProfile.deep, signal, isAccelerated, withoutAccelerator }
      const sweeper = createSweeper(options)
      expect(await sweeper.host('127.34.1.4', ports)).toMatchObject({ open: [], closed: 40, filtered: 1, unknown: 0 })
      await sweeper.close()
    }
  })

  it('falls back to sockets when its process exits, and reports it', async () => {
    const notes: string[] = []
    const signal = AbortSignal.timeout(20_000)
    const limits = { ...limitsByProfile.gentle, sweepPerHostPerSecond: 40 }
    const withoutAccelerator = (reason: string) => notes.push(reason)
    const sweeper = createSweeper({ guard, limits, signal, isAccelerated: true, withoutAccelerator })
    // The first reply proves that the process works; the second host is in progress when it is
    // killed.
    await sweeper.host('127.34.1.2', [24_101])
    const reading = sweeper.host(
      '127.34.1.3',
      Array.from({ length: 50 }, (_, index) => 24_100 + index),
    )
    process.kill(sweepingProcess(), 'SIGKILL')
    expect(await reading).toMatchObject({ open: [], closed: 50, unknown: 0 })
    await sweeper.close()
    expect(notes).toEqual(['its process exited with SIGKILL'])
  })
})

/** The sweep process, a child of this process. */
function sweepingProcess(): number {
  const own = `PPid:\t${process.pid}\n`
  const pids = readdirSync('/proc').filter(
    (name) =>
      /^\d+$/.test(name) && read(`${name}/status`).includes(own) && read(`${name}/cmdline`).includes('ports-child'),
  )
  expect(pids).toHaveLength(1)
  return Number(pids[0])
}

/** Processes may exit during the search. */
function read(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'utf8')
  } catch {
    return ''
  }
}
