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

async function asked(email = newAddress(), mails = 1) {
  const browser = identity.browser()
  const { body: flow } = await browser.get('/self-service/registration/browser')
  const send = (body: object) =>
    browser.post(flow.ui.action, {
      csrf_token: valueOf(flow, 'csrf_token'),
      method: 'code',
      traits: traits(email),
      ...body,
    })
  const sent = await send({})
  return { browser, email, send, sent, code: codeIn((await identity.mailsTo(email, mails)).at(-1)) }
}

it('creates an account with a verified address', async () => {
  const { browser, sent, send, code } = await asked()
  expect([sent.status, sent.body.state, ...messageIds(sent.body)]).toEqual([400, 'sent_email', 1040005])
  const { status, body } = await send({ code })
  expect([status, body.identity.verifiable_addresses[0].verified, body.continue_with.length]).toEqual([200, true, 1])
  expect((await browser.get('/sessions/whoami')).status).toBe(200)
})

it('rejects a code for a different address', async () => {
  const { send, code } = await asked()
  expect(messageIds((await send({ code, traits: traits(newAddress()) })).body)).toEqual([4000036])
  expect((await send({ code })).status).toBe(200)
})

it('reveals only to the owner of an address that it is taken', async () => {
  const email = newAddress()
  await register(identity.browser(), email)
  const { browser, sent, send, code } = await asked(email, 2)
  expect(messageIds(sent.body)).toEqual([1040005])
  expect(messageIds((await send({ code })).body)).toEqual([4000007])
  expect((await browser.get('/sessions/whoami')).status).toBe(401)
})

it('accepts only the latest code, and none after five wrong ones', async () => {
  const { email, send, code } = await asked()
  expect(messageIdsOn((await send({ code: '' })).body, 'code')).toEqual([4000002])
  const wrong = code === '000000' ? '111111' : '000000'
  for (let guess = 0; guess < 5; guess++) expect(messageIds((await send({ code: wrong })).body)).toEqual([4040003])
  expect(messageIds((await send({ code })).body)).toEqual([4000001])
  await send({ resend: 'code' })
  expect((await send({ code: codeIn((await identity.mailsTo(email, 2)).at(-1)) })).status).toBe(200)
})

it('returns to the choice of credentials', async () => {
  const { email, send } = await asked()
  const { body } = await send({ method: 'profile', screen: 'credential-selection' })
  expect([body.state, valueOf(body, 'traits.email'), nodeOf(body, 'traits.email').attributes.type]).toEqual([
    'choose_method',
    email,
    'email',
  ])
  expect(nodeOf(body, 'password')).toBeDefined()
})

it('limits the emails that one client IP can request', async () => {
  await using small = await createTestIdentity({ methods: { code: 'first' }, signUpsMax: 2 })
  const browser = small.browser()
  for (let stranger = 0; stranger < 14; stranger++) {
    const { body: flow } = await browser.get('/self-service/recovery/browser')
    const email = `stranger${stranger}@example.test`
    const answer = await browser.post(flow.ui.action, {
      csrf_token: valueOf(flow, 'csrf_token'),
      method: 'code',
      email,
    })
    expect([answer.status, answer.body.state]).toEqual([200, 'sent_email'])
  }
  const { count } = await small.database.db
    .selectFrom('identity.mail')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  expect(Number(count)).toBe(10)
})
