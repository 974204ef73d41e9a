import { expect, it } from 'vitest'
import { findOnSite } from '#native/testing/examine.ts'

async function isFound(origins: Readonly<Record<string, 'any' | 'own'>>, hasCredentials = true): Promise<boolean> {
  const found = await findOnSite(({ url = '', headers }, response) => {
    response.setHeader('connection', 'close')
    const kind = origins[url]
    if (kind && headers.origin) {
      response.setHeader('access-control-allow-origin', kind === 'any' ? headers.origin : 'https://shop.example')
      if (hasCredentials) response.setHeader('access-control-allow-credentials', 'true')
    }
    if (url === '/') response.end(`<script>fetch('/api/me')</script>`)
    else response.writeHead(url === '/api/me' ? 401 : 404).end()
  })
  return found.includes('cors-reflects-origin-api')
}

it('finds an API that reflects any origin', async () => {
  expect(await isFound({ '/api/me': 'any' })).toBe(true)
})

it.each([
  ['null', (origin: string) => origin === 'null', true],
  ['a name that begins like its own', (origin: string) => origin.startsWith('https://www.shop.example'), true],
  ['a name that ends like its own', (origin: string) => origin.endsWith('shop.example'), true],
  ['only its own', (origin: string) => origin === 'https://www.shop.example', false],
])('evaluates an API that allows %s', async (_, isAllowed, expected) => {
  const found = await findOnSite(({ url = '', headers: { origin = '' } }, response) => {
    response.setHeader('connection', 'close')
    if (url === '/api/me' && isAllowed(origin))
      response.setHeader('access-control-allow-origin', origin).setHeader('access-control-allow-credentials', 'true')
    if (url === '/')
      response.end(`<link rel="canonical" href="https://www.shop.example/"><script>fetch('/api/me')</script>`)
    else response.end('{}')
  })
  expect(found.includes('cors-reflects-origin-api')).toBe(expected)
})

it.each<[string, Readonly<Record<string, 'any' | 'own'>>, boolean]>([
  ['a fixed origin', { '/api/me': 'own' }, true],
  ['an API without credentials', { '/api/me': 'any' }, false],
  ['a start page that does the same, which another check reports', { '/': 'any', '/api/me': 'any' }, true],
])('is silent on %s', async (_, origins, hasCredentials) => {
  expect(await isFound(origins, hasCredentials)).toBe(false)
})
