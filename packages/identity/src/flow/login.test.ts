import { expect, it } from 'vitest'
import { verifyPassword } from '#method/argon2.ts'
import {
  createTestIdentity,
  goodPassword,
  messageIds,
  newAddress,
  nodeOf,
  portalUrl,
  register,
  sharedTestIdentity,
  signIn,
  valueOf,
} from '#testing/test-identity.ts'

const identity = await sharedTestIdentity()

const start = '/self-service/login/browser'
const minute = 60_000

async function registerAccount() {
  const email = newAddress()
  await register(identity.browser(), email)
  return email
}

it('SEC-A4 signs in with any letter case and stores only a hash of the session token', async () => {
  const email = await registerAccount()
  const browser = identity.browser()
  const { status, body, headers } = await signIn(browser, ` ${email.toUpperCase()} `)
  expect(status).toBe(200)
  expect(body.session).toMatchObject({
    active: true,
    authenticator_assurance_level: 'aal1',
    authentication_methods: [{ method: 'password', aal: 'aal1' }],
    identity: { traits: { email } },
  })
  const cookie = [headers['set-cookie']].flat().find((line) => line?.startsWith('ory_kratos_session='))
  expect(cookie).toMatch(/; Path=\/; Expires=.*; Max-Age=86\d{3}; HttpOnly; SameSite=Lax$/)
  const rows = await identity.database.db.selectFrom('identity.session').selectAll().execute()
  expect(JSON.stringify(rows)).not.toContain(browser.jar.get('ory_kratos_session'))
})

it('SEC-A3 responds the same for a wrong password and an unknown account', async () => {
  const wrong = await signIn(identity.browser(), await registerAccount(), 'wrong password')
  const unknown = await signIn(identity.browser(), newAddress(), 'wrong password')
  for (const { status, body } of [wrong, unknown]) {
    expect(status).toBe(400)
    expect(messageIds(body)).toEqual([4000006])
    expect(nodeOf(body, 'password').attributes).not.toHaveProperty('value')
  }
  const shape = ({ body }: typeof wrong) =>
    body.ui.nodes.map((node: { attributes: object }) => Object.keys(node.attributes))
  expect(shape(wrong)).toEqual(shape(unknown))
})

it.each([
  ['no token', () => ''],
  ["another browser's token", async () => valueOf((await identity.browser().get(start)).body, 'csrf_token')],
])('SEC-A5 rejects a submission with %s', async (_case, token) => {
  const email = await registerAccount()
  const browser = identity.browser()
  const { body: flow } = await browser.get(start)
  const response = await browser.post(flow.ui.action, {
    csrf_token: await token(),
    method: 'password',
    identifier: email,
    password: goodPassword,
  })
  expect(response.status).toBe(403)
  expect(response.body.error.id).toBe('security_csrf_violation')
  expect(browser.jar.has('ory_kratos_session')).toBe(false)
})

it("accepts the CSRF token of an earlier form and the cookie's token, but no header", async () => {
  const email = await registerAccount()
  const browser = identity.browser()
  const earlier = valueOf((await browser.get(start)).body, 'csrf_token')
  const { body: flow } = await browser.get(start)
  const body = { method: 'password', identifier: email, password: 'wrong password' }
  const cookie = [...browser.jar].find(([name]) => name.startsWith('csrf_token'))?.[1]
  for (const csrf_token of [earlier, cookie]) {
    expect((await browser.post(flow.ui.action, { ...body, csrf_token })).status).toBe(400)
  }
  expect((await browser.post(flow.ui.action, body, { 'x-csrf-token': earlier })).status).toBe(403)
})

it('SEC-A5 allows only the browser that started a flow to fetch or submit it', async () => {
  const email = await registerAccount()
  const { body: flow } = await identity.browser().get(start)
  const other = identity.browser()
  const { body: own } = await other.get(start)
  expect((await other.get(`/self-service/login/flows?id=${flow.id}`)).status).toBe(403)
  const body = { method: 'password', identifier: email, password: goodPassword }
  for (const method of ['password', 'doesnotexist']) {
    const response = await other.post(flow.ui.action, { ...body, method, csrf_token: valueOf(own, 'csrf_token') })
    expect(response.status).toBe(403)
  }
})

