import { expect, it } from 'vitest'
import type { Reply } from '#testing/browser.ts'
import {
  codeIn,
  createTestIdentity,
  enrollTotp,
  messageIds,
  newAddress,
  nodeOf,
  register,
  sharedTestIdentity,
  valueOf,
} from '#testing/test-identity.ts'
import { actualResponse } from '#testing/recording.ts'

const identity = await sharedTestIdentity({ methods: { code: 'first' } })

const login = '/self-service/login/browser'

async function registerUser() {
  const browser = identity.browser()
  const email = newAddress()
  await register(browser, email)
  return { browser, email }
}
async function requestCode(identifier: string) {
  const browser = identity.browser()
  const { body: flow } = await browser.get(login)
  const submit = (body: object): Promise<Reply> =>
    browser.post(flow.ui.action, { csrf_token: valueOf(flow, 'csrf_token'), method: 'code', ...body })
  return { browser, submit, sent: await submit({ identifier }) }
}
const codeFor = async (email: string, count = 2) => codeIn((await identity.mailsTo(email, count)).at(-1))

it('signs in with the emailed code, which also verifies the address', async () => {
  const { email } = await registerUser()
  const { browser, submit, sent } = await requestCode(` ${email.toUpperCase()} `)
  expect([sent.status, sent.body.state, sent.body.active, ...messageIds(sent.body)]).toEqual([
    400,
    'sent_email',
    'code',
    1010014,
  ])
  const { status, body } = await submit({ code: await codeFor(email) })
  expect([status, body.session.authentication_methods[0].method]).toEqual([200, 'code'])
  const { identity } = (await browser.get('/sessions/whoami')).body
  expect(identity.verifiable_addresses[0].verified).toBe(true)
})

it('SEC-A3 responds the same for an unknown address without sending an email', async () => {
  const { email } = await registerUser()
  const unknownAddress = newAddress()
  const [known, unknown] = [await requestCode(email), await requestCode(unknownAddress)]
  expect(actualResponse(unknown.sent)).toEqual(actualResponse(known.sent))
  expect(messageIds((await unknown.submit({ code: '123456' })).body)).toEqual([4010008])
  expect(await identity.countMailsTo(unknownAddress)).toBe(0)
})

it('accepts a code once, and none after five wrong ones', async () => {
  const { email } = await registerUser()
  const { submit } = await requestCode(email)
  const code = await codeFor(email)
  const wrong = code === '000000' ? '000001' : '000000'
  for (let guess = 0; guess < 5; guess++) expect(messageIds((await submit({ code: wrong })).body)).toEqual([4010008])
  expect(messageIds((await submit({ code })).body)).toEqual([4000001])
  const again = await submit({ resend: 'code' })
  expect(again.body.state).toBe('sent_email')
  expect((await submit({ code })).status).toBe(400)
  expect((await submit({ code: await codeFor(email, 3) })).status).toBe(200)
})

it('rejects an expired code', async () => {
  const { email } = await registerUser()
  const { submit } = await requestCode(email)
  const code = await codeFor(email)
  identity.advance(15 * 60_000 + 1000)
  expect(messageIds((await submit({ code })).body)).toEqual([4010008])
})

it('requires the second factor after the code', async () => {
  const { browser, email } = await registerUser()
  await enrollTotp(identity, browser)
  const { submit } = await requestCode(email)
  expect((await submit({ code: await codeFor(email) })).status).toBe(422)
})

it('is disabled by default', async () => {
  await using withoutCodes = await createTestIdentity()
  const { body } = await withoutCodes.browser().get(login)
  expect(nodeOf(body, 'method').attributes.value).toBe('password')
})
