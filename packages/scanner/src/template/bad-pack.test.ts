import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { loadPacks, scan } from '#index.ts'
import { serveSite } from '#template/testing/site.ts'

const head = (id: string) => `id: ${id}\ninfo: { name: ${id}, severity: low }\n`
const asking = (id: string, rest: string) => `${head(id)}http:\n  - path: ["{{BaseURL}}/${id}"]\n${rest}`
const seeing = (matcher: string) => `    matchers: [{ ${matcher} }]\n`
const hello = seeing('type: word, words: [hello]')
const thousand = JSON.stringify(Array.from({ length: 1000 }, (_, at) => `v${at}`))
const lists = `    attack: clusterbomb\n    payloads: { a: ${thousand}, b: ${thousand}, c: ${thousand} }\n`

/**
 * Mistakes and attacks that a pack may contain beside a valid template, and the expected problem
 * messages.
 */
const bad: Readonly<Record<string, readonly [string, RegExp]>> = {
  'zero.yaml': [asking('zero', seeing('type: dsl, dsl: ["1 / 0 > 5"]')), /line 5: .*division by zero/],
  'many.yaml': [asking('many', lists + hello), /line \d+: 1000000000 sets of values/],
  'bomb.yaml': [
    `a: &a [x]\nb: &b [${'*a, '.repeat(60)}*a]\nc: &c [${'*b, '.repeat(60)}*b]\n${asking('bomb', hello)}`,
    /alias/i,
  ],
  'itself.yaml': [`a: &a { b: *a }\n${asking('itself', hello)}`, /\S/],
  'pattern.yaml': [
    asking('pattern', seeing('type: regex, regex: ["(unclosed"]')),
    /line 5: not RE2 syntax: \(unclosed/,
  ],
  'outside.yaml': [
    asking('outside', `    payloads: { a: ../secret.txt }\n${hello}`),
    /line 5: the pack does not contain the list/,
  ],
  'broken.yaml': ['id: [a\n', /line \d+: /],
}
const largeBytes = 50 * 1024 * 1024

let root = ''
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'glacis-bad-'))
  await mkdir(join(root, 'pack'))
  await writeFile(join(root, 'secret.txt'), 'secret\n')
  await writeFile(join(root, 'pack/good.yaml'), asking('good', hello))
  await writeFile(join(root, 'pack/large.yaml'), asking('large', hello))
  await truncate(join(root, 'pack/large.yaml'), largeBytes)
  for (const [name, [source]] of Object.entries(bad)) await writeFile(join(root, 'pack', name), source)
})
afterEach(() => rm(root, { recursive: true, force: true }))

it('SEC-E1 rejects malicious templates with a reason and runs the others', async () => {
  const startedAt = process.cpuUsage()
  const packs = await loadPacks({ checks: [join(root, 'pack')], fingerprints: [], native: false })
  const reasons = new Map(packs.problems.map(({ file, reason }) => [basename(file), reason]))
  for (const [name, [, pattern]] of Object.entries(bad)) expect(reasons.get(name), name).toMatch(pattern)
  expect(reasons.get('large.yaml')).toMatch(/larger than 1048576 bytes/)
  expect(reasons.size).toBe(Object.keys(bad).length + 1)
  expect(process.cpuUsage(startedAt).user / 1e6).toBeLessThan(5)

  await using site = await serveSite('127.66.8.1', (request, response) =>
    request.url === '/good' ? response.end('hello') : response.writeHead(404).end(),
  )
  const job = { hosts: [{ address: '127.66.8.1' }], ports: [site.port], allow: ['127.66.8.1/32'] }
  const findings: string[] = []
  for await (const observation of scan(job, { packs, signal: AbortSignal.timeout(20_000) }))
    if (observation.kind === 'finding') findings.push(observation.check)
  expect(findings).toEqual(['good'])
  expect(site.asked.filter((line) => /\/(?:zero|many|pattern|outside|large)/.test(line))).toEqual([])
})
