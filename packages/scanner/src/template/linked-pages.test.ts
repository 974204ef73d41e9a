import { expect, it } from 'vitest'
import { serveSite, summary } from '#template/testing/site.ts'

const front =
  'id: front\ninfo: { name: a, severity: low }\nhttp:\n  - path: ["{{BaseURL}}"]\n    matchers: [{ type: word, words: [needle] }]\n'
/** Reads pages as the crawl does, and finds nothing on them. */
function reads(...paths: readonly string[]): string {
  const list = paths.map((path) => `"{{BaseURL}}${path}"`).join(', ')
  return `id: reader\ninfo: { name: a, severity: low }\nhttp:\n  - path: [${list}]\n    matchers: [{ type: word, words: [absent] }]\n`
}

async function find(
  address: string,
  pages: Readonly<Record<string, string>>,
  { paths = ['/shop'], fallback }: { readonly paths?: readonly string[]; readonly fallback?: string } = {},
) {
  await using site = await serveSite(address, ({ url = '' }, response) => {
    const page = pages[url] ?? fallback
    if (page === undefined) response.writeHead(404).end('no such page')
    else response.end(page)
  })
  const { found } = summary(await site.run([front, reads(...paths)]))
  return { found, asked: site.asked.filter((line) => !/ \/g[\da-f]{14}/.test(line)) }
}

it('runs the checks of the front page on another page without requesting it again', async () => {
  const { found, asked } = await find('127.66.4.1', { '/': 'Welcome', '/shop': 'the needle' })
  expect(found).toEqual(['front /shop'])
  expect(asked.map((line) => line.trim()).toSorted()).toEqual(['GET /', 'GET /shop'])
})

it.each<[string, Readonly<Record<string, string>>, string | undefined, readonly string[]]>([
  ['the front page already proved', { '/': 'a needle', '/shop': 'the needle' }, undefined, ['front /']],
  ['another page already proved', { '/': '', '/shop': 'the needle', '/cart': 'a needle' }, undefined, ['front /shop']],
  ['nonexistent pages show as well', { '/': 'Welcome', '/shop': 'needle of the shop' }, 'the needle', []],
  ['no page shows', { '/': 'Welcome', '/shop': 'the shop' }, undefined, []],
])('reports once or not at all what %s', async (_, pages, fallback, expected) => {
  const { found } = await find('127.66.4.2', pages, {
    paths: ['/shop', '/cart'],
    ...(fallback !== undefined && { fallback }),
  })
  expect(found).toEqual(expected)
})

it('reads at most 16 other pages of a host', async () => {
  const names = Array.from({ length: 17 }, (_, at) => `page${at}`)
  const pages = new Map(names.map((name) => [`/${name}`, `the text of ${name}.`]))
  await using site = await serveSite('127.66.4.3', ({ url = '' }, response) => response.end(pages.get(url) ?? ''))
  const checks = names.map((name) => front.replace('needle', `${name}.`).replace('id: front', `id: ${name}`))
  const { found } = summary(await site.run([...checks, reads(...pages.keys())]))
  expect(found).toHaveLength(16)
})
