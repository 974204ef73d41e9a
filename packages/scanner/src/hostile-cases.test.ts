import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Observation } from '@glacis/contract/runner'
import { beforeAll, expect, it } from 'vitest'
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
 * All cases together take at most ten seconds. The scanner process has a low priority, so beside other tests it only has
 * to end; `npm run hostile` runs it alone.
 */
const casesMs = 10_000
const busyFactor = process.env['npm_lifecycle_event'] === 'hostile' ? 3 : 24

const names = (await readdir(folder)).filter((name) => name.endsWith('.yaml')).map((name) => name.slice(0, -5))
const observations: Observation[] = []

beforeAll(async () => {
  const cases = new Map<string, z.infer<typeof Case>>()
  for (const name of names) cases.set(name, await caseOf(name))
  await using site = await serveSite('127.66.10.1', ({ url = '' }, response) => {
    const page = cases.get(url.slice(1))?.page
    if (page) response.end(`${page.prefix}${page.repeat.repeat(page.times)}${page.suffix}`)
    else response.writeHead(404).end()
  })
  const packs = await mkdtemp(join(tmpdir(), 'glacis-hostile-'))
  try {
    for (const [name, hostileCase] of cases) {
      await writeFile(join(packs, `${name}.yaml`), templateOf(name, name, hostileCase))
      const check = 'matchers: [{ type: status, status: [200] }]'
      await writeFile(join(packs, `other-${name}.yaml`), templateOf(`other-${name}`, name, { check }))
    }
    const startedAt = performance.now()
    await scan(site.port, packs)
    expect(performance.now() - startedAt).toBeLessThan(casesMs * busyFactor)
  } finally {
    await rm(packs, { recursive: true, force: true })
  }
}, casesMs * busyFactor)

it.each(names)('SEC-D1 %s has the expected outcome', async (name) => {
  const { expect: outcome } = await caseOf(name)
  const coverages = observations.filter((item) => item.kind === 'coverage')
  const stopped = coverages.flatMap((coverage) => coverage.stopped ?? []).filter(({ check }) => check === name)
  const isCompleted = coverages.some(({ checks }) => checks.includes(name))
  const isFound = (check: string) => observations.some((item) => item.kind === 'finding' && item.check === check)
  // The other check of the same response isn't affected.
  expect(isFound(`other-${name}`)).toBe(true)
  expect(stopped).toEqual(['finding', 'nothing'].includes(outcome) ? [] : [{ check: name, reason: outcome }])
  expect(isCompleted).toBe(outcome === 'nothing' || outcome === 'finding')
  expect(isFound(name)).toBe(outcome === 'finding')
})

async function caseOf(name: string): Promise<z.infer<typeof Case>> {
  return Case.parse(parse(await readFile(new URL(`${name}.yaml`, folder), 'utf8')))
}

function templateOf(
  id: string,
  path: string,
  { check, variables = {} }: Pick<z.input<typeof Case>, 'check' | 'variables'>,
): string {
  const operators = check
    .trimEnd()
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n')
  return `id: ${id}\ninfo: { name: ${id}, severity: low }\nvariables: ${JSON.stringify(variables)}\nhttp:\n  - path: ["{{BaseURL}}/${path}"]\n${operators}\n`
}

async function scan(port: number, packs: string): Promise<void> {
  const job = { hosts: [{ address: '127.66.10.1' }], ports: [port], allow: ['127.66.10.0/24'] }
  await scanInProcess(
    { job, knownOpen: {}, packs: { checks: [packs], fingerprints: [] } },
    {
      signal: AbortSignal.timeout(casesMs * busyFactor),
      observed: (item) => void observations.push(item),
      withoutAccelerator: () => undefined,
    },
  )
}
