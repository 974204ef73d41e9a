import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Browser } from '#testing/browser.ts'
import {
  type House,
  codeIn,
  complete,
  goodPassword,
  messageIds,
  newAddress,
  openHouse,
  register,
  signIn,
  valueOf,
} from '#testing/house.ts'

let house: House
beforeAll(async () => {
  house = await openHouse({ methods: { code: 'first' } })
})
afterAll(() => house?.close())

const settings = '/self-service/settings/browser'
const login = '/self-service/login/browser'
const recovery = '/self-service/recovery/browser'

const move = (browser: Browser, email: string) =>
  complete(browser, settings, { method: 'profile', traits: { email, name: { first: 'J', last: 'F' } } })

/** Somebody who has asked for a new address and not proved it yet. */
async function mover() {
  const browser = house.browser()
  const [old, wanted] = [newAddress(), newAddress()]
  await register(browser, old)
  const { body } = await move(browser, wanted)
  return { browser, old, wanted, flowId: body.continue_with[0].flow.id }
}
async function prove({ browser, wanted, flowId }: Awaited<ReturnType<typeof mover>>) {
  const code = codeIn((await house.mailsTo(wanted))[0])
  return browser.post(`/self-service/verification?flow=${flowId}`, { method: 'code', code })
}
const statusOf = async (identifier: string, password = goodPassword) =>
  (await signIn(house.browser(), identifier, password)).status

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
    await complete(house.browser(), recovery, { method: 'code', email })
    await complete(house.browser(), login, { method: 'code', identifier: email })
    // The new address has the code that proves it; the old one its first code, the news, and these two.
    expect(await house.mailsMeantFor(email)).toBe(count)
  }
})

it('lets the old address take the account back, from the new one as well', async () => {
  const person = await mover()
  const { old, wanted } = person
  const stranded = house.browser()
  const { body: flow } = await stranded.get(recovery)
  const send = (body: object) =>
    stranded.post(flow.ui.action, { csrf_token: valueOf(flow, 'csrf_token'), method: 'code', ...body })
  await send({ email: old })
  expect((await send({ code: codeIn((await house.mailsTo(old, 3)).at(-1)) })).status).toBe(422)
  const { identity } = (await stranded.get('/sessions/whoami')).body
  expect([identity.traits.email, identity.verifiable_addresses.length]).toEqual([old, 1])
  expect(identity.verifiable_addresses).toMatchObject([{ value: old, verified: true }])
  expect(messageIds((await prove(person)).body)).toEqual([4070006])
  expect(await statusOf(old)).toBe(200)
  expect((await register(house.browser(), wanted)).status).toBe(200)
})

it('takes no code that was mailed to an address which the account has left since', async () => {
  const person = await mover()
  const stranger = house.browser()
  const { body: flow } = await stranger.get(recovery)
  const send = (body: object) =>
    stranger.post(flow.ui.action, { csrf_token: valueOf(flow, 'csrf_token'), method: 'code', ...body })
  await send({ email: person.old })
  const code = codeIn((await house.mailsTo(person.old, 3)).at(-1))
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
  const browser = house.browser()
  const { body: flow } = await browser.get(login)
  const send = (body: object) =>
    browser.post(flow.ui.action, { csrf_token: valueOf(flow, 'csrf_token'), method: 'code', ...body })
  await send({ identifier: old })
  expect((await send({ code: codeIn((await house.mailsTo(old, 3)).at(-1)) })).status).toBe(200)
})

it('keeps both addresses from everybody else until one of them counts', async () => {
  const person = await mover()
  const other = house.browser()
  await register(other, newAddress())
  for (const email of [person.old, person.wanted]) {
    expect(messageIds((await register(house.browser(), email)).body)).toEqual([4000007])
    expect(messageIds((await move(other, email)).body)).toEqual([4000007])
  }
  await prove(person)
  expect((await register(house.browser(), person.old)).status).toBe(200)
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
