import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { afterAll, expect, it } from 'vitest'
import type { Browser, Reply } from '#testing/browser.ts'
import {
  codeIn,
  submitNewFlow,
  createTestIdentity,
  enrollTotp,
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
import {
  type Claims,
  startTestOidcProvider,
  completeAtProvider,
  followToCallback,
} from '#testing/test-oidc-provider.ts'

const testProvider = await startTestOidcProvider(['local-op', 'second-op', 'forged-op'])
const secretSigner = await startTestOidcProvider(['secret-op'], publicUrl, [], 'HS256')
afterAll(() => Promise.all([testProvider.close(), secretSigner.close()]))
const unreachableProvider = { id: 'dead-op', issuer: 'http://127.0.0.1:9', clientId: 'x' }
const identity = await sharedTestIdentity({
  methods: {
    oidc: [
      testProvider.optionsFor('local-op', 'Local OP'),
      testProvider.optionsFor('second-op'),
      testProvider.optionsFor('forged-op'),
      secretSigner.optionsFor('secret-op'),
      unreachableProvider,
    ],
  },
})

const login = '/self-service/login/browser'
const registration = '/self-service/registration/browser'
const settings = '/self-service/settings/browser'
const name = { given_name: 'John', family_name: 'Frost' }

let userCount = 0
function setProviderUser(claims: Claims) {
  userCount += 1
  const subject = `subject-${userCount}`
  testProvider.currentUser = { subject, claims }
  return subject
}
const signInWithProvider = async (
  browser: Browser,
  start: string,
  body: Record<string, unknown> = { provider: 'local-op' },
) => completeAtProvider(browser, await submitNewFlow(browser, start, body))
const fetchFlow = async (browser: Browser, kind: string, response: Reply) =>
  (await browser.get(`/self-service/${kind}/flows?id=${String(response.headers.location).split('flow=')[1]}`)).body
const whoami = async (browser: Browser) => (await browser.get('/sessions/whoami')).body

async function registerWithProvider(claims: Claims = {}) {
  const email = newAddress()
  setProviderUser({ email, email_verified: true, ...name, ...claims })
  const browser = identity.browser()
  const response = await signInWithProvider(browser, login)
  return { browser, email, response }
}
async function registerUser() {
  const browser = identity.browser()
  const email = newAddress()
  await register(browser, email)
  return { browser, email }
}

it('SEC-A9 redirects to the provider with PKCE, state, and nonce', async () => {
  const response = await submitNewFlow(identity.browser(), login, { provider: 'local-op' })
  const url = new URL(response.body.redirect_browser_to)
  const parameters = Object.fromEntries(url.searchParams)
  expect([response.status, url.origin]).toEqual([422, testProvider.issuer])
  expect(parameters).toMatchObject({
    client_id: 'client-local-op',
    code_challenge_method: 'S256',
    redirect_uri: `${publicUrl}/self-service/methods/oidc/callback/local-op`,
    response_type: 'code',
    scope: 'openid email profile',
  })
  expect(
    [parameters['state'], parameters['nonce'], parameters['code_challenge']].map((text) => (text ?? '').length >= 43),
  ).toEqual([true, true, true])
})

it('creates an account with the verified address of the provider, and signs in to it again', async () => {
  const { browser, email, response } = await registerWithProvider()
  expect([response.status, response.headers.location]).toEqual([303, `${portalUrl}/overview`])
  const session = await whoami(browser)
  expect(session.authentication_methods).toMatchObject([{ method: 'oidc', aal: 'aal1', provider: 'local-op' }])
  expect(session.identity.verifiable_addresses[0]).toMatchObject({ value: email, verified: true })
  const again = identity.browser()
  await signInWithProvider(again, login)
  expect((await whoami(again)).identity.id).toBe(session.identity.id)
})

it('requires verification of an address that the provider reports as unverified', async () => {
  const { browser, email, response } = await registerWithProvider({ email_verified: false })
  expect(response.headers.location).toContain(`${portalUrl}/verification?flow=`)
  expect((await whoami(browser)).identity.verifiable_addresses[0].verified).toBe(false)
  expect(codeIn((await identity.mailsTo(email))[0])).toMatch(/^\d{6}$/)
})

it.each([true, false])(
  'SEC-A9 never signs in to an existing account by its address (verified by provider: %s)',
  async (isVerified) => {
    const { email } = await registerUser()
    setProviderUser({ email, email_verified: isVerified, ...name })
    const browser = identity.browser()
    const response = await signInWithProvider(browser, login)
    const flow = await fetchFlow(browser, 'login', response)
    expect(messageIds(flow)).toEqual([4000027])
    expect((await browser.get('/sessions/whoami')).status).toBe(401)
  },
)

it('asks for traits that the provider did not supply, and then completes the registration', async () => {
  const email = newAddress()
  setProviderUser({ email, email_verified: true })
  const browser = identity.browser()
  const response = await signInWithProvider(browser, registration)
  expect(response.status).toBe(302)
  const flow = await fetchFlow(browser, 'registration', response)
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
  await completeAtProvider(browser, await browser.post(flow.ui.action, body))
  expect((await whoami(browser)).identity.traits.name).toEqual({ first: 'Bob', last: 'Ross' })
})

it('does not treat a submitted address as verified', async () => {
  setProviderUser({ email: newAddress(), email_verified: true, ...name })
  const browser = identity.browser()
  const email = newAddress()
  await signInWithProvider(browser, registration, { provider: 'local-op', traits: { email } })
  const session = await whoami(browser)
  expect(session.identity.verifiable_addresses[0]).toMatchObject({ value: email, verified: false })
})

it("shows the provider's error", async () => {
  testProvider.currentUser = null
  const browser = identity.browser()
  const flow = await fetchFlow(browser, 'login', await signInWithProvider(browser, login))
  expect([flow.active, flow.ui.messages[0].text]).toEqual([
    'oidc',
    'Unable to complete OpenID Connect flow because the OpenID Provider returned error "access_denied": End-User aborted interaction',
  ])
})

it('an unreachable provider does not affect others', async () => {
  const browser = identity.browser()
  const { status, body } = await submitNewFlow(browser, login, { provider: 'dead-op' })
  expect([status, ...messageIds(body)]).toEqual([400, 4000001])
  expect(body.ui.messages[0].text).toContain("dead-op can't be reached")
  expect((await registerWithProvider()).response.status).toBe(303)
})

it('rejects an unknown provider', async () => {
  const { status, body } = await submitNewFlow(identity.browser(), login, { provider: 'nonesuch' })
  expect([status, body.error.reason]).toEqual([
    404,
    'OpenID Connect Provider "nonesuch" is unknown or has not been configured',
  ])
})

it('SEC-A9 rejects a callback of another browser, with another state, or repeated', async () => {
  setProviderUser({ email: newAddress(), email_verified: true, ...name })
  const browser = identity.browser()
  const start = await submitNewFlow(browser, login, { provider: 'local-op' })
  const callback = await followToCallback(start.body.redirect_browser_to)
  expect((await identity.browser().get(callback)).status).toBe(400)
  expect((await browser.get(callback.replace(/state=[^&]*/, 'state=other'))).status).toBe(400)
  const cookies = new Map(browser.jar)
  expect((await browser.open(callback)).status).toBe(303)
  for (const [key, value] of cookies) browser.jar.set(key, value)
  expect((await browser.get(callback)).body.error.reason).toBe(
    'Unable to complete OpenID Connect flow because the state parameter is invalid.',
  )
})

it('SEC-A9 rejects another issuer and an invalid code', async () => {
  setProviderUser({ email: newAddress(), email_verified: true, ...name })
  for (const [part, value] of [
    ['iss', 'https://evil.example'],
    ['code', 'stolen'],
  ] as const) {
    const browser = identity.browser()
    const start = await submitNewFlow(browser, login, { provider: 'local-op' })
    const callback = new URL(await followToCallback(start.body.redirect_browser_to))
    callback.searchParams.set(part, value)
    const flow = await fetchFlow(browser, 'login', await browser.open(callback.href))
    expect([part, ...messageIds(flow)]).toEqual([part, 4000001])
    expect((await browser.get('/sessions/whoami')).status).toBe(401)
  }
})

it('SEC-A9 rejects an ID token that none of the published keys signed', async () => {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const keys = (await (await fetch(`${testProvider.issuer}/jwks`)).json()) as { keys: { kid: string; kty: string }[] }
  const kid = keys.keys.find(({ kty }) => kty === 'RSA')?.kid
  testProvider.publishedKeys = [{ ...publicKey.export({ format: 'jwk' }), use: 'sig', kid }]
  setProviderUser({ email: newAddress(), email_verified: true, ...name })
  const browser = identity.browser()
  const flow = await fetchFlow(browser, 'login', await signInWithProvider(browser, login, { provider: 'forged-op' }))
  testProvider.publishedKeys = null
  expect(messageIds(flow)).toEqual([4000001])
  expect((await browser.get('/sessions/whoami')).status).toBe(401)
})

it('signs in with a provider that signs with the client secret', async () => {
  secretSigner.currentUser = { subject: 'secret', claims: { email: newAddress(), email_verified: true, ...name } }
  const browser = identity.browser()
  await signInWithProvider(browser, login, { provider: 'secret-op' })
  expect((await whoami(browser)).active).toBe(true)
})

it('links and unlinks a provider, but not the last first factor', async () => {
  const { browser } = await registerUser()
  setProviderUser({ email: newAddress(), ...name })
  const response = await signInWithProvider(browser, settings, { link: 'second-op' })
  const flow = await fetchFlow(browser, 'settings', response)
  expect([flow.state, ...messageIds(flow), valueOf(flow, 'unlink')]).toEqual(['success', 1050001, 'second-op'])
  const otherBrowser = identity.browser()
  await signInWithProvider(otherBrowser, login, { provider: 'second-op' })
  expect((await whoami(otherBrowser)).identity.id).toBe(flow.identity.id)
  const { body } = await submitNewFlow(browser, settings, { unlink: 'second-op' })
  expect([body.state, nodeOf(body, 'unlink')]).toEqual(['success', undefined])

  const { browser: providerOnly } = await registerWithProvider()
  const { body: form } = await providerOnly.get(settings)
  expect([nodeOf(form, 'unlink'), nodeOf(form, 'link').attributes.value]).toEqual([undefined, 'second-op'])
  const { status, body: rejected } = await submitNewFlow(providerOnly, settings, { unlink: 'local-op' })
  expect([status, ...messageIds(rejected)]).toEqual([400, 4000001])
})

it('rejects a provider account that is linked to another identity', async () => {
  await registerWithProvider()
  const { browser } = await registerUser()
  const response = await signInWithProvider(browser, settings, { link: 'local-op' })
  expect(messageIds(await fetchFlow(browser, 'settings', response))).toEqual([4000001])
})

it('requires reauthentication to link a provider without a privileged session', async () => {
  const { browser } = await registerUser()
  identity.advance(3600_001)
  const { body } = await submitNewFlow(browser, settings, { link: 'local-op' })
  expect(body.error.id).toBe('session_refresh_required')
})

it('renews a session only with the linked provider account', async () => {
  const { browser } = await registerWithProvider()
  const before = await whoami(browser)
  const { body: flow } = await browser.get(`${login}?refresh=true`)
  expect(flow.ui.nodes.filter((node: Reply['body']) => node.group === 'oidc')).toHaveLength(1)
  await signInWithProvider(browser, `${login}?refresh=true`)
  const after = await whoami(browser)
  expect([after.id, after.authentication_methods.length]).toEqual([before.id, 2])
  setProviderUser({ email: newAddress(), email_verified: true, ...name })
  const response = await signInWithProvider(browser, `${login}?refresh=true`)
  expect(messageIds(await fetchFlow(browser, 'login', response))).toEqual([4010009])
  expect((await whoami(browser)).id).toBe(before.id)
})

it('signs in with plain OAuth 2.0 without trusting its address', async () => {
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
  await using oauth = await createTestIdentity({
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
  const browser = oauth.browser()
  const start = await submitNewFlow(browser, login, { provider: 'plain' })
  const { searchParams } = new URL(start.body.redirect_browser_to)
  expect([searchParams.get('scope'), searchParams.get('nonce')]).toEqual(['read:user', null])
  const state = searchParams.get('state') ?? ''
  await browser.open(`/self-service/methods/oidc/callback/plain?code=c&state=${state}`)
  const { identity } = await whoami(browser)
  expect([identity.traits.email, identity.verifiable_addresses[0].verified]).toEqual([email, false])
  server.close()
})

it.each([
  ['http://id.example.org', 'must use HTTPS'],
  [undefined, 'requires an issuer'],
])('rejects the issuer %s at startup', async (issuer, reason) => {
  await expect(createTestIdentity({ methods: { oidc: [{ id: 'bad', clientId: 'x', issuer }] } })).rejects.toThrow(
    reason,
  )
})

it('requires the second factor after a provider sign-in', async () => {
  const { browser } = await registerWithProvider()

  await enrollTotp(identity, browser)
  const otherBrowser = identity.browser()
  const response = await signInWithProvider(otherBrowser, login)
  expect(response.headers.location).toBe(`${publicUrl}/self-service/login/browser?aal=aal2`)
  expect((await otherBrowser.get('/sessions/whoami')).status).toBe(403)
})

it('accepts a cross-site form post without cookies', async () => {
  setProviderUser({ email: newAddress(), email_verified: true, ...name })
  const browser = identity.browser()
  const start = await submitNewFlow(browser, login, { provider: 'local-op' })
  const callback = new URL(await followToCallback(start.body.redirect_browser_to))
  const otherBrowser = identity.browser()
  const sent = await otherBrowser.submit(callback.pathname, {
    ...Object.fromEntries(callback.searchParams),
    extra: 'x',
  })
  expect([sent.status, otherBrowser.jar.has('ory_kratos_session')]).toEqual([303, false])
  const forwarded = new URL(String(sent.headers.location))
  expect([...forwarded.searchParams.keys()].toSorted()).toEqual([...callback.searchParams.keys()].toSorted())
  expect((await browser.open(forwarded.href)).status).toBe(303)
  expect((await whoami(browser)).active).toBe(true)
})

it('requests response_mode=form_post if configured', async () => {
  await using formPost = await createTestIdentity({
    methods: { oidc: [{ ...testProvider.optionsFor('local-op'), responseMode: 'form_post' }] },
  })
  const { body } = await submitNewFlow(formPost.browser(), login, { provider: 'local-op' })
  expect(new URL(body.redirect_browser_to).searchParams.get('response_mode')).toBe('form_post')
})

it('limits sign-ups with a provider but not sign-ins', async () => {
  await using limited = await createTestIdentity({
    signUpsMax: 1,
    methods: { oidc: [testProvider.optionsFor('local-op')] },
  })
  const attemptSignIn = async () => {
    const browser = limited.browser()
    const response = await signInWithProvider(browser, login)
    return { response, isIn: (await browser.get('/sessions/whoami')).status === 200, browser }
  }
  setProviderUser({ email: newAddress(), email_verified: true, ...name })
  expect([(await attemptSignIn()).isIn, (await attemptSignIn()).isIn]).toEqual([true, true])
  setProviderUser({ email: newAddress(), email_verified: true, ...name })
  const { response, isIn, browser } = await attemptSignIn()
  expect([isIn, messageIds(await fetchFlow(browser, 'login', response))]).toEqual([false, [4000001]])
})

it('creates no account while registration is disabled', async () => {
  await using withoutRegistration = await createTestIdentity({
    disabledFlows: ['registration'],
    methods: { oidc: [testProvider.optionsFor('local-op')] },
  })
  setProviderUser({ email: newAddress(), email_verified: true, ...name })
  const browser = withoutRegistration.browser()
  const response = await signInWithProvider(browser, login)
  expect(messageIds(await fetchFlow(browser, 'login', response))).toEqual([4000001])
  expect((await browser.get('/sessions/whoami')).status).toBe(401)
})
