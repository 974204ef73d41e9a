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

const changeEmail = (browser: Browser, email: string) =>
  submitNewFlow(browser, settings, { method: 'profile', traits: { email, name: { first: 'J', last: 'F' } } })

/** A user with an address change that isn't verified yet. */
async function pendingAddressChange() {
  const browser = identity.browser()
  const [oldEmail, newEmail] = [newAddress(), newAddress()]
  await register(browser, oldEmail)
  const { body } = await changeEmail(browser, newEmail)
  return { browser, oldEmail, newEmail, flowId: body.continue_with[0].flow.id }
}
async function verifyNewAddress({ browser, newEmail, flowId }: Awaited<ReturnType<typeof pendingAddressChange>>) {
  const code = codeIn((await identity.mailsTo(newEmail))[0])
  return browser.post(`/self-service/verification?flow=${flowId}`, { method: 'code', code })
}
const signInStatus = async (identifier: string, password = goodPassword) =>
  (await signIn(identity.browser(), identifier, password)).status

it('SEC-A8 shows the new address immediately but uses it only once verified', async () => {
  const user = await pendingAddressChange()
  const { identity } = (await user.browser.get('/sessions/whoami')).body
  expect([identity.traits.email, identity.recovery_addresses[0].value]).toEqual([user.newEmail, user.oldEmail])
  expect([await signInStatus(user.oldEmail), await signInStatus(user.newEmail)]).toEqual([200, 400])
  expect(messageIds((await verifyNewAddress(user)).body)).toEqual([1080002])
  expect([await signInStatus(user.oldEmail), await signInStatus(user.newEmail)]).toEqual([400, 200])
  const after = (await user.browser.get('/sessions/whoami')).body.identity
  expect(after.recovery_addresses).toMatchObject([{ value: user.newEmail }])
})

it('sends no sign-in or recovery code to an unverified new address', async () => {
  const { oldEmail, newEmail } = await pendingAddressChange()
  for (const [email, count] of [
    [newEmail, 1],
    [oldEmail, 4],
  ] as const) {
    await submitNewFlow(identity.browser(), recovery, { method: 'code', email })
    await submitNewFlow(identity.browser(), login, { method: 'code', identifier: email })
    // New address: the verification code. Old address: its own verification code, the notification, and these two codes.
    expect(await identity.countMailsTo(email)).toBe(count)
  }
})

it('recovers the account with the old address and discards the pending change', async () => {
  const user = await pendingAddressChange()
  const { oldEmail, newEmail } = user
  const otherBrowser = identity.browser()
  const { body: flow } = await otherBrowser.get(recovery)
  const send = (body: object) =>
    otherBrowser.post(flow.ui.action, { csrf_token: valueOf(flow, 'csrf_token'), method: 'code', ...body })
  await send({ email: oldEmail })
  expect((await send({ code: codeIn((await identity.mailsTo(oldEmail, 3)).at(-1)) })).status).toBe(422)
  const { body: session } = await otherBrowser.get('/sessions/whoami')
  const { traits, verifiable_addresses: addresses } = session.identity
  expect([traits.email, addresses.length]).toEqual([oldEmail, 1])
  expect(addresses).toMatchObject([{ value: oldEmail, verified: true }])
  expect(messageIds((await verifyNewAddress(user)).body)).toEqual([4070006])
  expect(await signInStatus(oldEmail)).toBe(200)
  expect((await register(identity.browser(), newEmail)).status).toBe(200)
})

it('rejects a recovery code for an address that the account no longer has', async () => {
  const user = await pendingAddressChange()
  const otherBrowser = identity.browser()
  const { body: flow } = await otherBrowser.get(recovery)
  const send = (body: object) =>
    otherBrowser.post(flow.ui.action, { csrf_token: valueOf(flow, 'csrf_token'), method: 'code', ...body })
  await send({ email: user.oldEmail })
  const code = codeIn((await identity.mailsTo(user.oldEmail, 3)).at(-1))
  await verifyNewAddress(user)
  expect(messageIds((await send({ code })).body)).toEqual([4060006])
  expect(await signInStatus(user.newEmail)).toBe(200)
})

it('reverts to the old address before the new one is verified', async () => {
  const { browser, oldEmail, newEmail } = await pendingAddressChange()
  expect((await changeEmail(browser, oldEmail)).status).toBe(200)
  const { identity } = (await browser.get('/sessions/whoami')).body
  expect(identity.verifiable_addresses).toMatchObject([{ value: oldEmail }])
  expect([await signInStatus(oldEmail), await signInStatus(newEmail)]).toEqual([200, 400])
})

it('signs in with a code sent to the old address', async () => {
  const { oldEmail } = await pendingAddressChange()
  const browser = identity.browser()
  const { body: flow } = await browser.get(login)
  const send = (body: object) =>
    browser.post(flow.ui.action, { csrf_token: valueOf(flow, 'csrf_token'), method: 'code', ...body })
  await send({ identifier: oldEmail })
  expect((await send({ code: codeIn((await identity.mailsTo(oldEmail, 3)).at(-1)) })).status).toBe(200)
})

it('reserves both addresses until the new one is verified', async () => {
  const user = await pendingAddressChange()
  const other = identity.browser()
  await register(other, newAddress())
  for (const email of [user.oldEmail, user.newEmail]) {
    expect(messageIds((await register(identity.browser(), email)).body)).toEqual([4000007])
    expect(messageIds((await changeEmail(other, email)).body)).toEqual([4000007])
  }
  await verifyNewAddress(user)
  expect((await register(identity.browser(), user.oldEmail)).status).toBe(200)
  expect((await changeEmail(other, user.newEmail)).status).toBe(400)
})

it('keeps the old address after a password change and for reauthentication', async () => {
  const { browser, oldEmail, newEmail } = await pendingAddressChange()
  const { body } = await browser.get(`${login}?refresh=true`)
  expect(valueOf(body, 'identifier')).toBe(oldEmail)
  const changed = await submitNewFlow(browser, settings, { method: 'password', password: 'A-Whole-New-Password' })
  expect(changed.status).toBe(200)
  expect(await signInStatus(oldEmail, 'A-Whole-New-Password')).toBe(200)
  expect(await signInStatus(newEmail, 'A-Whole-New-Password')).toBe(400)
})
