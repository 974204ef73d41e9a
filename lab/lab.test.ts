import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { once } from 'node:events'
import { connect as connectTcp } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadPacks, scan } from '@glacis/scanner'
import { type Lab, startLab } from './servers.ts'

// Not the demo's network, so that both can run at the same time.
const network = `127.${100 + (process.pid % 100)}.${process.pid % 250}.0/28`
const packs = await loadPacks({
  checks: [join(import.meta.dirname, '../packs/checks')],
  fingerprints: [join(import.meta.dirname, '../packs/fingerprints')],
})
let lab: Lab
const lines: string[] = []
beforeAll(async () => {
  lab = await startLab({ network, log: (line) => lines.push(line) })
})
afterAll(() => lab.stop())

it('starts every host on its own address and logs it', () => {
  expect(new Set(lab.hosts.map(({ address }) => address)).size).toBe(lab.hosts.length)
  expect(lines).toHaveLength(lab.hosts.length)
  for (const { ports } of lab.hosts) expect(ports.length).toBeGreaterThan(0)
})

it('only listens on loopback', async () => {
  await expect(startLab({ network: '192.0.2.0/28' })).rejects.toThrow('loopback')
})

it('expects only known checks and threats', () => {
  const threats = files('packs/threats', '.json')
    .map((file) => readFileSync(file, 'utf8'))
    .join()
  for (const id of lab.hosts.flatMap(({ expected }) => expected)) {
    if (id.startsWith('CVE-')) expect(threats, id).toContain(`"id": "${id}"`)
    else expect(packs.checks.map((check) => check.id)).toContain(id)
  }
})

/** Proven by a check for a server that runs scripts, which the lab's doesn't. Here, it follows from the version. */
const inferred = 'CVE-2015-1427'

it('has the weaknesses that a scan finds, until they are fixed', async () => {
  const ids = new Set(packs.checks.map(({ id }) => id))
  const expected = () =>
    lab.hosts.flatMap((host) =>
      host.expected.filter((id) => ids.has(id) && id !== inferred).map((id) => `${host.name}: ${id}`),
    )
  const before = expected()
  expect(await scanLab()).toEqual(expect.arrayContaining(before))
  for (const { name, weaknesses } of lab.hosts) for (const weakness of weaknesses) lab.fix(name, weakness)
  expect(lab.hosts.flatMap(({ weaknesses }) => weaknesses)).toEqual([])
  const after = await scanLab()
  expect(before.filter((finding) => after.includes(finding))).toEqual(expected())
  expect(after.filter((finding) => finding.startsWith('hardened: '))).toEqual([])
}, 240_000)

/** Names of hosts with the IDs of the checks that found something on them. */
async function scanLab(): Promise<readonly string[]> {
  const job = {
    hosts: lab.hosts.map(({ address }) => ({ address })),
    ports: [...new Set(lab.hosts.flatMap(({ ports }) => ports))],
    allow: [network],
  }
  const limits = { requestsPerHostPerSecond: 1000, requestsPerSecond: 10_000, hostsExamined: 64 }
  const observations = await Array.fromAsync(scan(job, { packs, limits, signal: new AbortController().signal }))
  return observations.flatMap((item) =>
    item.kind === 'finding'
      ? [`${lab.hosts.find(({ address }) => address === item.address)?.name}: ${item.check}`]
      : [],
  )
}

describe('fix()', () => {
  it('rejects an unknown weakness', () => {
    expect(() => lab.fix('hardened', 'env-file')).toThrow('has no weakness')
  })
  it('can be replaced by starting with some weaknesses only', async () => {
    const other = await startLab({ network: network.replace('.0/28', '.64/28'), weaknesses: ['env-file'] })
    try {
      expect(other.hosts.flatMap(({ weaknesses }) => weaknesses)).toEqual(['env-file'])
    } finally {
      await other.stop()
    }
  })
})

it('closes all ports when stopped', async () => {
  const other = await startLab({ network: network.replace('.0/28', '.128/28') })
  await other.stop()
  const [first] = other.hosts
  const socket = connectTcp(first?.ports[0] ?? 0, first?.address ?? '')
  await expect(once(socket, 'connect')).rejects.toThrow('ECONNREFUSED')
})

/** Files below a folder of the repository with this extension; empty if the folder is missing. */
function files(folder: string, ending: string): string[] {
  const root = join(import.meta.dirname, '..', folder)
  if (!existsSync(root)) return []
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' })
  return names.filter((name) => name.endsWith(ending)).map((name) => join(root, name))
}