it('SEC-A4 renews a session with the same ID and a new token', async () => {
  const email = await registerAccount()
  const browser = identity.browser()
  const first = await signIn(browser, email)
  const old = browser.jar.get('ory_kratos_session') ?? ''
  identity.advance(minute)
  const { body: flow } = await browser.get(`${start}?refresh=true`)
  expect(messageIds(flow)).toEqual([1010003])
  expect(nodeOf(flow, 'identifier').attributes).toMatchObject({ type: 'hidden', value: email })
  const again = await browser.post(flow.ui.action, {
    csrf_token: valueOf(flow, 'csrf_token'),
    method: 'password',
    identifier: email,
    password: goodPassword,
  })
  const { session } = again.body
  expect(session.id).toBe(first.body.session.id)
  expect(session.issued_at).toBe(first.body.session.issued_at)
  expect(Date.parse(session.authenticated_at)).toBeGreaterThan(Date.parse(first.body.session.authenticated_at))
  expect(session.authentication_methods).toHaveLength(2)
  const otherBrowser = identity.browser()
  otherBrowser.jar.set('ory_kratos_session', old)
  expect((await otherBrowser.get('/sessions/whoami')).status).toBe(401)
})

it('revokes the previous session when another user signs in', async () => {
  const [first, second] = [await registerAccount(), await registerAccount()]
  const browser = identity.browser()
  await signIn(browser, first)
  const old = browser.jar.get('ory_kratos_session') ?? ''
  await signIn(browser, second, goodPassword, '?refresh=true')
  expect((await browser.get('/sessions/whoami')).body.identity.traits.email).toBe(second)
  const otherBrowser = identity.browser()
  otherBrowser.jar.set('ory_kratos_session', old)
  expect((await otherBrowser.get('/sessions/whoami')).status).toBe(401)
})

it('reads the assurance level in any letter case', async () => {
  const { body } = await identity.browser().get(`${start}?aal=AAL2`)
  expect(body.error.id).toBe('session_aal1_required')
})

it('requires a first factor before a second one, and offers none if none is enrolled', async () => {
  expect((await identity.browser().get(`${start}?aal=aal2`)).body.error.id).toBe('session_aal1_required')
  const email = await registerAccount()
  const browser = identity.browser()
  await signIn(browser, email)
  const { body: flow } = await browser.get(`${start}?aal=aal2`)
  expect(flow.requested_aal).toBe('aal2')
  expect(messageIds(flow)).toEqual([1010004])
  expect(flow.ui.nodes).toHaveLength(1)
  const body = { method: 'password', identifier: email, password: goodPassword }
  const response = await browser.post(flow.ui.action, { ...body, csrf_token: valueOf(flow, 'csrf_token') })
  expect(messageIds(response.body)).toEqual([4010002])
})

it('replaces an expired flow', async () => {
  const browser = identity.browser()
  const { body: flow } = await browser.get(`${start}?return_to=/scope`)
  identity.advance(61 * minute)
  const fetched = await browser.get(`/self-service/login/flows?id=${flow.id}`)
  expect(fetched.status).toBe(410)
  expect(fetched.body.error.details.redirect_to).toMatch(/\/self-service\/login\/browser\?return_to=%2Fscope$/)
  const response = await browser.post(flow.ui.action, { csrf_token: valueOf(flow, 'csrf_token'), method: 'password' })
  expect(response.status).toBe(410)
  const { body: next } = await browser.get(`/self-service/login/flows?id=${response.body.use_flow_id}`)
  expect(messageIds(next)).toEqual([4010001])
  expect(next.return_to).toBe('/scope')
})

it('redirects a browser to return_to', async () => {
  const email = await registerAccount()
  const browser = identity.browser()
  const { body: flow } = await browser.get(`${start}?return_to=/scope?create=true`)
  const fields = {
    csrf_token: valueOf(flow, 'csrf_token'),
    method: 'password',
    identifier: email,
    password: goodPassword,
  }
  const response = await browser.submit(flow.ui.action, fields)
  expect([response.status, response.headers.location]).toEqual([303, `${portalUrl}/scope?create=true`])
})

it('SEC-A1 rehashes a password with outdated parameters', async () => {
  // With the production hash cost, unlike the other tests.
  await using production = await createTestIdentity({ hashing: undefined })
  const email = newAddress()
  await register(production.browser(), email)
  const { db } = production.database
  // A hash with 8 MiB and one pass.
  const old = await weakHash(goodPassword)
  const owner = db.selectFrom('identity.credential_identifier').select('identity_id').where('identifier', '=', email)
  await db
    .updateTable('identity.credential')
    .set({ config: JSON.stringify({ hash: old }) })
    .where('identity_id', '=', owner)
    .execute()
  expect((await signIn(production.browser(), email)).status).toBe(200)
  const { config } = await db
    .selectFrom('identity.credential')
    .select('config')
    .where('identity_id', '=', owner)
    .executeTakeFirstOrThrow()
  expect(JSON.stringify(config)).toContain('m=19456,t=2,p=1')
  expect((await signIn(production.browser(), email)).status).toBe(200)
})

