import { createServer, type Server } from 'node:net'
import { once } from 'node:events'
import { loadPacks, scan } from '@glacis/scanner'
import { expect, it } from 'vitest'
import { ownEndpoints } from '#endpoints.ts'

const address = '127.62.9.1'
const services = ['api', 'metrics', 'database', 'identity', 'other'] as const
type Service = (typeof services)[number]

/** Opens a listener for each service; `connections` counts who was contacted. */
async function openServices() {
  const connections = new Map<Service, number>()
  const open = async (service: Service): Promise<Server> => {
    const server = createServer((socket) => {
      connections.set(service, (connections.get(service) ?? 0) + 1)
      socket.on('error', () => undefined).end()
    }).listen(0, address)
    await once(server, 'listening')
    return server
  }
  const servers = await Promise.all(services.map(open))
  const portOf = (service: Service) => {
    const bound = servers[services.indexOf(service)]?.address()
    return typeof bound === 'object' && bound ? bound.port : 0
  }
  return { connections, portOf, close: () => servers.map((server) => server.close()) }
}

it("SEC-C2 contacts none of the installation's own services when their address is scanned", async () => {
  const { connections, portOf, close } = await openServices()
  const deny = await ownEndpoints({
    hosts: [address],
    port: portOf('api'),
    metrics: { host: address, port: portOf('metrics') },
    databaseUrl: `postgresql://glacis:secret@${address}:${portOf('database')}/glacis`,
    identityUrl: `http://${address}:${portOf('identity')}`,
  })
  const job = { hosts: [{ address }], ports: services.map(portOf), allow: [address], deny, profile: 'deep' as const }
  const packs = await loadPacks({ fingerprints: [], checks: [] })
  const observations = await Array.fromAsync(scan(job, { packs, signal: AbortSignal.timeout(60_000) }))
  close()
  expect([...connections.keys()]).toEqual(['other'])
  const problems = observations.flatMap((entry) => (entry.kind === 'problem' ? [entry.message] : []))
  expect(problems.join()).toMatch(/^4 ports were not scanned|excluded/)
}, 90_000)

it('resolves names, and knows the default ports', async () => {
  const elsewhere = { hosts: [], port: 0, metrics: null }
  const found = await ownEndpoints({
    ...elsewhere,
    databaseUrl: 'postgresql://glacis@localhost/glacis',
    identityUrl: 'https://127.62.9.2',
  })
  expect(found).toContain('127.62.9.2:443')
  expect(found.some((endpoint) => /^(127\.0\.0\.1|\[::1\]):5432$/.test(endpoint))).toBe(true)
  const socket = { databaseUrl: 'postgresql:///glacis?host=/run/postgresql', identityUrl: undefined }
  expect(await ownEndpoints({ ...elsewhere, ...socket })).toEqual([])
})
