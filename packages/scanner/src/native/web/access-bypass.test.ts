import type { IncomingMessage, RequestListener } from 'node:http'
import { expect, it } from 'vitest'
import { findOnSite, observeSite } from '#native/testing/examine.ts'

const checks = [
  'access-control-address-bypass',
  'access-control-identity-cookie',
  'access-control-identity-header',
  'access-control-path-bypass',
]

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
  ['a capital letter and a slash', ({ url }) => url === '/Admin/', ['access-control-path-bypass']],
  [
    'an internal address',
    ({ url, headers }) => url === '/admin' && String(headers['x-forwarded-for']).startsWith('10.'),
    ['access-control-address-bypass'],
  ],
  [
    'the name of a user',
    ({ url, headers }) => url === '/admin' && headers['x-forwarded-user'] === 'admin',
    ['access-control-identity-header'],
  ],
  [
    'a role',
    ({ url, headers }) => url === '/admin' && headers['x-role'] === 'admin',
    ['access-control-identity-header'],
  ],
  [
    'a cookie with a role',
    ({ url, headers }) => url === '/admin' && /\brole=admin\b/.test(headers.cookie ?? ''),
    ['access-control-identity-cookie'],
  ],
  ['a page for any request with a cookie', ({ headers }) => headers.cookie !== undefined, []],
  ['nothing', () => false, []],
  ['a page for any spelling', ({ url = '' }) => url.startsWith('//'), []],
  ['a page for any request with the header', ({ headers }) => headers['x-forwarded-for'] !== undefined, []],
  ['a page for any request with a user', ({ headers }) => headers['remote-user'] !== undefined, []],
])('reports a page that is reached by %s', async (_, isReached, expected) => {
  expect((await findOnSite(serve(isReached))).filter((id) => checks.includes(id))).toEqual(expected)
})

it('reports a rule that applies to the path in a header', async () => {
  const found = await findOnSite(({ url, headers }, response) => {
    response.setHeader('connection', 'close')
    if (String(headers['x-original-url'] ?? url).startsWith('/admin')) response.writeHead(403).end('no')
    else if (url === '/admin') response.end('<h1>Administration</h1>')
    else response.writeHead(url === '/' ? 200 : 404).end('<h1>Shop</h1>')
  })
  expect(found.filter((id) => checks.includes(id))).toEqual(['access-control-path-bypass'])
})

it('ignores a server that denies unknown paths', async () => {
  const found = await findOnSite(serve(({ url }) => url === '//admin', 403))
  expect(found.filter((id) => checks.includes(id))).toEqual([])
})

it.each<[string, RequestListener]>([
  [
    'an operation that a script names',
    ({ url, headers }, response) => {
      if (url === '/') response.end("<script>fetch('/api/staff')</script>")
      else if (url !== '/api/staff') response.writeHead(404).end()
      else response.writeHead(headers['x-user-id'] === '1' ? 200 : 401).end('[{"name":"Ann"}]')
    },
  ],
  [
    'a whole site',
    ({ url, headers }, response) =>
      headers['x-remote-user'] === undefined
        ? response.writeHead(401).end('<h1>Sign in</h1>')
        : response.writeHead(url === '/' ? 200 : 404).end('<h1>Staff</h1>'),
  ],
  [
    'a page that redirects to the login',
    ({ url, headers }, response) => {
      if (url === '/') response.end('<h1>Shop</h1>')
      else if (url !== '/admin') response.writeHead(404).end()
      else if (headers['x-auth-user'] === 'admin') response.end('<h1>42 users</h1>')
      else response.writeHead(302, { location: '/login?next=/admin' }).end()
    },
  ],
])('reports an identity header for %s', async (_, serveSite) => {
  const found = await findOnSite((request, response) => serveSite(request, response.setHeader('connection', 'close')))
  expect(found).toContain('access-control-identity-header')
})

it('names the header that has the effect', async () => {
  const seen = await observeSite(serve(({ url, headers }) => url === '/admin' && headers['x-auth-user'] === 'admin'))
  const commands = seen.flatMap((item) =>
    item.kind === 'finding' && item.check === 'access-control-identity-header' ? item.reproduce : [],
  )
  expect(commands).toEqual([expect.stringContaining('X-Auth-User: admin')])
  expect(commands).not.toEqual([expect.stringContaining('X-Role')])
})
