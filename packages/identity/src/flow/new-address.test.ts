import { expect, it } from 'vitest'
import type { Browser } from '#testing/browser.ts'
import {
  codeIn,
  complete,
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
  complete(browser, settings, { method: 'profile', traits: { email, name: { first: 'J', last: 'F' } } })

/** Somebody who has asked for a new address and not proved it yet. */
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

it('shows the new address at once, and counts it only once it is proved', async () => {
  const person = await mover()
  const { identity } = (await person.browser.get('/sessions/whoami')).body
  expect([identity.traits.email, identity.recovery_addresses[0].value]).toEqual([person.wanted, person.old])
  expect([await statusOf(person.old), await statusOf(person.wanted)]).toEqual([200, 400])
  expect(messageIds((await prove(person)).body)).toEqual([1080002])
  expect([await statusOf(person.old), await statusOf(person.wanted)]).toEqual([400, 200])
  const after = (await person.browser.get('/sessions/whoami')).body.identity
  expect(after.recovery_addresses).toMatchObject([{ value: person.wanted }])
})

it('opens no way in by codes to an address that is not proved', async () => {
  const { old, wanted } = await mover()
  for (const [email, count] of [
    [wanted, 1],
    [old, 4],
  ] as const) {
    await complete(identity.browser(), recovery, { method: 'code', email })
    await complete(identity.browser(), login, { method: 'code', identifier: email })
    // The new address has the code that proves it; the old one its first code, the news, and these two.
    expect(await identity.mailsMeantFor(email)).toBe(count)
  }
})

it('lets the old address take the account back, from the new one as well', async () => {
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

it('takes no code that was mailed to an address which the account has left since', async () => {
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

it('goes back to the old address before the new one is proved', async () => {
  const { browser, old, wanted } = await mover()
  expect((await move(browser, old)).status).toBe(200)
  const { identity } = (await browser.get('/sessions/whoami')).body
  expect(identity.verifiable_addresses).toMatchObject([{ value: old }])
  expect([await statusOf(old), await statusOf(wanted)]).toEqual([200, 400])
})

it('signs in by a code to the old address', async () => {
  const { old } = await mover()
  const browser = identity.browser()
  const { body: flow } = await browser.get(login)
  const send = (body: object) =>
    browser.post(flow.ui.action, { csrf_token: valueOf(flow, 'csrf_token'), method: 'code', ...body })
  await send({ identifier: old })
  expect((await send({ code: codeIn((await identity.mailsTo(old, 3)).at(-1)) })).status).toBe(200)
})

it('keeps both addresses from everybody else until one of them counts', async () => {
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

it('keeps the old address with a new password, and asks for it when a session is renewed', async () => {
  const { browser, old, wanted } = await mover()
  const { body } = await browser.get(`${login}?refresh=true`)
  expect(valueOf(body, 'identifier')).toBe(old)
  const changed = await complete(browser, settings, { method: 'password', password: 'A-Whole-New-Password' })
  expect(changed.status).toBe(200)
  expect(await statusOf(old, 'A-Whole-New-Password')).toBe(200)
  expect(await statusOf(wanted, 'A-Whole-New-Password')).toBe(400)
})
