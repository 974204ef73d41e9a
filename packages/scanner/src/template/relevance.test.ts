import { expect, it } from 'vitest'
import { type SiteRun, serveSite } from '#template/testing/site.ts'

function check(id: string, path: string, about: string) {
  return `id: ${id}\ninfo: { name: ${id}, ${about} }\nhttp:\n  - path: ["{{BaseURL}}${path}"]\n    matchers: [{ type: word, words: [a] }]\n`
}

it.each([
  ['metadata', 'metadata: { product: acme-cms }'],
  ['a tag', 'tags: "cve,acme-cms"'],
  ['the CPE', 'classification: { cpe: "cpe:2.3:a:acme:acme_cms:*:*:*:*:*:*:*:*" }'],
])('%s: checks of an identified product run right after the front page', async (_name, about) => {
  await using site = await serveSite('127.66.3.8', (_request, response) => response.writeHead(404).end())
  const checks = [
    check('one', '/common', ''),
    check('two', '/common', ''),
    check('mine', '/mine', about),
    check('front', '', ''),
  ]
  const paths = async (technologies: readonly string[]) => {
    const before = site.asked.length
    await site.run(checks, { profile: 'deep', technologies })
    return site.asked
      .slice(before)
      .map((line) => line.replace('GET ', ''))
      .filter((path) => !/^\/g[\da-f]{14}/.test(path))
  }
  expect(await paths([])).toEqual(['/', '/common', '/mine'])
  expect(await paths(['Acme CMS'])).toEqual(['/', '/mine', '/common'])
})

it('checks of an identified product with several steps run before all others', async () => {
  await using site = await serveSite('127.66.3.8', (_request, response) => response.end('a'))
  const steps = ['/mine/1', '/mine/2'].map(
    (path) => `  - path: ["{{BaseURL}}${path}"]\n    matchers: [{ type: status, status: [200] }]\n`,
  )
  const mine = `id: mine\ninfo: { name: mine, metadata: { product: acme-cms } }\nflow: http(1) && http(2)\nhttp:\n${steps.join('')}`
  const paths = async (technologies: readonly string[]) => {
    const before = site.asked.length
    await site.run([check('any', '/any', ''), mine], { technologies })
    return site.asked.slice(before).flatMap((line) => /\/(?:any|mine\/[12])$/.exec(line)?.[0] ?? [])
  }
  expect(await paths([])).toEqual(['/any', '/mine/1'])
  expect(await paths(['Acme CMS'])).toEqual(['/mine/1', '/any'])
})

it('skips checks of unidentified products in large packs at every pace, except in exhaustive runs', async () => {
  await using site = await serveSite('127.66.3.9', (_request, response) => response.writeHead(404).end())
  const others = Array.from({ length: 300 }, (_, at) =>
    check(`other${at}`, `/other${at}`, 'metadata: { product: other }'),
  )
  const checks = [...others, check('mine', '/mine', 'metadata: { product: acme-cms }'), check('any', '/any', '')]
  const covered = async (options: SiteRun) =>
    (await site.run(checks, options))
      .flatMap((observation) => (observation.kind === 'coverage' ? observation.checks : []))
      .filter((id) => !id.startsWith('other'))
      .toSorted()
  expect(await covered({ profile: 'deep' })).toEqual(['any'])
  expect(site.asked).not.toContain('GET /mine')
  expect(await covered({ technologies: ['Acme CMS'] })).toEqual(['any', 'mine'])
  expect(await covered({ isExhaustive: true })).toEqual(['any', 'mine'])
})
