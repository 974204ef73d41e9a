import { expect, it } from 'vitest'
import { createIdentityAdmin } from '#identity-admin.ts'
import { submitNewFlow, enqueueMail, newAddress, register, sharedTestIdentity } from '#testing/test-identity.ts'

const identity = await sharedTestIdentity()

async function registerUser() {
  const browser = identity.browser()
  const email = newAddress()
  const { body } = await register(browser, email)
  await browser.get('/sessions/whoami')
  return { browser, email, id: body.identity.id }
}

it('whoami reflects profile changes and logout', async () => {
  const { browser, email } = await registerUser()
  const traits = { email, name: { first: 'Jane', last: 'Frost' } }
  await submitNewFlow(browser, '/self-service/settings/browser', { method: 'profile', traits })
  expect((await browser.get('/sessions/whoami')).body.identity.traits.name.first).toBe('Jane')
  const cookies = new Map(browser.jar)
  await browser.get((await browser.get('/self-service/logout/browser')).body.logout_url)
  for (const [name, value] of cookies) browser.jar.set(name, value)
  expect((await browser.get('/sessions/whoami')).status).toBe(401)
})

it('whoami rejects an unknown template for a token', async () => {
  const { browser } = await registerUser()
  const { status, body } = await browser.get('/sessions/whoami?tokenize_as=jwt')
  expect([status, body.error.reason]).toEqual([400, 'Unable to find tokenizer template "jwt".'])
})

it('rejects a logout without a session before it checks the return URL', async () => {
  const { status, body } = await identity.browser().get('/self-service/logout/browser?return_to=https://evil.example/')
  expect([status, body.error.id]).toEqual([401, 'session_inactive'])
})

it.each([
  ['zz', 'uuid: incorrect UUID length 2 in string "zz"'],
  ['z'.repeat(36), `uuid: incorrect UUID format in string "${'z'.repeat(36)}"`],
])('rejects the session ID %s', async (id, message) => {
  const { browser } = await registerUser()
  const { status, body } = await browser.delete(`/sessions/${id}`)
  expect([status, body.error.message]).toEqual([400, message])
})

it('whoami reflects changes by another process and session expiry', async () => {
  const { browser, id } = await registerUser()
  await createIdentityAdmin({ database: identity.database.db, enqueueMail }).setState(id, 'inactive')
  expect((await browser.get('/sessions/whoami')).status).toBe(401)
  const other = await registerUser()
  identity.advance(24 * 3600_000)
  expect((await other.browser.get('/sessions/whoami')).status).toBe(401)
})
