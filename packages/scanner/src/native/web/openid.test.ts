import type { RequestListener } from 'node:http'
import { expect, it } from 'vitest'
import { findOnSite } from '#native/testing/examine.ts'

const metadata = {
  issuer: 'https://login.example.com',
  jwks_uri: 'https://login.example.com/oauth2/keys',
  token_endpoint: 'https://login.example.com/oauth2/token',
  userinfo_endpoint: 'https://login.example.com/oauth2/userinfo',
  registration_endpoint: 'https://login.example.com/oauth2/register',
}
const publicKey = { kty: 'RSA', kid: '1', n: 'AQAB'.repeat(20), e: 'AQAB' }
const privateKey = { ...publicKey, d: 'AQAB'.repeat(20) }

/** A provider below a proxy, with these responses as JSON. */
function serve(pages: Readonly<Record<string, unknown>>, accepts: (header: string) => boolean): RequestListener {
  const all: typeof pages = { '/.well-known/openid-configuration': metadata, ...pages }
  return ({ url = '', headers }, response) => {
    response.setHeader('connection', 'close')
    const [, token = ''] = (headers.authorization ?? '').split(' ')
    const header = Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()
    if (url === '/oauth2/userinfo') response.writeHead(accepts(header) ? 200 : 401).end('{"sub":"admin"}')
    else if (all[url]) response.end(JSON.stringify(all[url]))
    else response.writeHead(404).end()
  }
}

const findAt = (pages: Readonly<Record<string, unknown>>) => findOnSite(serve(pages, () => false))

it.each<[string, Readonly<Record<string, unknown>>, boolean]>([
  ['a private key', { '/oauth2/keys': { keys: [publicKey, privateKey] } }, true],
  ['a private key of an elliptic curve', { '/oauth2/keys': { keys: [{ ...privateKey, kty: 'EC' }] } }, true],
  ['public keys', { '/oauth2/keys': { keys: [publicKey] } }, false],
  ['public keys, and a private key elsewhere', { '/.well-known/jwks.json': { keys: [privateKey] } }, false],
  [
    'the keys of another provider',
    {
      '/oauth2/keys': { keys: [privateKey] },
      '/.well-known/openid-configuration': { ...metadata, jwks_uri: 'https://keys.example.net/oauth2/keys' },
    },
    false,
  ],
])('evaluates a provider that publishes %s', async (_, pages, expected) => {
  expect((await findAt(pages)).includes('oidc-private-key-exposed')).toBe(expected)
})

const clients = (client_secret?: string) => [{ client_id: 'shop', client_secret, redirect_uris: ['shop://callback'] }]

it.each<[string, Readonly<Record<string, unknown>>, boolean]>([
  ['at the registration endpoint', { '/oauth2/register': clients('correct-horse') }, true],
  ['next to the token endpoint', { '/oauth2/clients': { clients: clients('correct-horse') } }, true],
  ['that are masked', { '/oauth2/clients': clients('********') }, false],
  ['that are missing', { '/oauth2/clients': clients() }, false],
])('evaluates a list of clients with secrets %s', async (_, pages, expected) => {
  expect((await findAt(pages)).includes('oidc-client-secrets-exposed')).toBe(expected)
})

it.each<[string, (header: string) => boolean, boolean]>([
  ['unsigned tokens', (header) => header.includes('none'), true],
  ['any token', (header) => header !== '', false],
  ['no token', () => false, false],
])('evaluates a UserInfo endpoint that accepts %s', async (_, accepts, expected) => {
  expect((await findOnSite(serve({}, accepts))).includes('jwt-unsigned-accepted')).toBe(expected)
})
