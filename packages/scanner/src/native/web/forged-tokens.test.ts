import { createHmac } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { expect, it } from 'vitest'
import { findOnSite } from '#native/testing/examine.ts'

const checks = ['jwt-unsigned-accepted', 'jwt-weak-secret']
const loggedIn = `fetch('/api/me', { headers: { Authorization: 'Bearer ' + localStorage.token } })`

interface Token {
  readonly algorithm: string
  readonly isSignedWith: (secret: string) => boolean
}

function tokenIn(authorization = ''): Token | undefined {
  const [header = '', payload = '', signature = ''] = authorization.replace('Bearer ', '').split('.')
  if (payload === '') return undefined
  const { alg } = JSON.parse(Buffer.from(header, 'base64url').toString())
  const isSignedWith = (secret: string) =>
    createHmac('sha256', secret).update(`${header}.${payload}`).digest('base64url') === signature
  return { algorithm: alg, isSignedWith }
}

/** An API that a script calls; `status` is the response to a request with a token. */
function serve(status: (token: Token) => number, script = loggedIn, realm?: string): RequestListener {
  return ({ url, headers }, response) => {
    response.setHeader('connection', 'close')
    const token = tokenIn(headers.authorization)
    if (url === '/') response.end(`<title>Canteen menu</title><script>${script}</script>`)
    else if (url !== '/api/me') response.writeHead(404).end()
    else {
      if (realm !== undefined) response.setHeader('www-authenticate', realm)
      response.writeHead(token ? status(token) : 401).end('{"name":"admin"}')
    }
  }
}

it.each<[string, (token: Token) => number, readonly string[]]>([
  ['verifies the signature', ({ isSignedWith }) => (isSignedWith('bXkgb3duIHJhbmRvbSBieXRlcw') ? 200 : 401), []],
  ['accepts unsigned tokens', ({ algorithm }) => (algorithm === 'none' ? 200 : 401), ['jwt-unsigned-accepted']],
  [
    'accepts them, but requires a role',
    ({ algorithm }) => (algorithm === 'none' ? 403 : 401),
    ['jwt-unsigned-accepted'],
  ],
  ['searches for the user', ({ algorithm }) => (algorithm === 'none' ? 404 : 401), ['jwt-unsigned-accepted']],
  ['rejects unknown algorithms in another way', ({ algorithm }) => (algorithm === 'HS256' ? 401 : 403), []],
  ['verifies no signature', () => 200, ['jwt-unsigned-accepted']],
  ['rejects every token', () => 403, []],
  [
    'signs with a secret of an example',
    ({ isSignedWith }) => (isSignedWith('secret') ? 200 : 401),
    ['jwt-weak-secret'],
  ],
  ['signs with its own name', ({ isSignedWith }) => (isSignedWith('canteen') ? 403 : 401), ['jwt-weak-secret']],
  [
    'rejects others as unprocessable',
    ({ isSignedWith }) => (isSignedWith('secretKey') ? 200 : 422),
    ['jwt-weak-secret'],
  ],
])('evaluates an API that %s', async (_, status, expected) => {
  expect((await findOnSite(serve(status))).filter((id) => checks.includes(id))).toEqual(expected)
})

it.each<[string, string, string | undefined, number]>([
  ['without a sign of tokens', `fetch('/api/me')`, undefined, 0],
  ['with a Bearer challenge', `fetch('/api/me')`, 'Bearer', 11],
  ['with a password dialog', loggedIn, 'Basic realm="menu"', 0],
])('sends forged tokens to an API %s', async (_, script, realm, expected) => {
  let sent = 0
  const listener = serve(() => 401, script, realm)
  await findOnSite((request, response) => {
    if (request.headers.authorization?.startsWith('Bearer ')) sent++
    listener(request, response)
  })
  expect(sent > 0).toBe(expected > 0)
  expect(sent).toBeLessThan(23)
})

it('finds a call that only a comment of a script names', async () => {
  const script = `localStorage.token = ''\n// the menu uses GET /api/me\n`
  const found = await findOnSite(serve(({ algorithm }) => (algorithm === 'none' ? 200 : 401), script))
  expect(found).toContain('jwt-unsigned-accepted')
})

it('finds an operation of an OpenAPI description', async () => {
  const description = { openapi: '3.0.0', paths: { '/api/me': { get: {} } } }
  const listener = serve(({ algorithm }) => (algorithm === 'none' ? 200 : 401), '')
  const found = await findOnSite((request, response) => {
    if (request.url === '/openapi.json') response.end(JSON.stringify(description))
    else listener(request, response)
  })
  expect(found).toContain('jwt-unsigned-accepted')
})

it.each<[string, (token: Token) => boolean, readonly string[]]>([
  ['an unsigned token', ({ algorithm }) => algorithm === 'none', ['jwt-unsigned-accepted']],
  ['a token with a usual secret', ({ isSignedWith }) => isSignedWith('secret'), ['jwt-weak-secret']],
  ['a token with a secret of its own', ({ isSignedWith }) => isSignedWith('bXkgb3duIHJhbmRvbSBieXRlcw'), []],
])('evaluates a page that accepts %s in a cookie', async (_, accepts, expected) => {
  const found = await findOnSite(({ url, headers }, response) => {
    response.setHeader('connection', 'close')
    const token = tokenIn(/(?:^|; )session=([^;]{1,2000})/.exec(headers.cookie ?? '')?.[1])
    if (url === '/') response.end('<title>Canteen menu</title>')
    else if (url !== '/admin') response.writeHead(404).end()
    else if (token && accepts(token)) response.end('<h1>Orders</h1>')
    else response.writeHead(302, { location: '/login' }).end()
  })
  expect(found.filter((id) => checks.includes(id))).toEqual(expected)
})
