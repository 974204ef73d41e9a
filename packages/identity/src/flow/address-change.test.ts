import { expect, it } from 'vitest'
import type { Browser } from '#testing/browser.ts'
import {
  codeIn,
  submitNewFlow,
  goodPassword,
  messageIds,
  newAddress,
  register,
  sharedTestIdentity,
  signIn,
  valueOf,
} from '#testing/test-identity.ts'

const identity = await sharedTestIdentity({ methods: { code: 'first' } })

const settings = '/self-service/settings/browser'
const login = '/self-service/login/browser'
const recovery = '/self-service/recovery/browser'

const move = (browser: Browser, email: string) =>
  submitNewFlow(browser, settings, { method: 'profile', traits: { email, name: { first: 'J', last: 'F' } } })

/** A user with an address change that isn't verified yet. */
async function mover() {
  const browser = identity.browser()
  const [old, wanted] = [newAddress(), newAddress()]
  await register(browser, old)
  const { body } = await move(browser, wanted)
  return { browser, old, wanted, flowId: body.continue_with[0].flow.id }
}
async function prove({ browser, wanted, flowId }: Awaited<ReturnType<typeof mover>>) {
  const code = codeIn((await identity.mailsTo(wanted))[0])
  return browser.post(`/self-service/verification?flow=${flowId}`, { method: 'code', code })
}
const statusOf = async (identifier: string, password = goodPassword) =>
  (await signIn(identity.browser(), identifier, password)).status

it('shows the new address immediately but uses it only once verified', async () => {
  const person = await mover()
  const { identity } = (await person.browser.get('/sessions/whoami')).body
  expect([identity.traits.email, identity.recovery_addresses[0].value]).toEqual([person.wanted, person.old])
  expect([await statusOf(person.old), await statusOf(person.wanted)]).toEqual([200, 400])
  expect(messageIds((await prove(person)).body)).toEqual([1080002])
  expect([await statusOf(person.old), await statusOf(person.wanted)]).toEqual([400, 200])
  const after = (await person.browser.get('/sessions/whoami')).body.identity
  expect(after.recovery_addresses).toMatchObject([{ value: person.wanted }])
})

it('sends no sign-in or recovery code to an unverified new address', async () => {
  const { old, wanted } = await mover()
  for (const [email, count] of [
    [wanted, 1],
    [old, 4],
  ] as const) {
    await submitNewFlow(identity.browser(), recovery, { method: 'code', email })
    await submitNewFlow(identity.browser(), login, { method: 'code', identifier: email })
    // New address: the verification code. Old address: its own verification code, the notification, and these two codes.
    expect(await identity.countMailsTo(email)).toBe(count)
  }
})

it('recovers the account with the old address and discards the pending change', async () => {
  const person = await mover()
  const { old, wanted } = person
  const stranded = identity.browser()
  const { body: flow } = await stranded.get(recovery)
  const send = (body: object) =>
    stranded.post(flow.ui.action, { csrf_token: valueOf(flow, 'csrf_token'), method: 'code', ...body })
  await send({ email: old })
  expect((await send({ code: codeIn((await identity.mailsTo(old, 3)).at(-1)) })).status).toBe(422)
  const { body: session } = await stranded.get('/sessions/whoami')
  const { traits, verifiable_addresses: addresses } = session.identity
  expect([traits.email, addresses.length]).toEqual([old, 1])
  expect(addresses).toMatchObject([{ value: old, verified: true }])
  expect(messageIds((await prove(person)).body)).toEqual([4070006])
  expect(await statusOf(old)).toBe(200)
  expect((await register(identity.browser(), wanted)).status).toBe(200)
})

it('rejects a recovery code for an address that the account no longer has', async () => {
  const person = await mover()
  const stranger = identity.browser()
  const { body: flow } = await stranger.get(recovery)
  const send = (body: object) =>
    stranger.post(flow.ui.action, { csrf_token: valueOf(flow, 'csrf_token'), method: 'code', ...body })
  await send({ email: person.old })
  const code = codeIn((await identity.mailsTo(person.old, 3)).at(-1))
  await prove(person)
  expect(messageIds((await send({ code })).body)).toEqual([4060006])
  expect(await statusOf(person.wanted)).toBe(200)
})

it('reverts to the old address before the new one is verified', async () => {
  const { browser, old, wanted } = await mover()
  expect((await move(browser, old)).status).toBe(200)
  const { identity } = (await browser.get('/sessions/whoami')).body
  expect(identity.verifiable_addresses).toMatchObject([{ value: old }])
  expect([await statusOf(old), await statusOf(wanted)]).toEqual([200, 400])
})

it('signs in with a code sent to the old address', async () => {
  const { old } = await mover()
  const browser = identity.browser()
  const { body: flow } = await browser.get(login)
  const send = (body: object) =>
    browser.post(flow.ui.action, { csrf_token: valueOf(flow, 'csrf_token'), method: 'code', ...body })
  await send({ identifier: old })
  expect((await send({ code: codeIn((await identity.mailsTo(old, 3)).at(-1)) })).status).toBe(200)
})

it('reserves both addresses until the new one is verified', async () => {
  const person = await mover()
  const other = identity.browser()
  await register(other, newAddress())
  for (const email of [person.old, person.wanted]) {
    expect(messageIds((await register(identity.browser(), email)).body)).toEqual([4000007])
    expect(messageIds((await move(other, email)).body)).toEqual([4000007])
  }
  await prove(person)
  expect((await register(identity.browser(), person.old)).status).toBe(200)
  expect((await move(other, person.wanted)).status).toBe(400)
})

it('keeps the old address after a password change and for reauthentication', async () => {
  const { browser, old, wanted } = await mover()
  const { body } = await browser.get(`${login}?refresh=true`)
  expect(valueOf(body, 'identifier')).toBe(old)
  const changed = await submitNewFlow(browser, settings, { method: 'password', password: 'A-Whole-New-Password' })
  expect(changed.status).toBe(200)
  expect(await statusOf(old, 'A-Whole-New-Password')).toBe(200)
  expect(await statusOf(wanted, 'A-Whole-New-Password')).toBe(400)
})
