import dns from 'node:dns/promises'
import type { LookupAddress } from 'node:dns'
import { once } from 'node:events'
import { syncBuiltinESMExports } from 'node:module'
import { Worker } from 'node:worker_threads'
import { type Observation, Observation as ObservationSchema } from '@glacis/contract/runner'
import { expect, it, type MockInstance, vi } from 'vitest'
import { loadPacks, scan } from '#index.ts'
import { otherHostiles, webHostiles } from '#testing/hostile.ts'
import { listen, respond } from '#testing/loopback.ts'

const packs = await loadPacks({
  fingerprints: [new URL('../../../packs/fingerprints', import.meta.url).pathname],
  checks: [new URL('../../../packs/checks', import.meta.url).pathname],
})
const goodAddress = '127.67.9.1'
// The servers would send gigabytes if read to the end.
const memoryMaxBytes = 400 * 1024 * 1024

interface Hostiles extends AsyncDisposable {
  readonly servers: readonly { readonly address: string; readonly port: number }[]
}

async function startAll(): Promise<Hostiles> {
  const thread = new Worker(new URL('./testing/hostile-thread.ts', import.meta.url))
  const [servers] = await once(thread, 'message')
  return {
    servers,
    async [Symbol.asyncDispose]() {
      await thread.terminate()
    },
  }
}

it('SEC-D1 completes a scan of fifty hostile servers and fully scans the well-behaved one', async () => {
  await using hostiles = await startAll()
  expect(hostiles.servers.length).toBeGreaterThanOrEqual(50)
  await using good = await listen(
    goodAddress,
    0,
    respond([
      [/^GET \/\.git\/config /, gitConfig],
      [/^/, notFound],
    ]),
  )
  const servers = [...hostiles.servers, good]
  const ports = [...new Set(servers.map(({ port }) => port))]
  const hosts = servers.map(({ address }) => ({ address }))
  const { signal } = new AbortController()
  const paces = { requestsPerHostPerSecond: 1000, requestsPerSecond: 10_000, hostsExamined: 64 }
  const job = { hosts, ports, allow: ['127.67.8.0/24', '127.67.9.0/24'], profile: 'gentle' as const }
  // Compiles the patterns of the packs, whose time and memory don't depend on the hostile servers.
  await Array.fromAsync(scan({ ...job, hosts: [{ address: goodAddress }] }, { packs, limits: paces, signal }))
  let before = 0
  let observations: Observation[] = []
  // On a busy machine, the well-behaved server needs longer too.
  for (const hostDeadlineMs of [20_000, 60_000, 240_000]) {
    before = process.memoryUsage().rss
    const all = await Array.fromAsync(scan(job, { packs, limits: { ...paces, hostDeadlineMs }, signal }))
    observations = all.map((observation) => ObservationSchema.parse(observation))
    if (!all.some((observation) => observation.kind === 'problem' && observation.address === goodAddress)) break
  }

  const reached = observations.filter((observation) => observation.kind === 'host').map(({ address }) => address)
  expect(new Set(reached)).toEqual(new Set(hosts.map(({ address }) => address)))
  const findings = observations.filter((observation) => observation.kind === 'finding')
  expect(findings.filter(({ address }) => address === goodAddress).map(({ check }) => check)).toContain(
    'git-config-exposed',
  )
  // Findings on the other hosts are limited to what their headers and banners justify.
  const severe = findings.filter(({ address, check }) => address !== goodAddress && severityOf(check) === 'critical')
  expect(severe.map(({ address, check }) => `${nameOf(address)}: ${check}`)).toEqual([])
  expect(
    observations.filter((observation) => observation.kind === 'problem' && /failed/.test(observation.message)),
  ).toEqual([])
  for (const observation of observations)
    expect(JSON.stringify(observation)).not.toMatch(/\\u00(0[0-8bcef]|1.|7f)|[\u202a-\u202e\u0080-\u009f]/)
  expect(process.memoryUsage().rss - before).toBeLessThan(memoryMaxBytes)
}, 480_000)

