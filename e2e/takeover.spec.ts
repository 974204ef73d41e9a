import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { once } from 'node:events'
import { listHosts } from '@glacis/contract/host'
import { cancelScan, getScan, startScan } from '@glacis/contract/scan'
import { createTarget } from '@glacis/contract/target'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Product, startProduct } from '../lab/product.ts'
import { hasEnded, scanWhen, type Visitor, visit } from '../lab/visitor.ts'
import { freePort } from './ports.ts'

const person = { email: 'nora@aarewerk.example', password: 'contour-line-4478', first: 'Nora', last: 'Ammann' }
const addresses = ['127.77.3.5', '127.77.3.77', '127.77.3.200']
let product: Product
let visitor: Visitor
let servers: Server[]
let port: number
let dataFolder: string

beforeAll(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), 'glacis-takeover-'))
  port = await freePort()
  servers = await Promise.all(addresses.map(greeter))
  product = await startProduct({ port, dataFolder, settings: { GLACIS_LOG_LEVEL: 'warn' } })
  visitor = visit(product.url)
  await visitor.signUp(person, dataFolder)
}, 120_000)
afterAll(async () => {
  await product.stop()
  for (const server of servers) server.close()
  await rm(dataFolder, { recursive: true, force: true })
})

/** A detectable service on an address. */
async function greeter(host: string): Promise<Server> {
  const server = createServer((socket) => socket.on('error', () => {}).end('SSH-2.0-OpenSSH_9.9\r\n')).listen(
    2222,
    host,
  )
  await once(server, 'listening')
  return server
}

it('stops within two seconds of being canceled', async () => {
  const { target } = await visitor.call(createTarget, {
    name: 'Wide',
    address: '127.77.4.0/22',
    schedule: { period: 'PERIOD_MONTHLY' },
    tags: [],
  })
  const { scan } = await visitor.call(startScan, { targetId: target.id })
  await scanWhen(visitor, scan.id, (now) => now.status === 'STATUS_RUNNING', 30_000)
  const { scan: canceled } = await visitor.call(cancelScan, { id: scan.id })
  expect(canceled.status).toBe('STATUS_CANCELLED')
  const { hostsDone } = (await visitor.call(getScan, { id: scan.id })).scan.progress ?? { hostsDone: 0 }
  await new Promise((resolve) => setTimeout(resolve, 2000))
  const later = (await visitor.call(getScan, { id: scan.id })).scan
  expect(later.status).toBe('STATUS_CANCELLED')
  expect(later.progress?.hostsDone ?? 0).toBeLessThanOrEqual(hostsDone + 64)
}, 60_000)

it('loses and duplicates nothing when all processes are killed during a scan', async () => {
  const { target } = await visitor.call(createTarget, {
    name: 'Lab',
    address: '127.77.3.0/24',
    schedule: { period: 'PERIOD_MONTHLY' },
    tags: [],
  })
  const { scan } = await visitor.call(startScan, { targetId: target.id })
  await scanWhen(visitor, scan.id, (now) => now.status === 'STATUS_RUNNING', 30_000)
  const exit = once(product.process, 'exit')
  product.process.kill('SIGKILL')
  await exit
  product = await startProduct({ port, dataFolder, settings: { GLACIS_LOG_LEVEL: 'warn' } })
  visitor = visit(product.url)
  await visitor.signIn(person)
  const before = (await visitor.call(getScan, { id: scan.id })).scan
  // A new worker takes over: the scan progresses or ends with a reason within a minute.
  await scanWhen(visitor, scan.id, (now) => hasEnded(now) || now.updateTime > before.updateTime, 60_000)
  const ended = await scanWhen(visitor, scan.id, hasEnded, 180_000)
  expect(ended).toMatchObject({ status: 'STATUS_COMPLETED', hostCount: { scannedHosts: addresses.length } })
  const { hosts } = await visitor.call(listHosts, { filter: { targetId: target.id } })
  expect(hosts.map((host) => host.address).toSorted()).toEqual(addresses.toSorted())
  expect(hosts.flatMap((host) => host.services ?? []).map((service) => service.port)).toEqual([2222, 2222, 2222])
}, 300_000)
