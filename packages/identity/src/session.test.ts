import { expect, it } from 'vitest'
import { Session } from '@glacis/contract/identity'
import {
  enrollSecondFactor,
  newAddress,
  portalUrl,
  publicUrl,
  register,
  sharedTestIdentity,
  signIn,
} from '#testing/test-identity.ts'
import { truncateUserAgent } from '#session.ts'

const identity = await sharedTestIdentity()

async function threeSessions() {
  const email = newAddress()
  const browsers = [identity.browser('One'), identity.browser('Two'), identity.browser('Three')] as const
  await register(browsers[0], email)
  for (const browser of browsers.slice(1)) {
    identity.advance(1000)
    await signIn(browser, email)
  }
  return browsers
}
const userAgents = (sessions: { devices: { user_agent: string }[] }[]) =>
  sessions.map(({ devices }) => devices[0]?.user_agent)

it('returns the session of a request to the host', async () => {
  const browser = identity.browser()
  const email = newAddress()
  await register(browser, email)
  const cookie = `other=1; ory_kratos_session=${browser.jar.get('ory_kratos_session')}`
  const session = await identity.service.whoami({ cookie })
  expect(Session.parse(session).identity.traits.email).toBe(email)
  expect(await identity.service.whoami({})).toBeNull()
  expect(await identity.service.whoami({ cookie: 'ory_kratos_session=nonsense' })).toBeNull()
  identity.advance(24 * 3600_000)
  expect(await identity.service.whoami({ cookie })).toBeNull()
})

it('expires a session', async () => {
  const browser = identity.browser()
  await register(browser, newAddress())
  identity.advance(24 * 3600_000 + 1000)
  expect((await browser.get('/sessions/whoami')).status).toBe(401)
})

it('SEC-H3 does not disclose secrets', async () => {
  const browser = identity.browser()
  await register(browser, newAddress())
  const { text, headers, body } = await browser.get('/sessions/whoami')
  expect(text).not.toMatch(/credentials|argon2|token|metadata_admin/)
  expect(headers['x-kratos-authenticated-identity-id']).toBe(body.identity.id)
})

it('lists the other sessions, newest first, with pagination', async () => {
  const [browser] = await threeSessions()
  const { body, headers } = await browser.get('/sessions')
  expect(userAgents(body)).toEqual(['Three', 'Two'])
  expect(headers['x-total-count']).toBe('2')
  const first = await browser.get('/sessions?page_size=1')
  const next = /<([^>]+)>; rel="next"/.exec(String(first.headers.link))?.[1] ?? ''
  expect(userAgents((await browser.get(next)).body)).toEqual(['Two'])
  expect((await browser.get('/sessions?page_size=0')).status).toBe(400)
})

it('denies access to a session that lacks its second factor', async () => {
  const email = newAddress()
  await register(identity.browser(), email)
  await enrollSecondFactor(identity, email)
  const browser = identity.browser()
  const { status, body } = await signIn(browser, email)
  expect([status, body.redirect_browser_to]).toEqual([422, `${publicUrl}/self-service/login/browser?aal=aal2`])
  const responses = [
    await browser.get('/sessions/whoami'),
    await browser.get('/sessions'),
    await browser.delete('/sessions'),
    await browser.get('/self-service/settings/browser'),
  ]
  for (const response of responses)
    expect([response.status, response.body.error.id]).toEqual([403, 'session_aal2_required'])
  const cookie = `ory_kratos_session=${browser.jar.get('ory_kratos_session')}`
  expect(await identity.service.whoami({ cookie })).toBeNull()
})

it('revokes another session immediately', async () => {
  const [first, second, third] = await threeSessions()
  const [newest] = (await first.get('/sessions')).body
  expect((await first.delete(`/sessions/${newest.id}`)).status).toBe(204)
  expect((await third.get('/sessions/whoami')).status).toBe(401)
  expect((await second.get('/sessions/whoami')).status).toBe(200)
  expect(userAgents((await first.get('/sessions')).body)).toEqual(['Two'])
})

it('revokes all other sessions and counts only active ones', async () => {
  const [first, second] = await threeSessions()
  expect((await first.delete('/sessions')).body).toEqual({ count: 2 })
  expect((await first.delete('/sessions')).body).toEqual({ count: 0 })
  expect((await second.get('/sessions/whoami')).status).toBe(401)
  expect((await first.get('/sessions/whoami')).status).toBe(200)
})

it("does not revoke another identity's session or the current one", async () => {
  const [browser] = await threeSessions()
  const [otherUser] = await threeSessions()
  const { body } = await browser.get('/sessions/whoami')
  expect((await otherUser.delete(`/sessions/${body.id}`)).status).toBe(204)
  expect((await browser.get('/sessions/whoami')).status).toBe(200)
  expect((await browser.delete(`/sessions/${body.id}`)).body.error.message).toBe('cannot revoke current session')
  expect((await browser.delete('/sessions/not-a-uuid')).status).toBe(400)
})

it("requires the session's own logout token", async () => {
  const [first, second] = await threeSessions()
  const { body } = await second.get('/self-service/logout/browser')
  expect((await first.get(body.logout_url)).status).toBe(403)
  expect((await first.get('/sessions/whoami')).status).toBe(200)
  const response = await second.open(`${body.logout_url}&return_to=/scope`)
  expect([response.status, response.headers.location]).toEqual([303, `${portalUrl}/scope`])
  expect(second.jar.has('ory_kratos_session')).toBe(false)
  expect((await second.get('/sessions/whoami')).status).toBe(401)
})

it('invalidates forms on logout', async () => {
  const [browser] = await threeSessions()
  const { body: flow } = await browser.get('/self-service/login/browser?refresh=true')
  const { body } = await browser.get('/self-service/logout/browser')
  await browser.get(body.logout_url)
  expect((await browser.get(`/self-service/login/flows?id=${flow.id}`)).status).toBe(403)
})

it.each([
  ['x'.repeat(600), 512],
  ['é'.repeat(300), 512],
  [`${'x'.repeat(511)}é`, 511],
  ['short', 5],
] as const)('truncates a user agent to 512 bytes at a character boundary', (agent, bytes) => {
  expect(Buffer.byteLength(truncateUserAgent(agent))).toBe(bytes)
})
