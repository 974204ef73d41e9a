import { expect, it } from 'vitest'
import type { Browser } from '#testing/browser.ts'
import {
  codeIn,
  submitNewFlow,
  goodPassword,
  messageIds,
  messageIdsOn,
  newAddress,
  portalUrl,
  register,
  sharedTestIdentity,
  signIn,
  valueOf,
} from '#testing/test-identity.ts'

const identity = await sharedTestIdentity()

const start = '/self-service/settings/browser'
const hour = 3600_000

async function registerUser() {
  const browser = identity.browser()
  const email = newAddress()
  await register(browser, email)
  return { browser, email }
}
const updateProfile = (browser: Browser, email: string, first = 'Jane') =>
  submitNewFlow(browser, start, { method: 'profile', traits: { email, name: { first, last: 'Frost' } } })
const changePassword = (browser: Browser, password: string) =>
  submitNewFlow(browser, start, { method: 'password', password })

it('shows the account and requires a session', async () => {
  const { browser, email } = await registerUser()
  const { body } = await browser.get(start)
  expect([body.state, valueOf(body, 'traits.email'), body.identity.traits.email]).toEqual(['show_form', email, email])
  expect((await identity.browser().get(start)).body.error.id).toBe('session_inactive')
})

it('changes the name without a privileged session', async () => {
  const { browser, email } = await registerUser()
  identity.advance(2 * hour)
  const { status, body } = await updateProfile(browser, email)
  expect([status, body.state, ...messageIds(body)]).toEqual([200, 'success', 1050001])
  expect(body.continue_with).toEqual([
    { action: 'redirect_browser_to', redirect_browser_to: `${portalUrl}/profile?flow=${body.id}` },
  ])
  expect((await browser.get('/sessions/whoami')).body.identity.traits.name.first).toBe('Jane')
})

it('clears the success state after an invalid change', async () => {
  const { browser, email } = await registerUser()
  const { body: saved } = await updateProfile(browser, email)
  const { body } = await browser.post(saved.ui.action, {
    csrf_token: valueOf(saved, 'csrf_token'),
    method: 'profile',
    traits: { email: 'no-email', name: { first: 'Jane', last: 'Frost' } },
  })
  expect([body.state, messageIds(body), messageIdsOn(body, 'traits.email')]).toEqual(['show_form', [], [4000040]])
})

it('SEC-A8 changes the address, sends a verification code, and notifies the old address', async () => {
  const { browser, email } = await registerUser()
  const address = newAddress()
  const { status, body } = await updateProfile(browser, address.toUpperCase())
  expect(status).toBe(200)
  expect(body.identity.verifiable_addresses).toMatchObject([{ value: address, verified: false, status: 'sent' }])
  const [showVerification] = body.continue_with
  expect(showVerification).toMatchObject({ action: 'show_verification_ui', flow: { verifiable_address: address } })
  expect((await identity.mailsTo(email, 2))[1]?.text).toContain(address)
  const code = codeIn((await identity.mailsTo(address))[0])
  const passed = await browser.post(`/self-service/verification?flow=${showVerification.flow.id}`, {
    method: 'code',
    code,
  })
  expect(messageIds(passed.body)).toEqual([1080002])
  expect((await signIn(identity.browser(), address)).status).toBe(200)
  expect((await signIn(identity.browser(), email)).status).toBe(400)
})

it('rejects a taken address', async () => {
  const { email: taken } = await registerUser()
  const { browser, email } = await registerUser()
  const { status, body } = await updateProfile(browser, taken.toUpperCase())
  expect([status, ...messageIds(body)]).toEqual([400, 4000007])
  const { body: session } = await browser.get('/sessions/whoami')
  expect(session.identity.traits.email).toBe(email)
  expect(session.identity.verifiable_addresses).toMatchObject([{ value: email }])
  expect((await signIn(identity.browser(), email)).status).toBe(200)
})

