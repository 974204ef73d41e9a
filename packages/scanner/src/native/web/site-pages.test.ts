import { expect, it } from 'vitest'
import { findOnSite } from '#native/testing/examine.ts'

/** Requests for pages of a site; each page has links to others. */
async function readFrom(links: Readonly<Record<string, readonly string[]>>) {
  const requested = new Set<string>()
  const found = await findOnSite(({ url = '' }, response) => {
    response.setHeader('connection', 'close')
    requested.add(url)
    const [path = '', query = ''] = url.split('?')
    const name = new URLSearchParams(query).get('name') ?? ''
    const body = (links[path] ?? []).map((link) => `<a href="${link}">x</a>`).join('')
    if (links[path]) response.setHeader('content-type', 'text/html').end(`<p>${name}</p>${body}`)
    else response.writeHead(404).end('not found')
  })
  return { requested, found }
}

it('proves a weakness in a parameter that only a page behind the start page has', async () => {
  const { found } = await readFrom({
    '/': ['/team'],
    '/team': ['/team/list'],
    '/team/list': ['/hello?name=Ann'],
    '/hello': [],
  })
  expect(found).toContain('cross-site-scripting-reflected')
})

it('follows no link that changes something, and a limited number of others', async () => {
  const pages = Array.from({ length: 40 }, (_, number) => `/page${number}`)
  const all = Object.fromEntries(pages.map((path, at) => [path, pages.slice(at + 1)]))
  const { requested } = await readFrom({ '/': ['/delete', '/logout', '/quit', ...pages], ...all })
  expect(requested).not.toContain('/delete')
  expect(requested).not.toContain('/logout')
  expect(requested).not.toContain('/quit')
  expect(pages.filter((path) => requested.has(path)).length).toBeLessThan(12)
})

it.each([
  ['repeats a usual parameter', {}, true],
  ['is stored by a cache that ignores queries', { age: '12' }, false],
])('tests a start page that %s', async (_, headers, expected) => {
  const found = await findOnSite(({ url = '' }, response) => {
    const name = new URL(url, 'http://here.invalid').searchParams.get('lang') ?? ''
    response.writeHead(200, { ...headers, connection: 'close', 'content-type': 'text/html' }).end(`<p>${name}</p>`)
  })
  expect(found.includes('cross-site-scripting-reflected')).toBe(expected)
})
