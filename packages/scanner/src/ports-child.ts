/**
 * Sweep process: does the work of `ports-worker.ts` through libc. Receives its settings first, runs
 * a self-test, reports whether it is usable, and exits with its parent.
 */
import { once } from 'node:events'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { connectWithLibc } from '#net/connect-libc.ts'
import { openLibc } from '#net/libc.ts'
import type { SweepOrder, SweepReply } from '#sweep-host.ts'
import { createSweep, type SweepSettings } from '#sweep-loop.ts'

/** Messages of the process: first whether it is ready, then the replies. */
export type ChildMessage = { readonly ready: true } | { readonly ready: false; readonly reason: string } | SweepReply

const libc = openLibc()
process.on('disconnect', () => process.exit())
const [settings]: SweepSettings[] = await once(process, 'message')
const reason = await selfTest()
if (settings && reason === null) {
  const sweep = createSweep(settings, (settled) => connectWithLibc(libc, settled), send)
  process.on('message', (order: SweepOrder) => sweep.add(order))
  send({ ready: true })
} else send({ ready: false, reason: reason ?? 'no settings were passed' })

function send(message: ChildMessage): void {
  process.send?.(message)
}

/**
 * Self-test before a scan relies on this process: sweeps two ports with known states, reusing one
 * socket.
 */
async function selfTest(): Promise<string | null> {
  const [listening, ended] = await Promise.all([listener(), listener()])
  const [open, closed] = [portOf(listening), portOf(ended)]
  await new Promise((resolve) => ended.close(resolve))
  const { promise, resolve } = Promise.withResolvers<SweepReply>()
  const unbounded = { inFlightMax: 1, perSecond: Infinity, perNetworkPerSecond: Infinity }
  createSweep(unbounded, (settled) => connectWithLibc(libc, settled), resolve).add({
    id: 0,
    address: '127.0.0.1',
    ports: [closed, open, closed, open],
    headCount: 4,
    silentPortsMax: 4,
    pace: { perSecond: Infinity, burst: 4, inFlightMax: 1, deadlineMs: 1000 },
  })
  const reply = await promise
  listening.close()
  if (reply.closed === 2 && reply.open.length === 2 && reply.open.every((port) => port === open)) return null
  return `the self-test on an open and a closed port returned ${JSON.stringify(reply)}`
}

async function listener(): Promise<Server> {
  const server = createServer((socket) => socket.on('error', () => undefined))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}
