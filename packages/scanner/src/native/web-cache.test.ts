import type { RequestListener } from 'node:http'
import { expect, it } from 'vitest'
import { findOnSite } from '#native/testing/examine.ts'

/** A site that names the forwarded host, behind a cache with this key. */
function serve(keyOf: (url: string, host: string) => string | undefined): RequestListener {
  const pages = new Map<string, string>()
  return ({ url = '', headers }, response) => {
    const host = String(headers['x-forwarded-host'] ?? headers.host)
    const page = `<script src="http://${host}/app.js"></script>`
    const key = keyOf(url, host)
    if (key !== undefined && !pages.has(key)) pages.set(key, page)
    response.setHeader('connection', 'close')
    response.end((key !== undefined && pages.get(key)) || page)
  }
}

it.each<[string, (url: string, host: string) => string | undefined, boolean]>([
  ['stores pages by URL', (url) => url, true],
  ['stores pages by URL and host', (url, host) => `${host}${url}`, false],
  ['stores nothing', () => undefined, false],
])('evaluates a cache that %s', async (_, keyOf, expected) => {
  expect((await findOnSite(serve(keyOf))).includes('web-cache-poisoning')).toBe(expected)
})

it('ignores a page that lists recent requests', async () => {
  const hosts: string[] = []
  const found = await findOnSite(({ headers }, response) => {
    hosts.push(String(headers['x-forwarded-host'] ?? headers.host))
    response.setHeader('connection', 'close')
    response.end(hosts.map((host) => `<li>${host}`).join(''))
  })
  expect(found).not.toContain('web-cache-poisoning')
})
