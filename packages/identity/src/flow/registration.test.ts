import { expect, it } from 'vitest'
import {
  codeIn,
  submitNewFlow,
  createTestIdentity,
  goodPassword,
  messageIds,
  messageIdsOn,
  newAddress,
  nodeOf,
  portalUrl,
  register,
  sharedTestIdentity,
  valueOf,
} from '#testing/test-identity.ts'

// Passwords only; the other methods have their own tests.
const identity = await sharedTestIdentity({
  methods: { passkey: false, webauthn: false, totp: false, lookupSecret: false },
})

it('signs up, signs in, and sends a verification code', async () => {
  const browser = identity.browser()
  const email = newAddress()
  const { status, body } = await register(browser, email)
  expect(status).toBe(200)
  expect(Object.keys(body)).toEqual(['session', 'identity', 'continue_with'])
  expect(body.identity.traits).toEqual({ email, name: { first: 'John', last: 'Frost' } })
  expect(body.identity.verifiable_addresses).toMatchObject([{ value: email, verified: false, status: 'sent' }])
  expect((await browser.get('/sessions/whoami')).body.identity.id).toBe(body.identity.id)

  const [redirect, showVerification] = body.continue_with
  expect(redirect).toEqual({ action: 'redirect_browser_to', redirect_browser_to: `${portalUrl}/overview` })
  expect(showVerification.flow).toMatchObject({
    verifiable_address: email,
    url: `${portalUrl}/verification?flow=${showVerification.flow.id}`,
  })
  const { body: flow } = await browser.get(`/self-service/verification/flows?id=${showVerification.flow.id}`)
  const mails = await identity.mailsTo(email)
  expect(mails).toHaveLength(1)
  const passed = await browser.post(flow.ui.action, { method: 'code', code: codeIn(mails[0]) })
  expect(messageIds(passed.body)).toEqual([1080002])
})

it.each([
  ['Abcd123', 4000032],
  ['password123', 4000034],
  ['zzzzzzzzzz', 4000034],
] as const)('rejects the password %s', async (password, id) => {
  const { status, body } = await register(identity.browser(), newAddress(), password)
  expect(status).toBe(400)
  expect(messageIdsOn(body, 'password')).toEqual([id])
})

it('SEC-A1 rejects a password equal to the address', async () => {
  const email = newAddress()
  const { body } = await register(identity.browser(), email, email.toUpperCase())
  expect(messageIdsOn(body, 'password')).toEqual([4000031])
})

it('redisplays submitted values except the password if a field is invalid', async () => {
  const { status, body } = await submitNewFlow(identity.browser(), '/self-service/registration/browser', {
    method: 'password',
    traits: { email: 'no-email', name: { first: 'John' } },
    password: goodPassword,
  })
  expect(status).toBe(400)
  expect(messageIdsOn(body, 'traits.email')).toEqual([4000040])
  expect(messageIdsOn(body, 'traits.name.last')).toEqual([4000002])
  expect(valueOf(body, 'traits.email')).toBe('no-email')
  expect(valueOf(body, 'traits.name.first')).toBe('John')
  expect(nodeOf(body, 'password').attributes).not.toHaveProperty('value')
})

it('creates one account from concurrent submissions', async () => {
  const email = newAddress()
  const responses = await Promise.all(['A', 'B', 'C'].map((agent) => register(identity.browser(agent), email)))
  expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400, 400])
  expect(await identity.countMailsTo(email)).toBe(1)
})

it('redirects a browser to the verification form, or back to an invalid form', async () => {
  const browser = identity.browser()
  const { body: flow } = await browser.get('/self-service/registration/browser')
  const form = { csrf_token: valueOf(flow, 'csrf_token'), method: 'password', password: goodPassword }
  const wrong = await browser.submit(flow.ui.action, { ...form, 'traits.email': 'no-email' })
  expect([wrong.status, wrong.headers.location]).toEqual([302, `${portalUrl}/registration?flow=${flow.id}`])
  const right = await browser.submit(flow.ui.action, {
    ...form,
    'traits.email': newAddress(),
    'traits.name.first': 'John',
    'traits.name.last': 'Frost',
  })
  expect([right.status, right.headers.location]).toEqual([
    303,
    expect.stringContaining(`${portalUrl}/verification?flow=`),
  ])
})

it('detects a taken address in any letter case and keeps the form usable', async () => {
  const email = newAddress()
  await register(identity.browser(), email)
  const browser = identity.browser()
  const { status, body } = await register(browser, email.toUpperCase())
  expect(status).toBe(400)
  expect(messageIds(body)).toEqual([4000007])
  const again = await browser.post(body.ui.action, {
    csrf_token: valueOf(body, 'csrf_token'),
    method: 'password',
    traits: { email: newAddress(), name: { first: 'A', last: 'B' } },
    password: goodPassword,
  })
  expect(again.status).toBe(200)
})

it('registers in two steps and preserves the traits', async () => {
  await using twoStep = await createTestIdentity({ registrationStyle: 'two-step' })
  const browser = twoStep.browser()
  const traits = { email: newAddress(), name: { first: 'John', last: 'Frost' } }
  const { body: first } = await browser.get('/self-service/registration/browser')
  expect([nodeOf(first, 'password'), valueOf(first, 'method')]).toEqual([undefined, 'profile'])
  const send = (body: object) => browser.post(first.ui.action, { csrf_token: valueOf(first, 'csrf_token'), ...body })
  const { status, body: second } = await send({ method: 'profile', traits })
  expect([status, ...messageIds(second), valueOf(second, 'traits.email')]).toEqual([400, 1040009, traits.email])
  expect([nodeOf(second, 'traits.email').attributes.type, valueOf(second, 'screen')]).toEqual(['hidden', 'previous'])
  const { body: back } = await send({ screen: 'previous', traits })
  expect([nodeOf(back, 'traits.email').attributes.type, valueOf(back, 'traits.email')]).toEqual(['email', traits.email])
  await send({ method: 'profile', traits })
  const { status: made } = await send({ method: 'password', password: goodPassword, traits })
  expect(made).toBe(200)
})

it('limits sign-ups per client IP and window', async () => {
  await using strict = await createTestIdentity({ signUpsMax: 2 })
  const registerFrom = (ip: string, password = goodPassword) =>
    register(strict.browser('Test/1', ip), newAddress(), password)
  // A rejected password doesn't count.
  expect((await registerFrom('127.0.0.1', 'short')).status).toBe(400)
  const responses = await Promise.all([1, 2, 3, 4].map(() => registerFrom('127.0.0.1')))
  expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 400, 400])
  expect(responses.flatMap(({ body }) => (body.ui ? messageIds(body) : []))).toEqual([4000001, 4000001])
  expect((await registerFrom('127.0.0.2')).status).toBe(200)
  expect((await registerFrom('2001:db8::1')).status).toBe(200)
  expect((await registerFrom('2001:db8::2')).status).toBe(200)
  expect((await registerFrom('2001:db8::3')).status).toBe(400)
  strict.advance(16 * 60_000)
  expect((await registerFrom('127.0.0.1')).status).toBe(200)
})
