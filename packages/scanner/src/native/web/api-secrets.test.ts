import type { RequestListener } from 'node:http'
import { expect, it } from 'vitest'
import { findOnSite } from '#native/testing/examine.ts'

const description = { openapi: '3.0.0', paths: { '/internal/config': { get: {} } } }

function serve(config: unknown): RequestListener {
  return ({ url }, response) => {
    response.setHeader('connection', 'close')
    if (url === '/openapi.json') response.end(JSON.stringify(description))
    else if (url === '/internal/config') response.end(typeof config === 'string' ? config : JSON.stringify(config))
    else response.writeHead(404).end()
  }
}

it.each<[string, unknown, boolean]>([
  ['a password', { db_password: 'correct-horse' }, true],
  ['a nested key', { mail: { 'smtp.secret-key': 'correct-horse-battery' } }, true],
  ['a masked password', { db_password: '********' }, false],
  ['an empty password', { db_password: '' }, false],
  ['labels of a form', { password: 'Password', 'login.password': 'Kennwort:', password_hint: 'Choose one' }, false],
  ['a label and a password', { 'form.password': 'Password', db_password: 'correct-horse' }, true],
  ['an escaped placeholder', String.raw`{"password":"\u003cpassword\u003e"}`, false],
  ['a placeholder', { apiKey: 'changeme', password: '<password>' }, false],
  ['settings', { passwordMinLength: '12', tokenLifetime: '3600' }, false],
])('evaluates a configuration with %s', async (_, config, expected) => {
  expect((await findOnSite(serve(config))).includes('api-secrets-exposed')).toBe(expected)
})

it.each([
  ['keys', [{ id: 'k1', label: 'ERP', key: 'live_5b2f7c0de1a94433' }], true],
  ['names of keys', [{ id: 'k1', key: 'erp-synchronization' }], false],
])('evaluates a list of %s', async (_, keys, expected) => {
  const found = await findOnSite(({ url }, response) => {
    response.setHeader('connection', 'close')
    if (url === '/openapi.json')
      response.end(JSON.stringify({ openapi: '3.0.0', paths: { '/admin/keys': { get: {} } } }))
    else if (url === '/admin/keys') response.end(JSON.stringify(keys))
    else response.writeHead(404).end()
  })
  expect(found.includes('api-secrets-exposed')).toBe(expected)
})

it.each([
  ['a connection', `https://shop:${'correct-horse'}@api.shop.test/orders`, true],
  ['the example of a text', 'https://myLogin:myPassword@my_server', false],
])('evaluates the URL of %s', async (_, url, expected) => {
  const found = await findOnSite(({ url: path }, response) => {
    response.setHeader('connection', 'close')
    if (path === '/openapi.json')
      response.end(JSON.stringify({ openapi: '3.0.0', paths: { '/api/texts': { get: {} } } }))
    else if (path === '/api/texts') response.end(JSON.stringify({ url }))
    else response.writeHead(404).end()
  })
  expect(found.includes('api-secrets-exposed')).toBe(expected)
})

it('reads the internal paths that robots.txt names', async () => {
  const found = await findOnSite(({ url }, response) => {
    response.setHeader('connection', 'close')
    if (url === '/') response.end('<h1>Staff</h1>')
    else if (url === '/robots.txt') response.end('User-agent: *\nDisallow: /debug/config\n')
    else if (url === '/debug/config') response.end('{"env":{"LDAP_PASSWORD":"correct-horse-9"}}')
    else response.writeHead(404).end()
  })
  expect(found).toContain('api-secrets-exposed')
})

it.each<[string, Readonly<Record<string, number>>, boolean]>([
  ['one of two', { '/orders': 200, '/profile': 401 }, true],
  ['all', { '/orders': 401, '/profile': 401 }, false],
  ['none', { '/orders': 200, '/profile': 200 }, false],
  ['all but its version', { '/api': 200, '/profile': 401 }, false],
])('evaluates an API that enforces the declared authentication for %s', async (_, statuses, expected) => {
  const paths = Object.fromEntries(Object.keys(statuses).map((path) => [path, { get: { security: [{ bearer: [] }] } }]))
  const found = await findOnSite(({ url = '' }, response) => {
    response.setHeader('connection', 'close')
    if (url === '/openapi.json') response.end(JSON.stringify({ openapi: '3.0.0', paths }))
    else response.writeHead(statuses[url] ?? 404).end('{"id":1}')
  })
  expect(found.includes('api-operation-unprotected')).toBe(expected)
})
