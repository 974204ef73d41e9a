import { expect, it } from 'vitest'
import { fits } from '#http/csrf.ts'
import {
  codeIn,
  complete,
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

/** An account, and a browser without a session that has asked for a code. */
async function asked(query = '') {
  const email = newAddress()
  const owner = identity.browser()
  await register(owner, email)
  const browser = identity.browser()
  const { body } = await complete(browser, `${start}${query}`, { method: 'code', email })
  const mails = await identity.mailsTo(email, 2)
  return { email, owner, browser, flow: body, code: codeIn(mails[1]) }
}
const isVerified = async (owner: Awaited<ReturnType<typeof asked>>['owner']) =>
  (await owner.get('/sessions/whoami')).body.identity.verifiable_addresses[0].verified

it('verifies an address by the code that was mailed to it, and gives no session', async () => {
  const { owner, browser, flow, code } = await asked('?return_to=/scope')
  expect(flow.state).toBe('sent_email')
  expect(code).toMatch(/^\d{6}$/)
  const { status, body } = await browser.post(flow.ui.action, { method: 'code', code })
  expect([status, body.state, body.ui.method, ...messageIds(body)]).toEqual([200, 'passed_challenge', 'GET', 1080002])
  expect(body.ui.nodes.at(-1).attributes).toMatchObject({ id: 'continue', href: `${portalUrl}/scope` })
  expect(browser.jar.has('ory_kratos_session')).toBe(false)
  expect(await isVerified(owner)).toBe(true)
})

it('answers for an unknown address as for a known one, and mails nobody', async () => {
  const { flow } = await asked()
  const nobody = newAddress()
  const { status, body } = await complete(identity.browser(), start, { method: 'code', email: nobody })
  expect(status).toBe(200)
  expect(messageIds(body)).toEqual(messageIds(flow))
  const names = (shown: typeof flow) =>
    shown.ui.nodes.map((node: { attributes: { name: string } }) => node.attributes.name)
  expect(names(body)).toEqual(names(flow))
  expect(await identity.mailsMeantFor(nobody)).toBe(0)
})

it('refuses a wrong code and keeps the form', async () => {
  const { owner, browser, flow, code } = await asked()
  const wrong = code === '000000' ? '000001' : '000000'
  const { status, body } = await browser.post(flow.ui.action, { method: 'code', code: wrong })
  expect([status, body.state, ...messageIds(body)]).toEqual([200, 'sent_email', 4070006])
  expect(nodeOf(body, 'code').attributes).not.toHaveProperty('value')
  expect(await isVerified(owner)).toBe(false)
})

it('takes no code after five wrong ones, not even the right one', async () => {
  const { owner, browser, flow, code } = await asked()
  for (let time = 0; time < 5; time++) await browser.post(flow.ui.action, { method: 'code', code: 'wrong' })
  const { status, body } = await browser.post(flow.ui.action, { method: 'code', code })
  expect([status, body.error.id]).toEqual([410, 'self_service_flow_replaced'])
  const { body: next } = await browser.get(`/self-service/verification/flows?id=${body.use_flow_id}`)
  expect(messageIds(next)).toEqual([4000001])
  expect(await isVerified(owner)).toBe(false)
})

it('lets one of many equal submits through', async () => {
  const { browser, flow, code } = await asked()
  const submit = () => browser.post(flow.ui.action, { method: 'code', code })
  const answers = await Promise.all([submit(), submit(), submit()])
  // Whoever comes second is told so in the flow, or sent to another one.
  const passed = answers.filter(({ status, body }) => status === 200 && messageIds(body).includes(1080002))
  expect(passed).toHaveLength(1)
})

it('forgets a code that is too old', async () => {
  const { browser, flow, code } = await asked()
  identity.advance(16 * minute)
  const { status, body } = await browser.post(flow.ui.action, { method: 'code', code })
  expect([status, body.error.id]).toEqual([410, 'self_service_flow_expired'])
  const { body: next } = await browser.get(`/self-service/verification/flows?id=${body.use_flow_id}`)
  expect(messageIds(next)).toEqual([4070005])
})

it('takes a code from any browser, and tells it no other browser’s token', async () => {
  const { browser, flow, code } = await asked()
  const own = [...browser.jar].find(([name]) => name.startsWith('csrf_token'))?.[1] ?? ''
  expect(fits(valueOf(flow, 'csrf_token'), own)).toBe(true)
  const { body } = await identity.browser().post(flow.ui.action, { method: 'code', code })
  expect(messageIds(body)).toEqual([1080002])
  expect(fits(valueOf(body, 'csrf_token'), own)).toBe(false)
})

it('sends another code, after which only the newest works', async () => {
  const { email, browser, flow, code } = await asked()
  await browser.post(flow.ui.action, { csrf_token: valueOf(flow, 'csrf_token'), method: 'code', email })
  const mails = await identity.mailsTo(email, 3)
  const newest = codeIn(mails[2])
  if (newest !== code) {
    expect(messageIds((await browser.post(flow.ui.action, { method: 'code', code })).body)).toEqual([4070006])
  }
  expect(messageIds((await browser.post(flow.ui.action, { method: 'code', code: newest })).body)).toEqual([1080002])
})

it('sends one recipient a bounded number of mails', async () => {
  const { email, browser, flow } = await asked()
  const submit = () => browser.post(flow.ui.action, { csrf_token: valueOf(flow, 'csrf_token'), method: 'code', email })
  for (let time = 0; time < 12; time++) expect((await submit()).status).toBe(200)
  // One from the registration, which nobody else can use up, and ten that were asked for.
  expect(await identity.mailsMeantFor(email)).toBe(11)
  const code = codeIn((await identity.mailsTo(email, 11))[10])
  expect(messageIds((await browser.post(flow.ui.action, { method: 'code', code })).body)).toEqual([1080002])
})

it('slows guessing down over many flows', async () => {
  const { email, browser, flow } = await asked()
  for (let time = 0; time < 5; time++) await browser.post(flow.ui.action, { method: 'code', code: 'wrong' })
  const { body: second } = await complete(browser, start, { method: 'code', email })
  const guess = () => browser.post(second.ui.action, { method: 'code', code: 'wrong' })
  for (let time = 0; time < 5; time++) expect(messageIds((await guess()).body)).toEqual([4070006])
  const { status, body } = await guess()
  expect([status, ...messageIds(body)]).toEqual([400, 4000001])
})

it('fills the code in from the link of the mail, in whichever browser, and verifies nothing yet', async () => {
  const { email, owner, browser, flow, code } = await asked()
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

it('leaves the flow to its browser when the link is opened there', async () => {
  const { browser, flow, code } = await asked()
  const cookies = new Map(browser.jar)
  await browser.open(`/self-service/verification?code=${code}&flow=${flow.id}`)
  expect(browser.jar).toEqual(cookies)
  expect(valueOf((await browser.get(`/self-service/verification/flows?id=${flow.id}`)).body, 'code')).toBe(code)
})

it('goes on after registration to where the registration said', async () => {
  const browser = identity.browser()
  const email = newAddress()
  const { body } = await register(
    browser,
    email,
    goodPassword,
    '?return_to=/scope&after_verification_return_to=/onboarding',
  )
  const [, verify] = body.continue_with
  const code = codeIn((await identity.mailsTo(email))[0])
  const passed = await browser.post(`/self-service/verification?flow=${verify.flow.id}`, { method: 'code', code })
  expect(passed.body.ui.action).toBe(`${portalUrl}/onboarding`)
})

it('has nothing more to do for a flow that is done', async () => {
  const { browser, flow, code } = await asked()
  await browser.post(flow.ui.action, { method: 'code', code })
  const { status, body } = await browser.post(flow.ui.action, { method: 'code', code })
  expect([status, body.error.id]).toEqual([410, 'self_service_flow_replaced'])
})

it('keeps no code where somebody who reads the database could use it', async () => {
  const { email, code } = await asked()
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
