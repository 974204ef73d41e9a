import { expect, it } from 'vitest'
import { findOnSite } from '#native/testing/examine.ts'
import { setupTitleOf, withoutAuthentication } from '#native/web/state.ts'

function examine(page: string, calls: Readonly<Record<string, unknown>>) {
  return findOnSite(({ url = '' }, response) => {
    const body = url === '/' ? page : JSON.stringify(calls[url])
    const type = url === '/' ? 'text/html' : 'application/json'
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': type, connection: 'close' }).end(body)
  })
}
const script = '<script>fetch("/api/app")</script>'

it.each<[string, string, string, unknown]>([
  ['authentication-disabled', 'a call', script, { authenticationRequired: false }],
  ['authentication-disabled', 'an inner object of a call', script, { security: { enable_auth: false } }],
  ['authentication-disabled', 'the start page', '<script>window.settings = {"noAuth": true}</script>', undefined],
  ['registration-open', 'a call', script, { allowRegistration: true }],
  ['registration-open', 'the start page', '<script>window.env = {"enableSignup": true}</script>', undefined],
  [
    'registration-open',
    'the settings',
    '<script>window.config = {"register": true, "version": {}}</script>',
    undefined,
  ],
  ['setup-not-completed', 'a call', script, { adminRegistrationOpen: true, version: '3.1.0' }],
])('proves %s by %s', async (id, _, page, answer) => {
  expect(await examine(page, { '/api/app': answer })).toContain(id)
})

it.each<[string, unknown]>([
  ['authentication is required', { authenticationRequired: true, adminRegistrationOpen: false }],
  ['a share has no password', { passwordProtected: false, loginAttempts: 0 }],
])('is silent if %s', async (_, answer) => {
  const found = await examine(script, { '/api/app': answer })
  expect(found.filter((id) => /^(?:authentication|setup)/.test(id))).toEqual([])
})

it.each(['{"register": false}', '{"actions": {"register": true}}'])(
  'is silent about the registration in %s',
  async (text) => {
    expect(await examine(`<script>window.config = ${text}</script>`, {})).not.toContain('registration-open')
  },
)

it.each([
  ['/api/install-status', true],
  ['/api/v1/setup/status', true],
  ['/api/model-audit/check-installed', false],
])('evaluates whether something is installed in %s', async (path, expected) => {
  const found = await examine(`<script>fetch("${path}")</script>`, { [path]: { installed: false } })
  expect(found.includes('setup-not-completed')).toBe(expected)
})

it.each([
  ['/rest/settings', { data: { userManagement: { showSetupOnFirstLoad: true } } }, true],
  ['/admin/init', { data: { uuid: false, hasAdmin: false } }, true],
  ['/admin/init', { data: { hasAdmin: true } }, false],
  ['/api/status', { data: { search: { installed: false } } }, false],
])('evaluates the inner objects of %s, which no script names: %o', async (path, answer, expected) => {
  const found = await examine('<script src="/app.js"></script>', { '/app.js': 'start()', [path]: answer })
  expect(found.includes('setup-not-completed')).toBe(expected)
})

it.each([
  [[{ step: 'user', done: false }], true],
  [
    [
      { step: 'user', done: true },
      { step: 'integration', done: false },
    ],
    false,
  ],
  [[{ user: 'ann', done: false }], false],
])('evaluates the steps of a setup: %o', async (steps, expected) => {
  const found = await examine('<script>fetch("/api/onboarding")</script>', { '/api/onboarding': steps })
  expect(found.includes('setup-not-completed')).toBe(expected)
})

it.each([
  ['{"authType":"none","version":"2.4.1"}', '/api/config', '"authType":"none"'],
  ['{"type":"none","exclude_paths":[]}', '/api/auth/type', '"type":"none"'],
  ['{"type":"none"}', '/api/settings', undefined],
  ['{"authType":"oidc"}', '/api/config', undefined],
  ['{"mail":{"auth":"none"}}', '/api/config', undefined],
  ['{"smtp_auth":"none"}', '/api/config', undefined],
])('reads the authentication in %s at %s', (body, path, expected) => {
  expect(withoutAuthentication(body, path)).toBe(expected)
})

it.each([
  ['opens a call', '{"sub":""}', 401, true],
  ['is for guests', '{"role":"guest"}', 401, false],
  ['opens nothing that is closed', '{"sub":""}', 200, false],
])('evaluates a token without credentials that %s', async (_, claims, closed, expected) => {
  const encoded = (text: string) => Buffer.from(text).toString('base64url')
  const token = `${encoded('{"alg":"HS256"}')}.${encoded(claims)}.${encoded('made-up signature')}`
  const found = await findOnSite(({ url = '', method, headers }, response) => {
    const page = '<script>axios.post("/api/signin"); axios.get("/api/jobs")</script>'
    const isOpen = url === '/' || headers.authorization === `Bearer ${token}`
    const signedIn = url === '/api/signin' && method === 'POST' ? JSON.stringify({ token }) : undefined
    const body = url === '/' ? page : (signedIn ?? (url === '/api/jobs' ? '[]' : undefined))
    const status = signedIn !== undefined || isOpen ? 200 : url === '/api/jobs' ? closed : 404
    response.writeHead(status, { 'content-type': url === '/' ? 'text/html' : 'application/json', connection: 'close' })
    response.end(status === 200 ? body : '')
  })
  expect(found.includes('authentication-disabled')).toBe(expected)
})

it.each([
  ['Zigbee2MQTT Onboarding', 'fetch("/submit", { method: "POST" })', true],
  ['Zigbee2MQTT - Setup wizard', 'fetch("/submit", { method: "POST" })', true],
  ['Zigbee2MQTT', 'fetch("/submit", { method: "POST" })', false],
  ['Staff Onboarding', 'fetch("/submit", { method: "POST" })', false],
  ['Zigbee2MQTT Onboarding', 'fetch("/data")', false],
  ['Zigbee2MQTT Onboarding', 'fetch("/submit", { method: "POST" }); show("/login")', false],
])('recognizes a setup by its title %s in an application with %s', (title, script, expected) => {
  const body = `<title>${title}</title><div id="root"></div>`
  const front = { status: 200, headers: [], body, request: '', received: '', path: '/' }
  expect(setupTitleOf({ front, scripts: [script] }, ['Zigbee2MQTT']) !== undefined).toBe(expected)
})