const config = '[core]\n\trepositoryformatversion = 0\n'
const gitConfig = `HTTP/1.1 200 OK\r\nContent-Length: ${config.length}\r\n\r\n${config}`
const notFound = 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n'

function severityOf(id: string): string {
  return packs.checks.find((check) => check.id === id)?.severity ?? ''
}

function nameOf(address: string): string {
  return [...webHostiles, ...otherHostiles][Number(address.split('.')[3]) - 1]?.name ?? address
}

it('SEC-C1 never follows a redirect away from the target', async () => {
  const wanted = webHostiles.filter(({ name }) => name.includes('metadata') || name.includes('a file'))
  const servers = await Promise.all(wanted.map(({ handle }, index) => listen(`127.67.7.${index + 1}`, 0, handle)))
  await using outside = await listen('127.67.6.1', 0, (socket) => socket.end())
  await using sender = await listen('127.67.7.9', 0, (socket) => {
    socket.on('data', () =>
      socket.write(`HTTP/1.1 302 Found\r\nLocation: http://127.67.6.1:${outside.port}/\r\nContent-Length: 0\r\n\r\n`),
    )
  })
  const all = [...servers, sender]
  const job = {
    hosts: all.map(({ address }) => ({ address })),
    ports: all.map(({ port }) => port),
    allow: ['127.67.7.0/24'],
  }
  const observations: Observation[] = []
  const limits = { requestsPerHostPerSecond: 1000 }
  for await (const observation of scan(job, { packs, limits, signal: new AbortController().signal }))
    observations.push(observation)
  await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()))
  expect(outside.received()).toBe('')
  expect(
    observations
      .filter((observation) => observation.kind === 'service')
      .map(({ address }) => address)
      .toSorted(),
  ).toEqual(all.map(({ address }) => address))
})

it('SEC-C1 connects only to the address that was checked, even if the name then gets another one', async () => {
  const page = respond([[/^/, notFound]])
  await using checked = await listen('127.67.4.1', 0, page)
  await using other = await listen('127.67.4.2', checked.port, page)
  const lookup = vi.spyOn(dns, 'lookup') as unknown as MockInstance<() => Promise<LookupAddress[]>> // with `all`
  lookup.mockResolvedValue([{ address: other.address, family: 4 }])
  lookup.mockResolvedValueOnce([{ address: checked.address, family: 4 }])
  syncBuiltinESMExports()
  const job = { hosts: [{ address: 'rebound.test' }], ports: [checked.port], allow: ['127.67.4.0/24'] }
  const observations: Observation[] = []
  try {
    for await (const observation of scan(job, { packs, signal: new AbortController().signal }))
      observations.push(observation)
  } finally {
    lookup.mockRestore()
    syncBuiltinESMExports()
  }
  expect(observations.filter(({ kind }) => kind === 'service')).toMatchObject([{ address: checked.address }])
  expect(checked.received()).toContain('Host: rebound.test')
  expect(other.received()).toBe('')
})

it('SEC-C3 skips excluded addresses inside the target and reports them', async () => {
  await using kept = await listen('127.67.5.1', 0, (socket) => socket.end('hello\r\n'))
  await using excluded = await listen('127.67.5.2', kept.port, (socket) => socket.end('hello\r\n'))
  const job = {
    hosts: [kept, excluded].map(({ address }) => ({ address })),
    ports: [kept.port],
    allow: ['127.67.5.0/24'],
    deny: ['127.67.5.2/32'],
  }
  const observations: Observation[] = []
  for await (const observation of scan(job, { packs, signal: new AbortController().signal }))
    observations.push(observation)
  expect(excluded.received()).toBe('')
  expect(
    observations.filter((observation) => observation.kind === 'host').map(({ address, reached }) => [address, reached]),
  ).toContainEqual(['127.67.5.2', false])
  expect(observations).toContainEqual(
    expect.objectContaining({ kind: 'problem', message: expect.stringContaining('is excluded') }),
  )
})
