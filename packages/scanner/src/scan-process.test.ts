import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Observation } from '@glacis/contract/runner'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { scanInProcess } from '#scan-process.ts'
import { serveSite } from '#template/testing/site.ts'

/** A scan takes about a second on a quiet machine. */
const scanMsMax = 110_000
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'glacis-process-'))
  await writeFile(
    join(folder, 'hello.yaml'),
    'id: hello\ninfo: { name: hello, severity: low }\nhttp:\n  - path: ["{{BaseURL}}/hello"]\n    matchers: [{ type: word, words: [welcome] }]\n',
  )
})
afterAll(() => rm(folder, { recursive: true, force: true }))

it('scans in a process with the same observations as in this one', async () => {
  await using site = await serveSite('127.66.9.1', (request, response) =>
    request.url === '/hello' ? response.end('welcome') : response.writeHead(404).end(),
  )
  const job = { hosts: [{ address: '127.66.9.1' }], ports: [site.port], allow: ['127.66.9.0/24'] }
  const observations: Observation[] = []
  await scanInProcess(
    { job, knownOpen: {}, packs: { checks: [folder], fingerprints: [] } },
    {
      signal: AbortSignal.timeout(scanMsMax),
      observed: (observation) => void observations.push(observation),
      withoutAccelerator: () => undefined,
    },
  )
  const kinds = observations.map(({ kind }) => kind).filter((kind) => !['progress', 'skipped'].includes(kind))
  // Native checks complete before those of packs.
  expect(kinds).toEqual(['host', 'service', 'coverage', 'finding', 'coverage'])
})

it.runIf(process.platform === 'linux')(
  'loses and duplicates nothing when its process is killed at random moments',
  async () => {
    const addresses = Array.from({ length: 6 }, (_, index) => `127.66.9.${index + 10}`)
    const sites = await Promise.all(
      addresses.map((address) =>
        serveSite(address, (request, response) =>
          request.url === '/hello' ? response.end('welcome') : response.writeHead(404).end(),
        ),
      ),
    )
    const ports = [...new Set(sites.map(({ port }) => port))]
    const batch = {
      job: { hosts: addresses.map((address) => ({ address })), ports, allow: ['127.66.9.0/24'] },
      knownOpen: {},
      packs: { checks: [folder], fingerprints: [] },
    }
    async function run(killsMax: number) {
      const observations: Observation[] = []
      let kills = 0
      const ending = new AbortController()
      const killing = (async () => {
        while (kills < killsMax && !ending.signal.aborted) {
          // The moment is the point of this test, so it is random rather than awaited.
          await new Promise((resolve) => setTimeout(resolve, 150 + Math.random() * 900))
          const pids = await scanChildren()
          for (const pid of pids) process.kill(pid, 'SIGKILL')
          kills += pids.length
        }
      })()
      await scanInProcess(batch, {
        signal: AbortSignal.timeout(scanMsMax),
        observed: (observation) => void observations.push(observation),
        withoutAccelerator: () => undefined,
      })
      ending.abort()
      await killing
      return {
        kills,
        seen: observations
          .filter(({ kind }) => kind !== 'progress')
          .map(summary)
          .toSorted(),
      }
    }
    try {
      const undisturbed = await run(0)
      expect(undisturbed.seen.filter((line) => line.startsWith('finding'))).toHaveLength(addresses.length)
      for (let round = 0; round < 4; round++) {
        const { kills, seen: observations } = await run(2)
        expect(kills).toBeGreaterThan(0)
        expect(observations).toEqual(undisturbed.seen)
      }
    } finally {
      for (const site of sites) await site[Symbol.asyncDispose]()
    }
  },
  480_000,
)

function summary(observation: Observation): string {
  const address = 'address' in observation ? observation.address : ''
  const rest =
    observation.kind === 'finding'
      ? [observation.check, observation.location]
      : observation.kind === 'coverage'
        ? [...observation.checks.toSorted(), observation.stopped?.length]
        : []
  return [observation.kind, address, ...rest].join(' ')
}

/** Processes that this one started to scan, from the files of the system. */
async function scanChildren(): Promise<number[]> {
  const children = await readFile(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')
  const pids = children.trim().split(' ').filter(Boolean).map(Number)
  const commands = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')))
  return pids.filter((_, index) => commands[index]?.includes('scan-child.ts'))
}
