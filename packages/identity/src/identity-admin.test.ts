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
const admin = createIdentityAdmin({ database: identity.database.db, enqueueMail, now: identity.now })

const traitsOf = (email: string) => ({ email, name: { first: 'Nora', last: 'Ammann' } })
async function registerUser() {
  const browser = identity.browser()
  const email = newAddress()
  await register(browser, email)
  const summary = await admin.find(email)
  if (!summary) throw new Error('Identity not found')
  return { browser, email, summary }
}

it('finds an identity by address in any letter case or by ID, and lists each identity once', async () => {
  const { email, summary } = await registerUser()
  expect(await admin.find(` ${email.toUpperCase()}`)).toEqual(summary)
  expect(await admin.find(summary.id)).toEqual(summary)
  expect(summary).toMatchObject({ state: 'active', isVerified: false, credentials: ['password'], sessions: 1 })
  expect(await admin.find('nobody@example.test')).toBeNull()
  const ids = (await Array.fromAsync(admin.list())).map(({ id }) => id)
  expect(ids).toContain(summary.id)
  expect(new Set(ids).size).toBe(ids.length)
})

it('creates an identity that can sign in with its password', async () => {
  const email = newAddress()
  const made = await admin.create(traitsOf(email), { password: goodPassword, isVerified: true })
  expect(made).toMatchObject({ kind: 'created', identity: { email, isVerified: true, lastSignInAt: null } })
  expect((await signIn(identity.browser(), email)).status).toBe(200)
})

it('creates an identity without a password that can sign in through recovery', async () => {
  const email = newAddress()
  await admin.create(traitsOf(email), { isVerified: false })
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
  ['a taken address', async () => traitsOf((await registerUser()).email), goodPassword, 'taken'],
  ['an invalid address', async () => traitsOf('nora'), goodPassword, 'invalid'],
  ['a short password', async () => traitsOf(newAddress()), 'short', 'invalid'],
] as const)('rejects %s', async (_what, traits, password, kind) => {
  expect((await admin.create(await traits(), { password, isVerified: false })).kind).toBe(kind)
})

it('disables an identity immediately and enables it again', async () => {
  const { browser, email, summary } = await registerUser()
  await admin.setState(summary.id, 'inactive')
  expect((await browser.get('/sessions/whoami')).status).toBe(401)
  expect((await signIn(identity.browser(), email)).status).toBe(400)
  await admin.setState(summary.id, 'active')
  expect((await signIn(identity.browser(), email)).status).toBe(200)
})

it('removes second factors, revokes sessions, and notifies the user', async () => {
  const { browser, email, summary } = await registerUser()
  await enrollTotp(identity, browser)
  await enrollLookupSecrets(browser)
  expect(await admin.resetSecondFactors(summary.id)).toEqual(['lookup_secret', 'totp'])
  expect((await browser.get('/sessions/whoami')).status).toBe(401)
  expect((await signIn(identity.browser(), email)).status).toBe(200)
  expect(await admin.resetSecondFactors(summary.id)).toEqual([])
  const mails = identity.database.db.selectFrom('identity.mail').select('subject').where('recipient', '=', email)
  expect((await mails.execute()).map(({ subject }) => subject)).toContain(
    'Two-factor authentication was removed from your account',
  )
})

it('deletes an identity and frees its address', async () => {
  const { browser, email, summary } = await registerUser()
  await admin.remove(summary.id)
  expect((await browser.get('/sessions/whoami')).status).toBe(401)
  expect(await admin.find(email)).toBeNull()
  expect((await register(identity.browser(), email)).status).toBe(200)
})
