import { expect, it } from 'vitest'
import {
  codeIn,
  createTestIdentity,
  messageIds,
  messageIdsOn,
  newAddress,
  nodeOf,
  register,
  sharedTestIdentity,
  valueOf,
} from '#testing/test-identity.ts'

const identity = await sharedTestIdentity({ methods: { code: 'first' } })

const traits = (email: string) => ({ email, name: { first: 'John', last: 'Frost' } })

async function requestCode(email = newAddress(), mails = 1) {
  const browser = identity.browser()
  const { body: flow } = await browser.get('/self-service/registration/browser')
  const submit = (body: object) =>
    browser.post(flow.ui.action, {
      csrf_token: valueOf(flow, 'csrf_token'),
      method: 'code',
      traits: traits(email),
      ...body,
    })
  const sent = await submit({})
  return { browser, email, submit, sent, code: codeIn((await identity.mailsTo(email, mails)).at(-1)) }
}

it('creates an account with a verified address', async () => {
  const { browser, sent, submit, code } = await requestCode()
  expect([sent.status, sent.body.state, ...messageIds(sent.body)]).toEqual([400, 'sent_email', 1040005])
  const { status, body } = await submit({ code })
  expect([status, body.identity.verifiable_addresses[0].verified, body.continue_with.length]).toEqual([200, true, 1])
  expect((await browser.get('/sessions/whoami')).status).toBe(200)
})

it.each([
  ['address', traits(newAddress())],
  ['name', { name: { first: 'Jane', last: 'Frost' } }],
])('rejects a code for a different %s', async (_, change) => {
  const { email, submit, code } = await requestCode()
  const changed = { ...traits(email), ...change }
  expect(messageIds((await submit({ code, traits: changed })).body)).toEqual([4000036])
  expect((await submit({ code })).status).toBe(200)
})

it('reveals only to the owner of an address that it is taken', async () => {
  const email = newAddress()
  await register(identity.browser(), email)
  const { browser, sent, submit, code } = await requestCode(email, 2)
  expect(messageIds(sent.body)).toEqual([1040005])
  expect(messageIds((await submit({ code })).body)).toEqual([4000007])
  expect((await browser.get('/sessions/whoami')).status).toBe(401)
})

it('accepts only the latest code, and none after five wrong ones', async () => {
  const { email, submit, code } = await requestCode()
  expect(messageIdsOn((await submit({ code: '' })).body, 'code')).toEqual([4000002])
  const wrong = code === '000000' ? '111111' : '000000'
  for (let guess = 0; guess < 5; guess++) expect(messageIds((await submit({ code: wrong })).body)).toEqual([4040003])
  expect(messageIds((await submit({ code })).body)).toEqual([4000001])
  await submit({ resend: 'code' })
  expect((await submit({ code: codeIn((await identity.mailsTo(email, 2)).at(-1)) })).status).toBe(200)
})

it('returns to the choice of credentials', async () => {
  const { email, submit } = await requestCode()
  const { body } = await submit({ method: 'profile', screen: 'credential-selection' })
  expect([body.state, valueOf(body, 'traits.email'), nodeOf(body, 'traits.email').attributes.type]).toEqual([
    'choose_method',
    email,
    'email',
  ])
  expect(nodeOf(body, 'password')).toBeDefined()
})

it('limits the emails that one client IP can request', async () => {
  await using limited = await createTestIdentity({ methods: { code: 'first' }, signUpsMax: 2 })
  const browser = limited.browser()
  for (let index = 0; index < 14; index++) {
    const { body: flow } = await browser.get('/self-service/recovery/browser')
    const email = `recipient${index}@example.test`
    const response = await browser.post(flow.ui.action, {
      csrf_token: valueOf(flow, 'csrf_token'),
      method: 'code',
      email,
    })
    expect([response.status, response.body.state]).toEqual([200, 'sent_email'])
  }
  const { count } = await limited.database.db
    .selectFrom('identity.mail')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  expect(Number(count)).toBe(10)
})
