import { once } from 'node:events'
import { createServer } from 'node:http'
import { afterAll, expect, it } from 'vitest'
import type { Browser, Reply } from '#testing/browser.ts'
import {
  codeIn,
  complete,
  createTestIdentity,
  enrolTotp,
  messageIds,
  messageIdsOn,
  newAddress,
  nodeOf,
  portalUrl,
  publicUrl,
  register,
  sharedTestIdentity,
  valueOf,
} from '#testing/test-identity.ts'
import { type Claims, openOtherService, visit, walk } from '#testing/other-service.ts'

const other = await openOtherService(['local-op', 'second-op'])
afterAll(() => other.close())
const dead = { id: 'dead-op', issuer: 'http://127.0.0.1:9', clientId: 'x' }
const identity = await sharedTestIdentity({
  methods: { oidc: [other.options('local-op', 'Local OP'), other.options('second-op'), dead] },
})

const login = '/self-service/login/browser'
const registration = '/self-service/registration/browser'
const settings = '/self-service/settings/browser'
const name = { given_name: 'John', family_name: 'Frost' }

let people = 0
function appear(claims: Claims) {
  people += 1
  const subject = `subject-${people}`
  other.present = { subject, claims }
  return subject
}
const goBy = async (browser: Browser, start: string, body: Record<string, unknown> = { provider: 'local-op' }) =>
  visit(browser, await complete(browser, start, body))
const flowAt = async (browser: Browser, kind: string, answer: Reply) =>
  (await browser.get(`/self-service/${kind}/flows?id=${String(answer.headers.location).split('flow=')[1]}`)).body
const whoami = async (browser: Browser) => (await browser.get('/sessions/whoami')).body

async function newcomer(claims: Claims = {}) {
  const email = newAddress()
  appear({ email, email_verified: true, ...name, ...claims })
  const browser = identity.browser()
  const answer = await goBy(browser, login)
  return { browser, email, answer }
}
async function member() {
  const browser = identity.browser()
  const email = newAddress()
  await register(browser, email)
  return { browser, email }
}

it('goes to the provider with PKCE, state and nonce', async () => {
  const answer = await complete(identity.browser(), login, { provider: 'local-op' })
  const url = new URL(answer.body.redirect_browser_to)
  const asked = Object.fromEntries(url.searchParams)
  expect([answer.status, url.origin]).toEqual([422, other.issuer])
  expect(asked).toMatchObject({
    client_id: 'client-local-op',
    code_challenge_method: 'S256',
    redirect_uri: `${publicUrl}/self-service/methods/oidc/callback/local-op`,
    response_type: 'code',
    scope: 'openid email profile',
  })
  expect([asked['state'], asked['nonce'], asked['code_challenge']].map((text) => (text ?? '').length >= 43)).toEqual([
    true,
    true,
    true,
  ])
})

it('makes an account of a new person, verified where the provider says so, and knows it again', async () => {
  const { browser, email, answer } = await newcomer()
  expect([answer.status, answer.headers.location]).toEqual([303, `${portalUrl}/overview`])
  const session = await whoami(browser)
  expect(session.authentication_methods).toMatchObject([{ method: 'oidc', aal: 'aal1', provider: 'local-op' }])
  expect(session.identity.verifiable_addresses[0]).toMatchObject({ value: email, verified: true })
  const again = identity.browser()
  await goBy(again, login)
  expect((await whoami(again)).identity.id).toBe(session.identity.id)
})

it('asks a new person whose address the provider does not vouch for to prove it', async () => {
  const { browser, email, answer } = await newcomer({ email_verified: false })
  expect(answer.headers.location).toContain(`${portalUrl}/verification?flow=`)
  expect((await whoami(browser)).identity.verifiable_addresses[0].verified).toBe(false)
  expect(codeIn((await identity.mailsTo(email))[0])).toMatch(/^\d{6}$/)
})

it.each([true, false])('never opens an existing account by its address (verified there: %s)', async (isVerified) => {
  const { email } = await member()
  appear({ email, email_verified: isVerified, ...name })
  const browser = identity.browser()
  const answer = await goBy(browser, login)
  const flow = await flowAt(browser, 'login', answer)
  expect(messageIds(flow)).toEqual([4000027])
  expect((await browser.get('/sessions/whoami')).status).toBe(401)
})

it('asks for what the provider did not say, and ends the sign-up after the second visit', async () => {
  const email = newAddress()
  appear({ email, email_verified: true })
  const browser = identity.browser()
  const answer = await goBy(browser, registration)
  expect(answer.status).toBe(302)
  const flow = await flowAt(browser, 'registration', answer)
  expect(flow.ui.nodes.map((node: Reply['body']) => node.attributes.name)).toEqual([
    'provider',
    'csrf_token',
    'traits.email',
    'traits.name.first',
    'traits.name.last',
  ])
  expect([valueOf(flow, 'traits.email'), ...messageIdsOn(flow, 'traits.name.first')]).toEqual([email, 4000002])
  const body = {
    csrf_token: valueOf(flow, 'csrf_token'),
    provider: 'local-op',
    traits: { email, name: { first: 'Bob', last: 'Ross' } },
  }
  await visit(browser, await browser.post(flow.ui.action, body))
  expect((await whoami(browser)).identity.traits.name).toEqual({ first: 'Bob', last: 'Ross' })
})

