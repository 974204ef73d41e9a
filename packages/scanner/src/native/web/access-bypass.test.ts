import type { IncomingMessage, RequestListener } from 'node:http'
import { expect, it } from 'vitest'
import { findOnSite } from '#native/testing/examine.ts'

const checks = ['access-control-address-bypass', 'access-control-path-bypass']

/** A server that denies /admin unless `isReached`. */
function serve(isReached: (request: IncomingMessage) => boolean, others = 404): RequestListener {
  return (request, response) => {
    response.setHeader('connection', 'close')
    const url = String(request.headers['x-original-url'] ?? request.url)
    if (isReached(request)) response.end('<h1>Administration</h1><p>42 users')
    else if (url === '/') response.end('<h1>Shop</h1>')
    else response.writeHead(url.startsWith('/admin') ? 403 : others).end('no')
  }
}

it.each<[string, (request: IncomingMessage) => boolean, readonly string[]]>([
  ['another spelling', ({ url }) => url === '//admin', ['access-control-path-bypass']],
  ['an encoded letter', ({ url }) => url === '/%61dmin', ['access-control-path-bypass']],
  [
    'a header with the path',
    ({ url, headers }) => url === '/' && headers['x-original-url'] === '/admin',
    ['access-control-path-bypass'],
  ],
  [
    'an internal address',
    ({ url, headers }) => url === '/admin' && String(headers['x-forwarded-for']).startsWith('10.'),
    ['access-control-address-bypass'],
  ],
  ['nothing', () => false, []],
  ['a page for any spelling', ({ url = '' }) => url.startsWith('//'), []],
  ['a page for any request with the header', ({ headers }) => headers['x-forwarded-for'] !== undefined, []],
])('reports a page that is reached by %s', async (_, isReached, expected) => {
  expect((await findOnSite(serve(isReached))).filter((id) => checks.includes(id))).toEqual(expected)
})

it('ignores a server that denies unknown paths', async () => {
  const found = await findOnSite(serve(({ url }) => url === '//admin', 403))
  expect(found.filter((id) => checks.includes(id))).toEqual([])
})
