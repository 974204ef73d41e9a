import { expect, it } from 'vitest'
import {
  codeIn,
  enrollTotp,
  messageIds,
  newAddress,
  nodeOf,
  register,
  sharedTestIdentity,
  signIn,
  valueOf,
} from '#testing/test-identity.ts'

const identity = await sharedTestIdentity({ methods: { code: 'second' } })

const second = '/self-service/login/browser?aal=aal2'

/** A user who has signed in with the password and received a code. */
async function startSecondFactor() {
  const email = newAddress()
  await register(identity.browser(), email)
  const browser = identity.browser()
  const first = await signIn(browser, email)
  const { body: flow } = await browser.get(second)
  const code = codeIn((await identity.mailsTo(email, 2)).at(-1))
  const submit = (body: object) =>
    browser.post(flow.ui.action, { csrf_token: valueOf(flow, 'csrf_token'), method: 'code', ...body })
  return { browser, email, first, flow, code, submit }
}

it('requires a code after the password and sends it when the second step starts', async () => {
  const { browser, first, flow, code, submit } = await startSecondFactor()
  expect([first.status, (await browser.get('/sessions/whoami')).status]).toEqual([422, 403])
  expect([flow.state, ...messageIds(flow)]).toEqual(['sent_email', 1010014])
  expect((await submit({ code })).status).toBe(200)
  const { body } = await browser.get('/sessions/whoami')
  expect([body.authenticator_assurance_level, body.identity.verifiable_addresses[0].verified]).toEqual(['aal2', true])
})

it('rejects a wrong code, and every code after five wrong ones', async () => {
  const { code, submit } = await startSecondFactor()
  const wrong = code === '000000' ? '111111' : '000000'
  for (let guess = 0; guess < 5; guess++) expect(messageIds((await submit({ code: wrong })).body)).toEqual([4010008])
  expect(messageIds((await submit({ code })).body)).toEqual([4000001])
})

it("rejects another user's code", async () => {
  const [first, second] = [await startSecondFactor(), await startSecondFactor()]
  if (first.code === second.code) return
  expect((await first.submit({ code: second.code })).status).toBe(400)
})

it("sends codes only to the account's address", async () => {
  const { submit } = await startSecondFactor()
  const otherAddress = newAddress()
  expect(messageIds((await submit({ address: otherAddress })).body)).toEqual([4010010])
  expect(await identity.countMailsTo(otherAddress)).toBe(0)
})

it('does not send a code automatically if another second factor is enrolled', async () => {
  const { browser, email, submit, code } = await startSecondFactor()
  await submit({ code })
  await enrollTotp(identity, browser)
  const other = identity.browser()
  await signIn(other, email)
  const { body: flow } = await other.get(second)
  expect([flow.state, valueOf(flow, 'address'), nodeOf(flow, 'address').meta.label.id]).toEqual([
    'choose_method',
    email,
    1010023,
  ])
  expect(nodeOf(flow, 'totp_code')).toBeDefined()
  expect(await identity.countMailsTo(email)).toBe(2)
})

it('limits the emails to one account', async () => {
  const { email, submit } = await startSecondFactor()
  for (let more = 0; more < 15; more++) expect((await submit({ resend: 'code' })).body.state).toBe('sent_email')
  expect(await identity.countMailsTo(email)).toBeLessThanOrEqual(11)
})
