import { expect, it } from 'vitest'
import {
  codeIn,
  submitNewFlow,
  enrollSecondFactor,
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

const start = '/self-service/recovery/browser'

async function requestCode(query = '') {
  const email = newAddress()
  const owner = identity.browser()
  await register(owner, email)
  const browser = identity.browser()
  const { body } = await submitNewFlow(browser, `${start}${query}`, { method: 'code', email })
  const mails = await identity.mailsTo(email, 2)
  const token = valueOf(body, 'csrf_token')
  const submitCode = (code: string) => browser.post(body.ui.action, { csrf_token: token, method: 'code', code })
  return { email, owner, browser, flow: body, code: codeIn(mails[1]), submitCode }
}

it('SEC-A4 signs the user in, revokes other sessions, and offers to set a new password', async () => {
  const { email, owner, browser, code, submitCode } = await requestCode('?return_to=/scope')
  const { status, body } = await submitCode(code)
  expect([status, body.error.id]).toEqual([422, 'browser_location_change_required'])
  expect(body.redirect_browser_to).toMatch(new RegExp(`^${portalUrl}/profile\\?flow=`))
  expect((await owner.get('/sessions/whoami')).status).toBe(401)
  const { body: session } = await browser.get('/sessions/whoami')
  expect(session.authentication_methods).toMatchObject([{ method: 'code_recovery', aal: 'aal1' }])
  expect(session.identity.verifiable_addresses).toMatchObject([{ verified: true }])

  const id = body.redirect_browser_to.split('=')[1]
  const { body: settings } = await browser.get(`/self-service/settings/flows?id=${id}`)
  expect(messageIds(settings)).toEqual([1060001])
  const changed = await browser.post(settings.ui.action, {
    csrf_token: valueOf(settings, 'csrf_token'),
    method: 'password',
    password: 'A-Whole-New-Password',
  })
  expect(changed.body.continue_with.at(-1).redirect_browser_to).toBe(`${portalUrl}/scope`)
  expect((await signIn(identity.browser(), email, 'A-Whole-New-Password')).status).toBe(200)
  expect((await signIn(identity.browser(), email, goodPassword)).status).toBe(400)
})

it('SEC-A8 requires an enrolled second factor before opening settings', async () => {
  const { email, browser, code, submitCode } = await requestCode()
  await enrollSecondFactor(identity, email)
  const { body } = await submitCode(code)
  const id = body.redirect_browser_to.split('=')[1]
  const settings = await browser.get(`/self-service/settings/flows?id=${id}`)
  expect([settings.status, settings.body.error.id]).toEqual([403, 'session_aal2_required'])
})

it('SEC-A3 responds the same for an unknown address without sending an email', async () => {
  const { flow } = await requestCode()
  const unknownAddress = newAddress()
  const { status, body } = await submitNewFlow(identity.browser(), start, { method: 'code', email: unknownAddress })
  expect(status).toBe(200)
  expect(messageIds(body)).toEqual(messageIds(flow))
  expect(await identity.countMailsTo(unknownAddress)).toBe(0)
})

it('SEC-A2 rejects a wrong code, and all codes after five attempts', async () => {
  const { browser, code, submitCode } = await requestCode()
  for (let time = 0; time < 5; time++) expect(messageIds((await submitCode('wrong')).body)).toEqual([4060006])
  const { status, headers } = await submitCode(code)
  expect(status).toBe(303)
  expect(messageIds((await browser.get(String(headers.location))).body)).toEqual([4000001])
  expect((await browser.get('/sessions/whoami')).status).toBe(401)
})

it('rejects an expired code', async () => {
  const { code, submitCode } = await requestCode()
  identity.advance(16 * 60_000)
  expect(messageIds((await submitCode(code)).body)).toEqual([4060006])
})

it('accepts a code only from the browser that started the flow', async () => {
  const { flow, code } = await requestCode()
  const other = identity.browser()
  const { body: own } = await other.get(start)
  const body = { csrf_token: valueOf(own, 'csrf_token'), method: 'code', code }
  const { status } = await other.post(flow.ui.action, body)
  expect(status).toBe(403)
  expect(other.jar.has('ory_kratos_session')).toBe(false)
})

it('accepts only one of several concurrent submissions', async () => {
  const { code, submitCode } = await requestCode()
  const responses = await Promise.all([submitCode(code), submitCode(code), submitCode(code)])
  expect(responses.filter(({ status }) => status === 422)).toHaveLength(1)
})

it.each([
  ['', 4000002],
  ['no-email', 4000040],
])('rejects the address %j', async (email, id) => {
  const { status, body } = await submitNewFlow(identity.browser(), start, { method: 'code', email })
  expect([status, ...messageIdsOn(body, 'email')]).toEqual([400, id])
})