it('SEC-A4 changes the password and revokes all other sessions', async () => {
  const { browser, email } = await registerUser()
  const other = identity.browser()
  await signIn(other, email)
  const { status, body } = await changePassword(browser, 'A-Whole-New-Password')
  expect([status, ...messageIds(body)]).toEqual([200, 1050001])
  expect((await other.get('/sessions/whoami')).status).toBe(401)
  expect((await browser.get('/sessions/whoami')).status).toBe(200)
  expect((await signIn(identity.browser(), email, goodPassword)).status).toBe(400)
  expect((await signIn(identity.browser(), email, 'A-Whole-New-Password')).status).toBe(200)
})

it.each([
  ['', 4000002],
  ['short', 4000032],
  ['password123', 4000034],
  [goodPassword, 4000039],
])('rejects the password %j', async (password, id) => {
  const { browser } = await registerUser()
  const { status, body } = await changePassword(browser, password)
  expect([status, ...messageIdsOn(body, 'password')]).toEqual([400, id])
})

it.each([
  ['password', { method: 'password', password: 'A-Whole-New-Password' }],
  ['address', { method: 'profile', traits: { email: newAddress(), name: { first: 'A', last: 'B' } } }],
])('requires reauthentication to change the %s without a privileged session', async (_what, body) => {
  const { browser, email } = await registerUser()
  identity.advance(hour + 1)
  const { body: flow } = await browser.get(start)
  const send = (token: string) => browser.post(flow.ui.action, { ...body, csrf_token: token })
  const { status, body: error } = await send(valueOf(flow, 'csrf_token'))
  expect([status, error.error.id]).toEqual([403, 'session_refresh_required'])
  const url = new URL(error.redirect_browser_to)
  expect([url.searchParams.get('refresh'), url.searchParams.get('return_to')]).toEqual(['true', flow.ui.action])
  const login = await browser.get(url.href)
  await browser.post(login.body.ui.action, {
    csrf_token: valueOf(login.body, 'csrf_token'),
    method: 'password',
    identifier: email,
    password: goodPassword,
  })
  expect((await send(valueOf(flow, 'csrf_token'))).status).toBe(200)
})

it("resumes a browser's submission after reauthentication only", async () => {
  const { browser, email } = await registerUser()
  identity.advance(hour + 1)
  const { body: flow } = await browser.get(start)
  const form = { csrf_token: valueOf(flow, 'csrf_token'), method: 'password', password: 'A-Whole-New-Password' }
  const response = await browser.submit(flow.ui.action, form)
  expect(browser.jar.get('ory_kratos_continuity')).toBeDefined()
  // Not resumed: the session isn't privileged yet.
  await browser.open(flow.ui.action)
  expect((await signIn(identity.browser(), email)).status).toBe(200)

  const login = await browser.open(String(response.headers.location))
  const id = String(login.headers.location).split('=')[1]
  const { body: loginFlow } = await browser.get(`/self-service/login/flows?id=${id}`)
  const back = await browser.submit(loginFlow.ui.action, {
    csrf_token: valueOf(loginFlow, 'csrf_token'),
    method: 'password',
    identifier: email,
    password: goodPassword,
  })
  expect(back.headers.location).toBe(flow.ui.action)
  const done = await browser.open(String(back.headers.location))
  expect(done.headers.location).toBe(`${portalUrl}/profile?flow=${flow.id}`)
  expect((await signIn(identity.browser(), email, 'A-Whole-New-Password')).status).toBe(200)
  const { db } = identity.database
  const paused = await db.selectFrom('identity.continuity').selectAll().where('flow_id', '=', flow.id).execute()
  expect(paused).toEqual([])
})

it('works in another browser signed in to the same account', async () => {
  const { browser, email } = await registerUser()
  const { body: flow } = await browser.get(start)
  const other = identity.browser()
  await signIn(other, email)
  const { body: fetched } = await other.get(`/self-service/settings/flows?id=${flow.id}`)
  const body = { method: 'profile', traits: { email, name: { first: 'Jane', last: 'Frost' } } }
  expect((await other.post(flow.ui.action, { ...body, csrf_token: valueOf(fetched, 'csrf_token') })).status).toBe(200)
})
