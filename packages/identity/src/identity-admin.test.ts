import { expect, it } from 'vitest'
import { createIdentityAdmin } from '#identity-admin.ts'
import {
  submitNewFlow,
  enrollLookupSecrets,
  enrollTotp,
  goodPassword,
  newAddress,
  register,
  sharedTestIdentity,
  signIn,
  valueOf,
  enqueueMail,
} from '#testing/test-identity.ts'

const identity = await sharedTestIdentity()
const people = createIdentityAdmin({ database: identity.database.db, enqueueMail, now: identity.now })

const named = (email: string) => ({ email, name: { first: 'Nora', last: 'Ammann' } })
async function member() {
  const browser = identity.browser()
  const email = newAddress()
  await register(browser, email)
  const person = await people.find(email)
  if (!person) throw new Error('Identity not found')
  return { browser, email, person }
}

it('finds an identity by address in any letter case or by ID, and lists each identity once', async () => {
  const { email, person } = await member()
  expect(await people.find(` ${email.toUpperCase()}`)).toEqual(person)
  expect(await people.find(person.id)).toEqual(person)
  expect(person).toMatchObject({ state: 'active', isVerified: false, credentials: ['password'], sessions: 1 })
  expect(await people.find('nobody@example.test')).toBeNull()
  const ids = (await Array.fromAsync(people.list())).map(({ id }) => id)
  expect(ids).toContain(person.id)
  expect(new Set(ids).size).toBe(ids.length)
})

it('creates an identity that can sign in with its password', async () => {
  const email = newAddress()
  const made = await people.create(named(email), { password: goodPassword, isVerified: true })
  expect(made).toMatchObject({ kind: 'created', identity: { email, isVerified: true, lastSignInAt: null } })
  expect((await signIn(identity.browser(), email)).status).toBe(200)
})

it('creates an identity without a password that can sign in through recovery', async () => {
  const email = newAddress()
  await people.create(named(email), { isVerified: false })
  expect((await signIn(identity.browser(), email)).status).toBe(400)
  const browser = identity.browser()
  const { body: flow } = await submitNewFlow(browser, '/self-service/recovery/browser', { method: 'code', email })
  const code = /\b\d{6}\b/.exec((await identity.mailsTo(email)).at(-1)?.text ?? '')?.[0]
  const csrf_token = valueOf(flow, 'csrf_token')
  expect((await browser.post(flow.ui.action, { method: 'code', code, csrf_token })).status).toBe(422)
  const chosen = await submitNewFlow(browser, '/self-service/settings/browser', {
    method: 'password',
    password: goodPassword,
  })
  expect(chosen.status).toBe(200)
  expect((await signIn(identity.browser(), email)).status).toBe(200)
})

it.each([
  ['a taken address', async () => named((await member()).email), goodPassword, 'taken'],
  ['an invalid address', async () => named('nora'), goodPassword, 'invalid'],
  ['a short password', async () => named(newAddress()), 'short', 'invalid'],
] as const)('rejects %s', async (_what, traits, password, kind) => {
  expect((await people.create(await traits(), { password, isVerified: false })).kind).toBe(kind)
})

it('disables an identity immediately and enables it again', async () => {
  const { browser, email, person } = await member()
  await people.setState(person.id, 'inactive')
  expect((await browser.get('/sessions/whoami')).status).toBe(401)
  expect((await signIn(identity.browser(), email)).status).toBe(400)
  await people.setState(person.id, 'active')
  expect((await signIn(identity.browser(), email)).status).toBe(200)
})

it('removes second factors, revokes sessions and notifies the user', async () => {
  const { browser, email, person } = await member()
  await enrollTotp(identity, browser)
  await enrollLookupSecrets(browser)
  expect(await people.resetSecondFactors(person.id)).toEqual(['lookup_secret', 'totp'])
  expect((await browser.get('/sessions/whoami')).status).toBe(401)
  expect((await signIn(identity.browser(), email)).status).toBe(200)
  expect(await people.resetSecondFactors(person.id)).toEqual([])
  const waiting = identity.database.db.selectFrom('identity.mail').select('subject').where('recipient', '=', email)
  expect((await waiting.execute()).map(({ subject }) => subject)).toContain(
    'Two-factor authentication was removed from your account',
  )
})

it('deletes an identity and frees its address', async () => {
  const { browser, email, person } = await member()
  await people.remove(person.id)
  expect((await browser.get('/sessions/whoami')).status).toBe(401)
  expect(await people.find(email)).toBeNull()
  expect((await register(identity.browser(), email)).status).toBe(200)
})
