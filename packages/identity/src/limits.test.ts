/** Idle and absolute limits of sessions, and the networks from which users can sign in. */
import { expect, it } from 'vitest'
import { newAddress, register, sharedTestIdentity, signIn } from '#testing/test-identity.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
let allowedAddress = '127.0.0.1'
const identity = await sharedTestIdentity({
  lifespans: { sessionMs: 3 * hourMs, idleMs: hourMs, flowMs: hourMs, codeMs: hourMs, privilegedMs: hourMs },
  isAllowedAddress: async (ip) => ip === allowedAddress,
})

async function openSession() {
  const browser = identity.browser()
  await register(browser, newAddress())
  const cookie = `ory_kratos_session=${browser.jar.get('ory_kratos_session')}`
  return { browser, cookie, isSignedIn: async () => (await browser.get('/sessions/whoami')).status === 200 }
}

it('ends a session that is idle for too long', async () => {
  const { isSignedIn } = await openSession()
  identity.advance(59 * minuteMs)
  expect(await isSignedIn()).toBe(true)
  identity.advance(59 * minuteMs)
  expect(await isSignedIn()).toBe(true)
  identity.advance(61 * minuteMs)
  expect(await isSignedIn()).toBe(false)
})

it('ends a session at the absolute limit, however much it is used', async () => {
  const { isSignedIn } = await openSession()
  for (let used = 0; used < 5; used++) {
    identity.advance(30 * minuteMs)
    expect(await isSignedIn()).toBe(true)
  }
  identity.advance(31 * minuteMs)
  expect(await isSignedIn()).toBe(false)
})

it("doesn't keep a session alive by requests that no user made", async () => {
  const { cookie, isSignedIn } = await openSession()
  identity.advance(40 * minuteMs)
  expect(await identity.service.whoami({ cookie }, { isActivity: false })).not.toBeNull()
  identity.advance(40 * minuteMs)
  expect(await isSignedIn()).toBe(false)
})

it('rarely writes the time of the last request', async () => {
  const { cookie } = await openSession()
  const usedAt = async () => {
    const session = await identity.service.whoami({ cookie })
    const query = identity.database.db
      .selectFrom('identity.session')
      .select('used_at')
      .where('id', '=', session?.id ?? '')
    return (await query.executeTakeFirstOrThrow()).used_at
  }
  const before = await usedAt()
  identity.advance(2 * minuteMs)
  expect(await usedAt()).toEqual(before)
  identity.advance(2 * minuteMs)
  expect(await usedAt()).not.toEqual(before)
})

it('rejects sign-in, sign-up, and recovery from other networks, with the reason', async () => {
  const email = newAddress()
  await register(identity.browser(), email)
  allowedAddress = '192.0.2.1'
  try {
    const browser = identity.browser()
    for (const kind of ['login', 'registration', 'recovery', 'verification']) {
      const { status, body } = await browser.get(`/self-service/${kind}/browser`)
      expect([status, body.error.reason]).toEqual([
        403,
        "Signing in isn't allowed from 127.0.0.1. Connect from an allowed network.",
      ])
    }
  } finally {
    allowedAddress = '127.0.0.1'
  }
  expect((await signIn(identity.browser(), email)).status).toBe(200)
})

it('lets users sign out from everywhere', async () => {
  const { browser } = await openSession()
  allowedAddress = '192.0.2.1'
  try {
    const { body } = await browser.get('/self-service/logout/browser')
    expect((await browser.get(body.logout_url)).status).toBe(204)
  } finally {
    allowedAddress = '127.0.0.1'
  }
})
