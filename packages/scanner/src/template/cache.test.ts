import { mkdir, mkdtemp, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { loadTemplates } from '#template/plan.ts'
import { serveSite } from '#template/testing/site.ts'
import { runChecks } from '#template/run.ts'
import { createHttpClient } from '#net/http.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'glacis-cache-'))
  await mkdir(join(folder, 'checks'))
  for (let at = 0; at < 200; at++) await write(`t${at}`, `/p${at}`)
  await writeFile(join(folder, 'checks', 'broken.yaml'), 'id: [\n')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

function write(id: string, path: string): Promise<void> {
  const source = `id: ${id}\ninfo: { name: ${id}, severity: low }\nhttp:\n  - path: ["{{BaseURL}}${path}"]\n    matchers: [{ type: word, words: ["here is {{Host}}"] }]\n`
  return writeFile(join(folder, 'checks', `${id}.yaml`), source)
}
const load = () => loadTemplates([join(folder, 'checks')], join(folder, 'cache'))

it('returns the same checks and rejections the second time', async () => {
  const first = await load()
  const second = await load()
  expect(await readdir(join(folder, 'cache'))).toHaveLength(1)
  expect(second.checks).toEqual(first.checks)
  expect(second.rejected).toEqual(first.rejected)
  expect(second.plan.templates.map(({ http }) => http.map(({ paths }) => paths))).toEqual(
    first.plan.templates.map(({ http }) => http.map(({ paths }) => paths)),
  )
})

it('finds the same with cached and parsed templates', async () => {
  await load()
  const { plan } = await load()
  await using site = await serveSite('127.66.7.1', (request, response) =>
    request.url === '/p7' ? response.end('here is lab.test') : response.writeHead(404).end(),
  )
  const guard = { denialReason: () => null }
  const client = createHttpClient({ guard })
  const service = {
    port: site.port,
    transport: 'tcp',
    protocol: 'http',
    tls: false,
    banner: '',
    technologies: [],
  } as const
  const target = { address: '127.66.7.1', hostname: 'lab.test', basePath: '/', services: [service] }
  const tools = {
    http: client,
    guard,
    signal: AbortSignal.timeout(20_000),
    profile: 'gentle',
    budget: { take: async () => undefined },
  } as const
  const findings: string[] = []
  for await (const observation of runChecks(target, plan, tools))
    if (observation.kind === 'finding') findings.push(observation.check)
  await client.close()
  expect(findings).toEqual(['t7'])
})

it('reuses the cache for a moved folder, with its new file names', async () => {
  const there = join(folder, 'elsewhere')
  await load()
  await rename(join(folder, 'checks'), there)
  const { plan, rejected } = await loadTemplates([there], join(folder, 'cache'))
  expect(await readdir(join(folder, 'cache'))).toHaveLength(1)
  expect(plan.templates.map(({ file }) => file)).toContain(join(there, 't7.yaml'))
  expect(rejected.map(({ file }) => file)).toEqual([join(there, 'broken.yaml')])
})

it('parses changed files again', async () => {
  await load()
  await write('t0', '/changed')
  await utimes(join(folder, 'checks', 't0.yaml'), new Date(), new Date(Date.now() + 5_000))
  const { plan } = await load()
  expect(plan.templates[0]?.http[0]?.paths).toEqual(['{{BaseURL}}/changed'])
})

it('parses metadata and blocks on first access', async () => {
  await load()
  await overwriteTexts((texts) => texts.fill('?'))
  const { plan, rejected } = await load()
  expect(plan.templates.map(({ id, counts }) => `${id} ${counts.http}`).toSorted()[0]).toBe('t0 1')
  expect(rejected).toHaveLength(1)
  expect(() => plan.templates[0]?.info).toThrow(SyntaxError)
  expect(() => plan.templates[0]?.http).toThrow(SyntaxError)
})

it('parses the templates again when the cache is truncated', async () => {
  const { checks } = await load()
  await overwriteTexts((texts) => texts.subarray(0, -1))
  expect((await load()).checks).toEqual(checks)
})

/** Modifies the file after its first line. */
async function overwriteTexts(change: (texts: Buffer) => Buffer): Promise<void> {
  const [name = ''] = await readdir(join(folder, 'cache'))
  const bytes = await readFile(join(folder, 'cache', name))
  const start = bytes.indexOf('\n') + 1
  await writeFile(join(folder, 'cache', name), Buffer.concat([bytes.subarray(0, start), change(bytes.subarray(start))]))
}

it('parses the templates when the cache is corrupt or not writable', async () => {
  await load()
  const [name = ''] = await readdir(join(folder, 'cache'))
  await writeFile(join(folder, 'cache', name), '{"templates": [')
  expect((await load()).plan.templates).toHaveLength(200)
  await writeFile(join(folder, 'file'), '')
  const loaded = await loadTemplates([join(folder, 'checks')], join(folder, 'file'))
  expect(loaded.plan.templates).toHaveLength(200)
})
