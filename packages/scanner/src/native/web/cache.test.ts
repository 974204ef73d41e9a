import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders, RequestListener } from 'node:http'
import { expect, it } from 'vitest'
import { findOnSite } from '#native/testing/examine.ts'

type KeyOf = (url: string, host: string) => string | undefined

/** A site behind a cache with this key. */
function serve(
  keyOf: KeyOf,
  pageOf: (url: string, headers: IncomingHttpHeaders) => string,
  cookieOf?: (url: string) => string,
): RequestListener {
  const pages = new Map<string, { readonly page: string; readonly cookie: string | undefined }>()
  return ({ url = '', headers }, response) => {
    const key = keyOf(url, String(headers['x-forwarded-host'] ?? headers.host))
    const stored = key === undefined ? undefined : pages.get(key)
    const { page, cookie } = stored ?? { page: pageOf(url, headers), cookie: cookieOf?.(url) }
    if (key !== undefined) pages.set(key, { page, cookie })
    response.setHeader('connection', 'close')
    if (key !== undefined) response.setHeader('x-cache', stored ? 'HIT' : 'MISS')
    if (cookie !== undefined) response.setHeader('set-cookie', `${cookie}; HttpOnly`)
    response.end(page)
  }
}

const withHost = (_: string, headers: IncomingHttpHeaders) =>
  `<script src="http://${String(headers['x-forwarded-host'] ?? headers.host)}/app.js"></script>`
const withSource = (url: string) =>
  `<img src="/pixel?${new URLSearchParams(url.split('?')[1]).get('utm_source') ?? ''}">`
const withoutTracking: KeyOf = (url) => url.replaceAll(/&utm_\w+=\w+/g, '')

it.each<[string, KeyOf, boolean]>([
  ['stores pages by URL', (url) => url, true],
  ['stores pages by URL and host', (url, host) => `${host}${url}`, false],
  ['stores nothing', () => undefined, false],
])('evaluates a cache of a page with the forwarded host that %s', async (_, keyOf, expected) => {
  expect((await findOnSite(serve(keyOf, withHost))).includes('web-cache-poisoning')).toBe(expected)
})

it.each<[string, KeyOf, boolean]>([
  ['ignores tracking parameters', withoutTracking, true],
  ['stores pages by URL', (url) => url, false],
  ['stores nothing', () => undefined, false],
])('evaluates a cache of a page with a tracking parameter that %s', async (_, keyOf, expected) => {
  expect((await findOnSite(serve(keyOf, withSource))).includes('web-cache-poisoning')).toBe(expected)
})

it('does not change the page of a cache that ignores queries', async () => {
  const seen: string[] = []
  await findOnSite(
    serve(
      (url) => url.split('?')[0],
      (url, headers) => {
        seen.push(`${url} ${String(headers['x-forwarded-host'])}`)
        return withSource(url)
      },
    ),
  )
  expect(seen.filter((request) => /\.example|utm_/.test(request))).toEqual([])
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

const random = (name: string) => () => `${name}=${randomBytes(12).toString('hex')}`

it.each<[string, KeyOf, () => string, boolean]>([
  ['of each visitor in a cache', (url) => url, random('shopsession'), true],
  ['that is not stored', () => undefined, random('shopsession'), false],
  ['that is the same for all', (url) => url, () => 'session=0123456789abcdef', false],
  ['that protects forms', (url) => url, random('csrftoken'), false],
])('evaluates a cookie %s', async (_, keyOf, cookieOf, expected) => {
  const found = await findOnSite(serve(keyOf, () => '<h1>Shop</h1>', cookieOf))
  expect(found.includes('session-cookie-cached')).toBe(expected)
})