it('takes an address that was typed for unproved, whatever the provider says of another', async () => {
  appear({ email: newAddress(), email_verified: true, ...name })
  const browser = identity.browser()
  const email = newAddress()
  await goBy(browser, registration, { provider: 'local-op', traits: { email } })
  const session = await whoami(browser)
  expect(session.identity.verifiable_addresses[0]).toMatchObject({ value: email, verified: false })
})

it('says what the provider said when it refuses', async () => {
  other.present = null
  const browser = identity.browser()
  const flow = await flowAt(browser, 'login', await goBy(browser, login))
  expect([flow.active, flow.ui.messages[0].text]).toEqual([
    'oidc',
    'Unable to complete OpenID Connect flow because the OpenID Provider returned error "access_denied": End-User aborted interaction',
  ])
})

it('lets a provider that cannot be reached spoil its own button and nothing else', async () => {
  const browser = identity.browser()
  const { status, body } = await complete(browser, login, { provider: 'dead-op' })
  expect([status, ...messageIds(body)]).toEqual([400, 4000001])
  expect(body.ui.messages[0].text).toContain('dead-op can not be reached')
  expect((await newcomer()).answer.status).toBe(303)
})

it('knows no other providers', async () => {
  const { status, body } = await complete(identity.browser(), login, { provider: 'nonesuch' })
  expect([status, body.error.reason]).toEqual([
    404,
    'OpenID Connect Provider "nonesuch" is unknown or has not been configured',
  ])
})

it('takes no callback of another browser, another journey, or one that came before', async () => {
  appear({ email: newAddress(), email_verified: true, ...name })
  const browser = identity.browser()
  const start = await complete(browser, login, { provider: 'local-op' })
  const callback = await walk(start.body.redirect_browser_to)
  expect((await identity.browser().get(callback)).status).toBe(400)
  expect((await browser.get(callback.replace(/state=[^&]*/, 'state=other'))).status).toBe(400)
  const cookies = new Map(browser.jar)
  expect((await browser.open(callback)).status).toBe(303)
  for (const [key, value] of cookies) browser.jar.set(key, value)
  expect((await browser.get(callback)).body.error.reason).toBe(
    'Unable to complete OpenID Connect flow because the state parameter is invalid.',
  )
})

it('takes no answer that comes from another issuer or with another code', async () => {
  appear({ email: newAddress(), email_verified: true, ...name })
  for (const [part, value] of [
    ['iss', 'https://evil.example'],
    ['code', 'stolen'],
  ] as const) {
    const browser = identity.browser()
    const start = await complete(browser, login, { provider: 'local-op' })
    const callback = new URL(await walk(start.body.redirect_browser_to))
    callback.searchParams.set(part, value)
    const flow = await flowAt(browser, 'login', await browser.open(callback.href))
    expect([part, ...messageIds(flow)]).toEqual([part, 4000001])
    expect((await browser.get('/sessions/whoami')).status).toBe(401)
  }
})

it('links and unlinks from the settings, and keeps the last way in', async () => {
  const { browser } = await member()
  appear({ email: newAddress(), ...name })
  const answer = await goBy(browser, settings, { link: 'second-op' })
  const flow = await flowAt(browser, 'settings', answer)
  expect([flow.state, ...messageIds(flow), valueOf(flow, 'unlink')]).toEqual(['success', 1050001, 'second-op'])
  const visitor = identity.browser()
  await goBy(visitor, login, { provider: 'second-op' })
  expect((await whoami(visitor)).identity.id).toBe(flow.identity.id)
  const { body } = await complete(browser, settings, { unlink: 'second-op' })
  expect([body.state, nodeOf(body, 'unlink')]).toEqual(['success', undefined])

  const { browser: alone } = await newcomer()
  const { body: form } = await alone.get(settings)
  expect([nodeOf(form, 'unlink'), nodeOf(form, 'link').attributes.value]).toEqual([undefined, 'second-op'])
  const { status, body: refused } = await complete(alone, settings, { unlink: 'local-op' })
  expect([status, ...messageIds(refused)]).toEqual([400, 4000001])
})

it('links nobody who belongs to another account', async () => {
  await newcomer()
  const { browser } = await member()
  const answer = await goBy(browser, settings, { link: 'local-op' })
  expect(messageIds(await flowAt(browser, 'settings', answer))).toEqual([4000001])
})

it('asks who it is before a late link', async () => {
  const { browser } = await member()
  identity.advance(3600_001)
  const { body } = await complete(browser, settings, { link: 'local-op' })
  expect(body.error.id).toBe('session_refresh_required')
})

