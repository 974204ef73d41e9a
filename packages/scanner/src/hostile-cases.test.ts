import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Observation } from '@glacis/contract/runner'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { scanInProcess } from '#scan-process.ts'
import { serveSite } from '#template/testing/site.ts'

const folder = new URL('../hostile/', import.meta.url)
const Case = z.strictObject({
  about: z.string(),
  /** The page that the server returns. */
  page: z.strictObject({ prefix: z.string(), repeat: z.string(), times: z.number(), suffix: z.string() }),
  variables: z.record(z.string(), z.string()).default({}),
  /** What follows the path of the template's request, such as its payloads, matchers, and extractors. */
  check: z.string(),
  /** `finding`, `nothing`, or the reason why the check is stopped. */
  expect: z.string(),
})
/**
 * A case takes at most five seconds. The scanner process has a low priority, so beside other tests it only has to end;
 * `npm run hostile` runs it alone.
 */
const casesMs = 5000
const busyFactor = process.env['npm_lifecycle_event'] === 'hostile' ? 3 : 24
const testMs = 2 * casesMs * busyFactor

const names = (await readdir(folder)).filter((name) => name.endsWith('.yaml'))

it.each(names)(
  'SEC-D1 %s ends in time with the expected outcome',
  async (name) => {
    const hostileCase = Case.parse(parse(await readFile(new URL(name, folder), 'utf8')))
    const { prefix, repeat, times, suffix } = hostileCase.page
    const body = `${prefix}${repeat.repeat(times)}${suffix}`
    await using site = await serveSite('127.66.10.1', (request, response) =>
      request.url === '/hostile' ? response.end(body) : response.writeHead(404).end(),
    )
    const packs = await mkdtemp(join(tmpdir(), 'glacis-hostile-'))
    try {
      await writeFile(join(packs, 'hostile.yaml'), templateOf('hostile', hostileCase))
      await writeFile(
        join(packs, 'other.yaml'),
        templateOf('other', { check: 'matchers: [{ type: status, status: [200] }]' }),
      )
      const startedAt = performance.now()
      const observations = await scan(site.port, packs)
      expect(performance.now() - startedAt).toBeLessThan(casesMs * busyFactor)
      const coverages = observations.filter((item) => item.kind === 'coverage')
      const completed = coverages.flatMap(({ checks }) => checks)
      // The other check of the same response isn't affected.
      expect(observations.some((item) => item.kind === 'finding' && item.check === 'other')).toBe(true)
      expect(coverages.flatMap(({ stopped = [] }) => stopped)).toEqual(
        ['finding', 'nothing'].includes(hostileCase.expect) ? [] : [{ check: 'hostile', reason: hostileCase.expect }],
      )
      expect(completed.includes('hostile')).toBe(hostileCase.expect === 'nothing' || hostileCase.expect === 'finding')
      expect(observations.some((item) => item.kind === 'finding' && item.check === 'hostile')).toBe(
        hostileCase.expect === 'finding',
      )
    } finally {
      await rm(packs, { recursive: true, force: true })
    }
  },
  testMs,
)

function templateOf(id: string, { check, variables = {} }: Pick<z.input<typeof Case>, 'check' | 'variables'>): string {
  const operators = check
    .trimEnd()
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n')
  return `id: ${id}\ninfo: { name: ${id}, severity: low }\nvariables: ${JSON.stringify(variables)}\nhttp:\n  - path: ["{{BaseURL}}/hostile"]\n${operators}\n`
}

async function scan(port: number, packs: string): Promise<Observation[]> {
  const observations: Observation[] = []
  const job = { hosts: [{ address: '127.66.10.1' }], ports: [port], allow: ['127.66.10.0/24'] }
  await scanInProcess(
    { job, knownOpen: {}, packs: { checks: [packs], fingerprints: [] } },
    {
      signal: AbortSignal.timeout(testMs),
      observed: (item) => void observations.push(item),
      withoutAccelerator: () => undefined,
    },
  )
  return observations
}
