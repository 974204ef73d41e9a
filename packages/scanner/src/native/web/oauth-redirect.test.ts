import { expect, it } from 'vitest'
import { findOnSite } from '#native/testing/examine.ts'

const registered = 'https://shop.example.com/callback'
const metadata = { issuer: 'https://login.example.com', authorization_endpoint: 'https://login.example.com/authorize' }
const link = `<a href="/authorize?client_id=shop&amp;redirect_uri=${encodeURIComponent(registered)}">Sign in</a>`
const script = `<script>login({ client_id: 'shop', redirect_uri: '${registered}' })</script>`

interface Provider {
  readonly accepts: (redirect: string) => boolean
  readonly page?: string
  readonly error?: string
  readonly hasMetadata?: boolean
}

async function isFound({ accepts, page = link, error = 'login_required', hasMetadata = false }: Provider) {
  const found = await findOnSite(({ url = '' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://here.invalid')
    const redirect = searchParams.get('redirect_uri') ?? ''
    const isClient = pathname === '/authorize' && searchParams.get('client_id') === 'shop'
    response.setHeader('connection', 'close')
    if (isClient && (redirect === registered || accepts(redirect)))
      response.writeHead(302, { location: `${redirect}?error=${error}&state=${searchParams.get('state')}` }).end()
    else if (pathname === '/') response.end(`<!doctype html><title>Login</title>${page}`)
    else if (hasMetadata && pathname === '/.well-known/openid-configuration') response.end(JSON.stringify(metadata))
    else response.writeHead(400).end('invalid request')
  })
  return found.includes('oauth-redirect-unchecked')
}

const { hostname } = new URL(registered)

it.each<[string, Provider, boolean]>([
  ['any address', { accepts: () => true }, true],
  ['any address of a client in a script', { accepts: () => true, page: script, hasMetadata: true }, true],
  ['addresses that start alike', { accepts: (to) => to.startsWith('https://shop.example.com') }, true],
  ['hosts that end alike', { accepts: (to) => URL.parse(to)?.hostname.endsWith(hostname) === true }, true],
  ['addresses that contain the host', { accepts: (to) => to.includes(hostname) }, true],
  ['only the registered address', { accepts: () => false }, false],
  ['other paths of the same host', { accepts: (to) => URL.parse(to)?.hostname === hostname }, false],
  ['any address for its errors only', { accepts: () => true, error: 'invalid_request' }, false],
  ['any address of unknown clients', { accepts: () => true, page: '' }, false],
])('evaluates a provider that accepts %s', async (_, provider, expected) => {
  expect(await isFound(provider)).toBe(expected)
})
