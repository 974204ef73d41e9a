import { expect, it } from 'vitest'
import { openPeople } from '#people.ts'
import {
  complete,
  enrolLookupSecrets,
  enrolTotp,
  goodPassword,
  newAddress,
  register,
  sharedTestIdentity,
  signIn,
  valueOf,
  enqueueMail,
} from '#testing/test-identity.ts'

const identity = await sharedTestIdentity()
const people = openPeople({ database: identity.database.db, enqueueMail, now: identity.now })

const named = (email: string) => ({ email, name: { first: 'Nora', last: 'Ammann' } })
async function member() {
  const browser = identity.browser()
  const email = newAddress()
  await register(browser, email)
  const person = await people.find(email)
  if (!person) throw new Error('Nobody')
  return { browser, email, person }
}

it('finds somebody by address in any case and by id, and lists everybody once', async () => {
  const { email, person } = await member()
  expect(await people.find(` ${email.toUpperCase()}`)).toEqual(person)
  expect(await people.find(person.id)).toEqual(person)
  expect(person).toMatchObject({ state: 'active', isVerified: false, credentials: ['password'], sessions: 1 })
  expect(await people.find('nobody@example.test')).toBeNull()
  const ids = (await Array.fromAsync(people.list())).map(({ id }) => id)
  expect(ids).toContain(person.id)
  expect(new Set(ids).size).toBe(ids.length)
})

it('makes an account that its password opens', async () => {
  const email = newAddress()
  const made = await people.create(named(email), { password: goodPassword, isVerified: true })
  expect(made).toMatchObject({ kind: 'made', person: { email, isVerified: true, lastSignInAt: null } })
  expect((await signIn(identity.browser(), email)).status).toBe(200)
})

it('makes an account without a password, whose holder comes in by the recovery', async () => {
  const email = newAddress()
  await people.create(named(email), { isVerified: false })
  expect((await signIn(identity.browser(), email)).status).toBe(400)
  const browser = identity.browser()
  const { body: flow } = await complete(browser, '/self-service/recovery/browser', { method: 'code', email })
  const code = /\b\d{6}\b/.exec((await identity.mailsTo(email)).at(-1)?.text ?? '')?.[0]
  const csrf_token = valueOf(flow, 'csrf_token')
  expect((await browser.post(flow.ui.action, { method: 'code', code, csrf_token })).status).toBe(422)
  const chosen = await complete(browser, '/self-service/settings/browser', {
    method: 'password',
    password: goodPassword,
  })
  expect(chosen.status).toBe(200)
  expect((await signIn(identity.browser(), email)).status).toBe(200)
})

it.each([
  ['a taken address', async () => named((await member()).email), goodPassword, 'taken'],
  ['no address', async () => named('nora'), goodPassword, 'wrong'],
  ['a short password', async () => named(newAddress()), 'short', 'wrong'],
] as const)('makes none with %s', async (_what, traits, password, kind) => {
  expect((await people.create(await traits(), { password, isVerified: false })).kind).toBe(kind)
})

it('closes an account at once, and opens it again', async () => {
  const { browser, email, person } = await member()
  await people.setState(person.id, 'inactive')
  expect((await browser.get('/sessions/whoami')).status).toBe(401)
  expect((await signIn(identity.browser(), email)).status).toBe(400)
  await people.setState(person.id, 'active')
  expect((await signIn(identity.browser(), email)).status).toBe(200)
})

it('removes second factors, ends the sessions and tells the holder', async () => {
  const { browser, email, person } = await member()
  await enrolTotp(identity, browser)
  await enrolLookupSecrets(browser)
  expect(await people.resetSecondFactors(person.id)).toEqual(['lookup_secret', 'totp'])
  expect((await browser.get('/sessions/whoami')).status).toBe(401)
  expect((await signIn(identity.browser(), email)).status).toBe(200)
  expect(await people.resetSecondFactors(person.id)).toEqual([])
  const waiting = identity.database.db.selectFrom('identity.mail').select('subject').where('recipient', '=', email)
  expect((await waiting.execute()).map(({ subject }) => subject)).toContain('Your second factors were removed')
})

it('removes somebody, whose address is free again', async () => {
  const { browser, email, person } = await member()
  await people.remove(person.id)
  expect((await browser.get('/sessions/whoami')).status).toBe(401)
  expect(await people.find(email)).toBeNull()
  expect((await register(identity.browser(), email)).status).toBe(200)
})