it('rejects an inactive account', async () => {
  const email = await registerAccount()
  const browser = identity.browser()
  await signIn(browser, email)
  const { db } = identity.database
  const owner = db.selectFrom('identity.verifiable_address').select('identity_id').where('value', '=', email)
  await db.updateTable('identity.identity').set({ state: 'inactive' }).where('id', '=', owner).execute()
  expect((await browser.get('/sessions/whoami')).status).toBe(401)
  expect(messageIds((await signIn(identity.browser(), email)).body)).toEqual([4010011])
})

it('SEC-A2 throttles attempts at known and unknown accounts until the window ends', async () => {
  const email = await registerAccount()
  for (const identifier of [email, newAddress()]) {
    const browser = identity.browser()
    for (let guess = 0; guess < 10; guess++) {
      expect(messageIds((await signIn(browser, identifier, `wrong ${guess}`)).body)).toEqual([4000006])
    }
    const { status, body } = await signIn(browser, identifier)
    expect([status, ...messageIds(body)]).toEqual([400, 4000001])
  }
  identity.advance(16 * minute)
  expect((await signIn(identity.browser(), email)).status).toBe(200)
  expect(identity.events.map(({ kind }) => kind)).toContain('throttled')
})

it('does not throttle concurrent successful sign-ins from one address', async () => {
  const email = await registerAccount()
  const responses = await Promise.all(Array.from({ length: 50 }, () => signIn(identity.browser(), email)))
  expect([...new Set(responses.map(({ status }) => status))]).toEqual([200])
}, 60_000)

it('checks at most ten concurrent wrong passwords', async () => {
  const email = await registerAccount()
  const guesses = Array.from({ length: 30 }, (_, nth) => signIn(identity.browser(), email, `wrong ${nth}`))
  const ids = (await Promise.all(guesses)).flatMap(({ body }) => messageIds(body))
  expect(ids.filter((id) => id === 4000006)).toHaveLength(10)
  expect(ids.filter((id) => id === 4000001)).toHaveLength(20)
}, 60_000)

/** Attacks an account with a few wrong passwords from each of many IPs. */
async function attackFrom(email: string, addresses: number) {
  for (let host = 1; host <= addresses; host++) {
    const browser = identity.browser('Attacker/1', `127.9.0.${host}`)
    for (let guess = 0; guess < 9; guess++) await signIn(browser, email, `wrong ${guess}`)
  }
}

it("SEC-A2 throttles a distributed attack without locking out the account's owner", async () => {
  const email = await registerAccount()
  await attackFrom(email, 6)
  const used = identity.browser('Attacker/1', '127.9.0.1')
  expect(messageIds((await signIn(used, email)).body)).toEqual([4000001])
  const fresh = identity.browser('Attacker/1', '127.9.1.1')
  const guesses = []
  for (let guess = 0; guess < 3; guess++) guesses.push(messageIds((await signIn(fresh, email, 'wrong')).body))
  expect(guesses).toEqual([[4000006], [4000006], [4000001]])
  expect(messageIds((await signIn(fresh, email)).body)).toEqual([4000001])

  const owner = () => identity.browser('Owner/1', '127.9.2.1')
  expect(messageIds((await signIn(owner(), email, 'a slip')).body)).toEqual([4000006])
  for (let visit = 0; visit < 3; visit++) expect((await signIn(owner(), email)).status).toBe(200)
})

it('counts concurrent attempts', async () => {
  const email = await registerAccount()
  const responses = await Promise.all(
    Array.from({ length: 14 }, () => signIn(identity.browser(), email, 'wrong password')),
  )
  const ids = responses.flatMap(({ body }) => messageIds(body)).toSorted((a, b) => a - b)
  expect(ids).toEqual([...Array.from({ length: 4 }, () => 4000001), ...Array.from({ length: 10 }, () => 4000006)])
})

it('SEC-H2 records the client of sign-ins in the audit log', async () => {
  const email = await registerAccount()
  await signIn(identity.browser('Agent/2'), email, 'wrong password')
  await signIn(identity.browser('Agent/2'), email)
  const events = identity.events.filter(({ userAgent }) => userAgent === 'Agent/2')
  expect(events.map(({ kind, ip }) => [kind, ip])).toEqual([
    ['sign_in_failed', '127.0.0.1'],
    ['signed_in', '127.0.0.1'],
  ])
  expect(JSON.stringify(identity.events)).not.toContain('wrong password')
})

async function weakHash(password: string): Promise<string> {
  const { argon2Sync, randomBytes } = await import('node:crypto')
  const nonce = randomBytes(16)
  const tag = argon2Sync('argon2id', {
    message: password,
    nonce,
    parallelism: 1,
    tagLength: 32,
    memory: 8192,
    passes: 1,
  })
  const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
  const hash = `$argon2id$v=19$m=8192,t=1,p=1$${text(nonce)}$${text(tag)}`
  expect(await verifyPassword(password, hash)).toBe(true)
  return hash
}
