import { expect, it } from 'vitest'
import { matchesToken } from '#http/csrf.ts'
import {
  codeIn,
  submitNewFlow,
  goodPassword,
  messageIds,
  newAddress,
  nodeOf,
  portalUrl,
  register,
  sharedTestIdentity,
  valueOf,
} from '#testing/test-identity.ts'

const identity = await sharedTestIdentity()

const start = '/self-service/verification/browser'
const minute = 60_000

/** Registers an account and requests a code in another browser without a session. */
async function requestCode(query = '') {
  const email = newAddress()
  const owner = identity.browser()
  await register(owner, email)
  const browser = identity.browser()
  const { body } = await submitNewFlow(browser, `${start}${query}`, { method: 'code', email })
  const mails = await identity.mailsTo(email, 2)
  return { email, owner, browser, flow: body, code: codeIn(mails[1]) }
}
const isVerified = async (owner: Awaited<ReturnType<typeof requestCode>>['owner']) =>
  (await owner.get('/sessions/whoami')).body.identity.verifiable_addresses[0].verified

it('verifies an address with the emailed code without creating a session', async () => {
  const { owner, browser, flow, code } = await requestCode('?return_to=/scope')
  expect(flow.state).toBe('sent_email')
  expect(code).toMatch(/^\d{6}$/)
  const { status, body } = await browser.post(flow.ui.action, { method: 'code', code })
  expect([status, body.state, body.ui.method, ...messageIds(body)]).toEqual([200, 'passed_challenge', 'GET', 1080002])
  expect(body.ui.nodes.at(-1).attributes).toMatchObject({ id: 'continue', href: `${portalUrl}/scope` })
  expect(browser.jar.has('ory_kratos_session')).toBe(false)
  expect(await isVerified(owner)).toBe(true)
})

it('SEC-A3 responds the same for an unknown address without sending an email', async () => {
  const { flow } = await requestCode()
  const unknownAddress = newAddress()
  const { status, body } = await submitNewFlow(identity.browser(), start, { method: 'code', email: unknownAddress })
  expect(status).toBe(200)
  expect(messageIds(body)).toEqual(messageIds(flow))
  const names = (shown: typeof flow) =>
    shown.ui.nodes.map((node: { attributes: { name: string } }) => node.attributes.name)
  expect(names(body)).toEqual(names(flow))
  expect(await identity.countMailsTo(unknownAddress)).toBe(0)
})

it('rejects a wrong code and keeps the form', async () => {
  const { owner, browser, flow, code } = await requestCode()
  const wrong = code === '000000' ? '000001' : '000000'
  const { status, body } = await browser.post(flow.ui.action, { method: 'code', code: wrong })
  expect([status, body.state, ...messageIds(body)]).toEqual([200, 'sent_email', 4070006])
  expect(nodeOf(body, 'code').attributes).not.toHaveProperty('value')
  expect(await isVerified(owner)).toBe(false)
})

it('SEC-A2 rejects every code after five wrong ones', async () => {
  const { owner, browser, flow, code } = await requestCode()
  for (let time = 0; time < 5; time++) await browser.post(flow.ui.action, { method: 'code', code: 'wrong' })
  const { status, body } = await browser.post(flow.ui.action, { method: 'code', code })
  expect([status, body.error.id]).toEqual([410, 'self_service_flow_replaced'])
  const { body: next } = await browser.get(`/self-service/verification/flows?id=${body.use_flow_id}`)
  expect(messageIds(next)).toEqual([4000001])
  expect(await isVerified(owner)).toBe(false)
})

it('accepts only one of several concurrent submissions', async () => {
  const { browser, flow, code } = await requestCode()
  const submit = () => browser.post(flow.ui.action, { method: 'code', code })
  const responses = await Promise.all([submit(), submit(), submit()])
  // Later submissions get an error in the flow or a replacement flow.
  const passed = responses.filter(({ status, body }) => status === 200 && messageIds(body).includes(1080002))
  expect(passed).toHaveLength(1)
})

it('rejects an expired code and replaces the flow', async () => {
  const { browser, flow, code } = await requestCode()
  identity.advance(16 * minute)
  const { status, body } = await browser.post(flow.ui.action, { method: 'code', code })
  expect([status, body.error.id]).toEqual([410, 'self_service_flow_expired'])
  const { body: next } = await browser.get(`/self-service/verification/flows?id=${body.use_flow_id}`)
  expect(messageIds(next)).toEqual([4070005])
})

it("accepts a code from any browser without disclosing another browser's CSRF token", async () => {
  const { browser, flow, code } = await requestCode()
  const own = [...browser.jar].find(([name]) => name.startsWith('csrf_token'))?.[1] ?? ''
  expect(matchesToken(valueOf(flow, 'csrf_token'), own)).toBe(true)
  const { body } = await identity.browser().post(flow.ui.action, { method: 'code', code })
  expect(messageIds(body)).toEqual([1080002])
  expect(matchesToken(valueOf(body, 'csrf_token'), own)).toBe(false)
})

