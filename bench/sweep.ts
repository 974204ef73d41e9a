/**
 * Compares the connect scan with nmap's on 127.7.7.0/24, with the same 1,000 ports and 48 listeners. Prints seconds,
 * number of open ports found, and the ratio (above 1: we are faster). Loopback only.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { promisify } from 'node:util'
import { limitsByProfile, type Limits } from '../packages/scanner/src/budget.ts'
import { commonPorts } from '../packages/scanner/src/common-ports.ts'
import { createGuard } from '../packages/scanner/src/guard.ts'
import { createSweeper } from '../packages/scanner/src/ports.ts'
import { cacheFolder } from './lib/engine.ts'

// As when the product starts: threads and processes use Node's compile cache.
process.env['NODE_COMPILE_CACHE'] ??= join(cacheFolder, 'compiled')
const network = '127.7.7.0/24'
const addresses = Array.from({ length: 254 }, (_, index) => `127.7.7.${index + 1}`)
const unthrottled: Limits = {
  ...limitsByProfile.deep,
  sweepPerSecond: Infinity,
  sweepPerNetworkPerSecond: Infinity,
  sweepPerHostPerSecond: Infinity,
  sweepPerHostInFlight: 1000,
  sweepInFlight: 128,
}

const servers = await listen(48)
const rounds = Number(process.argv[2] ?? 3)
for (let round = 0; round < rounds; round++) {
  const sockets = await sweep(unthrottled, false)
  const nmapTiming = await nmap()
  const accelerated = await sweep(unthrottled, true)
  report('sockets', sockets, nmapTiming)
  report('accelerated', accelerated, nmapTiming)
  if (nmapTiming) report('nmap -sT -T5', nmapTiming)
  else console.log('nmap is not installed: no comparison')
}
report('gentle, sockets', await sweep(limitsByProfile.gentle, false))
report('gentle, accelerated', await sweep(limitsByProfile.gentle, true))
for (const server of servers) server.close()

interface Timing {
  readonly seconds: number
  readonly openPorts: number
}

function report(name: string, { seconds, openPorts }: Timing, peer?: Timing | null): void {
  const ratio = peer ? `, ratio ${(peer.seconds / seconds).toFixed(2)}` : ''
  console.log(`${name}: ${seconds.toFixed(2)} s, ${openPorts} of ${servers.length} found${ratio}`)
}

/** Listeners on ports distributed over the whole list and the network. */
async function listen(count: number): Promise<Server[]> {
  const started = Array.from({ length: count }, async (_, index) => {
    const server = createServer((socket) => socket.on('error', () => undefined))
    server.listen({ host: addresses[(index * 53) % 254], port: portOf(index), backlog: 128 })
    await once(server, 'listening')
    return server
  })
  return Promise.all(started)
}

function portOf(index: number): number {
  return commonPorts[(index * 20 + 7) % 1000] ?? 80
}

async function sweep(limits: Limits, isAccelerated: boolean): Promise<Timing> {
  const abort = new AbortController()
  const guard = createGuard({ allow: [network] })
  const withoutAccelerator = (reason: string) => console.log(`no accelerator: ${reason}`)
  const sweeper = createSweeper({ guard, limits, signal: abort.signal, isAccelerated, withoutAccelerator })
  const startedAt = performance.now()
  const readings = await Promise.all(addresses.map((address) => sweeper.host(address)))
  const seconds = (performance.now() - startedAt) / 1000
  await sweeper.close()
  return { seconds, openPorts: readings.reduce((sum, { open }) => sum + open.length, 0) }
}

async function nmap(): Promise<Timing | null> {
  const ports = commonPorts.join(',')
  const startedAt = performance.now()
  try {
    const range = '127.7.7.1-254'
    const { stdout } = await promisify(execFile)(
      'nmap',
      ['-sT', '-T5', '-n', '-Pn', '--open', '-oG', '-', '-p', ports, range],
      { maxBuffer: 1 << 26, timeout: 600_000 },
    )
    return { seconds: (performance.now() - startedAt) / 1000, openPorts: stdout.split('/open/').length - 1 }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}