it('renews a session by the provider it is linked with, and by nobody else there', async () => {
  const { browser } = await newcomer()
  const before = await whoami(browser)
  const { body: flow } = await browser.get(`${login}?refresh=true`)
  expect(flow.ui.nodes.filter((node: Reply['body']) => node.group === 'oidc')).toHaveLength(1)
  await goBy(browser, `${login}?refresh=true`)
  const after = await whoami(browser)
  expect([after.id, after.authentication_methods.length]).toEqual([before.id, 2])
  appear({ email: newAddress(), email_verified: true, ...name })
  const answer = await goBy(browser, `${login}?refresh=true`)
  expect(messageIds(await flowAt(browser, 'login', answer))).toEqual([4010009])
  expect((await whoami(browser)).id).toBe(before.id)
})

it('signs in by plain OAuth 2.0 as well, and takes no address from it for verified', async () => {
  const email = newAddress()
  const server = createServer((request, response) => {
    const isToken = request.url === '/token'
    const body = isToken ? { access_token: 'token', token_type: 'bearer' } : { id: 4711, email, ...name }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const base = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  await using plain = await createTestIdentity({
    methods: {
      oidc: [
        {
          id: 'plain',
          clientId: 'x',
          clientSecret: 'y',
          authorizationUrl: `${base}/authorize`,
          tokenUrl: `${base}/token`,
          userinfoUrl: `${base}/user`,
          scopes: ['read:user'],
        },
      ],
    },
  })
  const browser = plain.browser()
  const start = await complete(browser, login, { provider: 'plain' })
  const { searchParams } = new URL(start.body.redirect_browser_to)
  expect([searchParams.get('scope'), searchParams.get('nonce')]).toEqual(['read:user', null])
  const state = searchParams.get('state') ?? ''
  await browser.open(`/self-service/methods/oidc/callback/plain?code=c&state=${state}`)
  const { identity } = await whoami(browser)
  expect([identity.traits.email, identity.verifiable_addresses[0].verified]).toEqual([email, false])
  server.close()
})

it.each([
  ['http://id.example.org', 'must be https'],
  [undefined, 'needs an issuer'],
])('refuses to start with the issuer %s', async (issuer, reason) => {
  await expect(createTestIdentity({ methods: { oidc: [{ id: 'bad', clientId: 'x', issuer }] } })).rejects.toThrow(
    reason,
  )
})

it('asks a person for the second factor who comes by a provider as well', async () => {
  const { browser } = await newcomer()

  await enrolTotp(identity, browser)
  const visitor = identity.browser()
  const answer = await goBy(visitor, login)
  expect(answer.headers.location).toBe(`${publicUrl}/self-service/login/browser?aal=aal2`)
  expect((await visitor.get('/sessions/whoami')).status).toBe(403)
})

it('takes an answer that comes as a form of another site, which has none of our cookies', async () => {
  appear({ email: newAddress(), email_verified: true, ...name })
  const browser = identity.browser()
  const start = await complete(browser, login, { provider: 'local-op' })
  const callback = new URL(await walk(start.body.redirect_browser_to))
  const stranger = identity.browser()
  const sent = await stranger.submit(callback.pathname, { ...Object.fromEntries(callback.searchParams), extra: 'x' })
  expect([sent.status, stranger.jar.has('ory_kratos_session')]).toEqual([303, false])
  const forwarded = new URL(String(sent.headers.location))
  expect([...forwarded.searchParams.keys()].toSorted()).toEqual([...callback.searchParams.keys()].toSorted())
  expect((await browser.open(forwarded.href)).status).toBe(303)
  expect((await whoami(browser)).active).toBe(true)
})

it('asks for an answer by form where the provider insists', async () => {
  await using apple = await createTestIdentity({
    methods: { oidc: [{ ...other.options('local-op'), responseMode: 'form_post' }] },
  })
  const { body } = await complete(apple.browser(), login, { provider: 'local-op' })
  expect(new URL(body.redirect_browser_to).searchParams.get('response_mode')).toBe('form_post')
})

it('bounds the sign-ups by another service like all others, and lets in who has an account', async () => {
  await using small = await createTestIdentity({ signUpsMax: 1, methods: { oidc: [other.options('local-op')] } })
  const come = async () => {
    const browser = small.browser()
    const answer = await goBy(browser, login)
    return { answer, isIn: (await browser.get('/sessions/whoami')).status === 200, browser }
  }
  appear({ email: newAddress(), email_verified: true, ...name })
  expect([(await come()).isIn, (await come()).isIn]).toEqual([true, true])
  appear({ email: newAddress(), email_verified: true, ...name })
  const { answer, isIn, browser } = await come()
  expect([isIn, messageIds(await flowAt(browser, 'login', answer))]).toEqual([false, [4000001]])
})

it('makes no account where signing up is closed', async () => {
  await using closed = await createTestIdentity({
    disabledFlows: ['registration'],
    methods: { oidc: [other.options('local-op')] },
  })
  appear({ email: newAddress(), email_verified: true, ...name })
  const browser = closed.browser()
  const answer = await goBy(browser, login)
  expect(messageIds(await flowAt(browser, 'login', answer))).toEqual([4000001])
  expect((await browser.get('/sessions/whoami')).status).toBe(401)
})