it('resends a code and accepts only the latest one', async () => {
  const { email, browser, flow, code } = await requestCode()
  await browser.post(flow.ui.action, { csrf_token: valueOf(flow, 'csrf_token'), method: 'code', email })
  const mails = await identity.mailsTo(email, 3)
  const newest = codeIn(mails[2])
  if (newest !== code) {
    expect(messageIds((await browser.post(flow.ui.action, { method: 'code', code })).body)).toEqual([4070006])
  }
  expect(messageIds((await browser.post(flow.ui.action, { method: 'code', code: newest })).body)).toEqual([1080002])
})

it('limits the number of emails to one recipient', async () => {
  const { email, browser, flow } = await requestCode()
  const submit = () => browser.post(flow.ui.action, { csrf_token: valueOf(flow, 'csrf_token'), method: 'code', email })
  for (let time = 0; time < 12; time++) expect((await submit()).status).toBe(200)
  // One from the registration, which doesn't count toward the limit, and ten requested ones.
  expect(await identity.countMailsTo(email)).toBe(11)
  const code = codeIn((await identity.mailsTo(email, 11))[10])
  expect(messageIds((await browser.post(flow.ui.action, { method: 'code', code })).body)).toEqual([1080002])
})

it('throttles attempts across flows', async () => {
  const { email, browser, flow } = await requestCode()
  for (let time = 0; time < 5; time++) await browser.post(flow.ui.action, { method: 'code', code: 'wrong' })
  const { body: second } = await submitNewFlow(browser, start, { method: 'code', email })
  const guess = () => browser.post(second.ui.action, { method: 'code', code: 'wrong' })
  for (let time = 0; time < 5; time++) expect(messageIds((await guess()).body)).toEqual([4070006])
  const { status, body } = await guess()
  expect([status, ...messageIds(body)]).toEqual([400, 4000001])
})

it('prefills the code from the emailed link in any browser without verifying the address', async () => {
  const { email, owner, browser, flow, code } = await requestCode()
  const mails = await identity.mailsTo(email, 2)
  const link = /http\S+/.exec(mails[1]?.text ?? '')?.[0] ?? ''
  const other = identity.browser()
  const opened = await other.open(link)
  expect([opened.status, opened.headers.location]).toEqual([303, `${portalUrl}/verification?flow=${flow.id}`])
  const { body } = await other.get(`/self-service/verification/flows?id=${flow.id}`)
  expect(valueOf(body, 'code')).toBe(code)
  expect(await isVerified(owner)).toBe(false)
  expect((await browser.get(`/self-service/verification/flows?id=${flow.id}`)).status).toBe(403)
  expect(messageIds((await other.post(body.ui.action, { method: 'code', code })).body)).toEqual([1080002])
})

it('keeps the CSRF token if the link is opened in the same browser', async () => {
  const { browser, flow, code } = await requestCode()
  const cookies = new Map(browser.jar)
  await browser.open(`/self-service/verification?code=${code}&flow=${flow.id}`)
  expect(browser.jar).toEqual(cookies)
  expect(valueOf((await browser.get(`/self-service/verification/flows?id=${flow.id}`)).body, 'code')).toBe(code)
})

it('continues to after_verification_return_to of the registration', async () => {
  const browser = identity.browser()
  const email = newAddress()
  const { body } = await register(
    browser,
    email,
    goodPassword,
    '?return_to=/scope&after_verification_return_to=/onboarding',
  )
  const [, showVerification] = body.continue_with
  const code = codeIn((await identity.mailsTo(email))[0])
  const passed = await browser.post(`/self-service/verification?flow=${showVerification.flow.id}`, {
    method: 'code',
    code,
  })
  expect(passed.body.ui.action).toBe(`${portalUrl}/onboarding`)
})

it('rejects a submission to a completed flow', async () => {
  const { browser, flow, code } = await requestCode()
  await browser.post(flow.ui.action, { method: 'code', code })
  const { status, body } = await browser.post(flow.ui.action, { method: 'code', code })
  expect([status, body.error.id]).toEqual([410, 'self_service_flow_replaced'])
})

it('does not store plaintext codes in the database', async () => {
  const { email, code } = await requestCode()
  const { db } = identity.database
  const mails = await db
    .selectFrom('identity.mail')
    .selectAll()
    .where('recipient', '=', email)
    .where('status', '=', 'sent')
    .execute()
  const codes = await db.selectFrom('identity.code').selectAll().where('address', '=', email).execute()
  expect(JSON.stringify([mails.map(({ text, html }) => text + html), codes])).not.toContain(code)
})
