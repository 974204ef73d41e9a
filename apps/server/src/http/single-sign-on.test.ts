/** The provider of a workspace with an external identity service. Sessions are headers; the provider is real. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestOidcProvider } from '../../../../packages/identity/src/testing/test-oidc-provider.ts'
import { testSecret } from '#testing/api.ts'
import { openTeam, reasonOf, type Team, verifyDomain } from '#testing/team.ts'
import { openTestUsers, type TestUsers } from '#testing/test-users.ts'

const origin = 'http://localhost:3000'
const idleMs = 60_000
const sessionMs = 3_600_000
let users: TestUsers
let team: Team
let provider: Awaited<ReturnType<typeof startTestOidcProvider>>

beforeAll(async () => {
  users = await openTestUsers({
    signIn: {
      url: origin,
      secret: testSecret,
      egress: ['127.0.0.0/8'],
      fetch,
      hasOwnIdentity: false,
      revokeSessions: async () => undefined,
    },
    signInLimits: { sessionMs, idleMs },
  })
  team = await openTeam(users, 'olga')
  await verifyDomain(users, team.workspace, 'example.ch')
  const callback = `${origin}/v1/sign-in-provider/${team.workspace}/callback`
  provider = await startTestOidcProvider(['external'], origin, [callback])
  for (const [person, role] of [
    ['ann', 'viewer'],
    ['ben', 'viewer'],
    ['unverified-uma', 'viewer'],
  ] as const)
    await addMember(person, role)
  await set()
})
beforeEach(() => users.server.database.owner.deleteFrom('provider_session').execute())
afterAll(async () => {
  await provider.close()
  await users.close()
})

const set = async (more: object = {}) => {
  const { issuer, clientId, clientSecret } = provider.optionsFor('external')
  const values = { label: 'Acme', issuer, clientId, clientSecret, isRequired: true, groupRoles, ...more }
  const response = await team.as('olga', { method: 'PUT', url: '/v1/sign-in-provider', payload: { provider: values } })
  expect(response.statusCode).toBe(200)
  return response
}
const groupRoles = [{ group: 'sec', role: 'analyst' }]

/** Without an invitation, because one requires a verified address. */
async function addMember(identity_id: string, role: 'viewer'): Promise<void> {
  const row = { account_id: team.workspace, identity_id, role, name: identity_id, email: `${identity_id}@example.ch` }
  await users.server.database.owner.insertInto('member').values(row).execute()
}

const open = (person: string, session: string) =>
  users.request(
    { method: 'GET', url: '/v1/workspace', headers: { 'glacis-workspace': team.workspace, 'x-session': session } },
    person,
  )
const isAdmitted = async (person: string, session: string) => (await open(person, session)).statusCode === 200

const get = (url: string, person: string | null, session: string, cookie = '') =>
  users.request({ method: 'GET', url, headers: { 'x-session': session, ...(cookie && { cookie }) } }, person)
const start = (person: string | null, session: string, returnTo?: string) => {
  const query = returnTo === undefined ? '' : `?${new URLSearchParams({ return_to: returnTo })}`
  return get(`/v1/sign-in-provider/${team.workspace}/start${query}`, person, session)
}

interface Pending {
  readonly callback: string
  readonly cookie: string
}

/** Starts the sign-in and completes it at the provider, but doesn't open the callback. */
async function atProvider(person: string, session: string, returnTo?: string): Promise<Pending> {
  const response = await start(person, session, returnTo)
  const [cookie = ''] = String(response.headers['set-cookie']).split(';')
  const callback = new URL(await provider.follow(String(response.headers.location), origin))
  return { callback: callback.pathname + callback.search, cookie }
}

/** @returns where the browser is sent after the sign-in */
async function signIn(person: string, session: string, returnTo?: string): Promise<string> {
  const { callback, cookie } = await atProvider(person, session, returnTo)
  return String((await get(callback, person, session, cookie)).headers.location)
}
const reasonIn = (location: string) => new URL(location).searchParams.get('reason')
const becomes = (subject: string, email = `${subject}@example.ch`, groups: readonly string[] = []) => {
  provider.currentUser = { subject, claims: { email, email_verified: true, groups } }
}

describe('a sign-in', () => {
  it('admits the session that signed in, and no other of the same person', async () => {
    becomes('ann')
    const before = await open('ann', 's1')
    expect([before.statusCode, reasonOf(before)]).toEqual([403, 'SIGN_IN_PROVIDER_REQUIRED'])
    expect(before.body).toContain(`${origin}/single-sign-on?workspace=${team.workspace}`)
    expect(await signIn('ann', 's1', `${origin}/scans?page=2`)).toBe(`${origin}/scans?page=2`)
    expect(await isAdmitted('ann', 's1')).toBe(true)
    expect(reasonOf(await open('ann', 's2'))).toBe('SIGN_IN_PROVIDER_REQUIRED')
    expect(reasonOf(await open('ben', 's1'))).toBe('SIGN_IN_PROVIDER_REQUIRED')
  })

  it('applies the groups each time, admits newcomers, and is in the audit log', async () => {
    const roleOf = async (person: string): Promise<string> => {
      const response = await open(person, 's1')
      return response.json<{ workspace: { role: string } }>().workspace.role
    }
    becomes('new', 'new@example.ch', ['sec'])
    await signIn('new', 's1')
    expect(await roleOf('new')).toBe('analyst')
    await set({ groupRoles: [{ group: 'sec', role: 'admin' }] })
    await signIn('new', 's1')
    expect(await roleOf('new')).toBe('admin')
    await set()
    const audit = await team.as('olga', {
      method: 'GET',
      url: '/v1/audit-events?filter.action=sign-in-provider.sign-in',
    })
    expect(audit.body).toContain('"new"')
  })

  it('follows the linked account when its address changes', async () => {
    becomes('ben')
    await signIn('ben', 's1')
    becomes('ben', 'benjamin@example.ch')
    expect(await signIn('ben', 's2')).toBe(`${origin}/overview`)
    expect(await isAdmitted('ben', 's2')).toBe(true)
  })

  it.each<[string, string, () => void, string]>([
    ['the account of someone else', 'ann', () => becomes('other', 'other@example.ch'), 'mismatch'],
    ['an account linked with someone else', 'ben', () => becomes('ann', 'ben@example.ch'), 'mismatch'],
    [
      'an account without an address',
      'ann',
      () => void (provider.currentUser = { subject: 'x', claims: {} }),
      'mismatch',
    ],
    ['an unverified address', 'unverified-uma', () => becomes('uma', 'unverified-uma@example.ch'), 'unverified'],
    ['a refusal by the provider', 'ann', () => void (provider.currentUser = null), 'denied'],
  ])('is rejected for %s', async (_, person, prepare, reason) => {
    prepare()
    expect(reasonIn(await signIn(person, 's9'))).toBe(reason)
    expect(reasonOf(await open(person, 's9'))).toBe('SIGN_IN_PROVIDER_REQUIRED')
  })

  it('is rejected for an address outside the domains of the workspace', async () => {
    const { owner } = users.server.database
    await owner.updateTable('email_domain').set({ domain: 'example.net' }).execute()
    becomes('ann')
    expect(reasonIn(await signIn('ann', 's1'))).toBe('domain')
    await owner.updateTable('email_domain').set({ domain: 'example.ch' }).execute()
  })
})

describe('the callback', () => {
  beforeEach(() => becomes('ann'))

  it('works once', async () => {
    const { callback, cookie } = await atProvider('ann', 's1')
    const first = await get(callback, 'ann', 's1', cookie)
    expect(first.headers.location).toBe(`${origin}/overview`)
    expect(String(first.headers['set-cookie'])).toContain('Max-Age=0')
    expect(reasonIn(String((await get(callback, 'ann', 's1', cookie)).headers.location))).toBe('expired')
  })

  it.each([
    ['without the cookie of the start', 'ann', 's1', () => '', 'expired'],
    ['with a forged cookie', 'ann', 's1', () => 'glacis_provider=AAAA', 'expired'],
    ['in another session of the same person', 'ann', 's2', (cookie: string) => cookie, 'session'],
    ['in the session of someone else', 'ben', 's3', (cookie: string) => cookie, 'session'],
    ['after signing out', null, '', (cookie: string) => cookie, 'session'],
  ] as const)('is rejected %s', async (_, person, session, cookieOf, reason) => {
    const { callback, cookie } = await atProvider('ann', 's1')
    const { headers } = await get(callback, person, session, cookieOf(cookie))
    expect(reasonIn(String(headers.location))).toBe(reason)
    expect(await users.server.database.owner.selectFrom('provider_session').selectAll().execute()).toEqual([])
  })

  it('is rejected with another state, and with the cookie of another workspace', async () => {
    const { callback, cookie } = await atProvider('ann', 's1')
    for (const url of [
      callback.replace(/state=[^&]+/, 'state=other'),
      callback.replace(team.workspace, crypto.randomUUID()),
    ])
      expect(reasonIn(String((await get(url, 'ann', 's1', cookie)).headers.location))).toBe('expired')
  })
})

describe('the start', () => {
  it.each([
    'https://evil.example/',
    '//evil.example',
    `${origin}.evil.example/`,
    'http://user@localhost:3000/',
    'javascript:alert(1)',
    '\\\\evil.example',
    `${origin}/v1/sign-in-provider/x/start`,
    'http://localhost:3001/',
  ])('never returns to %s', async (returnTo) => {
    becomes('ann')
    expect(await signIn('ann', 's1', returnTo)).toBe(`${origin}/overview`)
  })

  it('protects the request with PKCE, state, nonce, and an encrypted cookie of this browser', async () => {
    const { headers } = await start('ann', 's1')
    const parameters = new URL(String(headers.location)).searchParams
    expect(parameters.get('code_challenge_method')).toBe('S256')
    for (const name of ['code_challenge', 'state', 'nonce']) expect(parameters.get(name)?.length).toBeGreaterThan(30)
    const cookie = String(headers['set-cookie'])
    expect(cookie).toMatch(/^glacis_provider=[\w-]+; .*HttpOnly; SameSite=Lax/)
    expect(cookie).not.toContain(parameters.get('state'))
  })

  it('explains what is missing', async () => {
    expect(reasonIn(String((await start(null, '')).headers.location))).toBe('session')
    const unknown = await get(`/v1/sign-in-provider/${crypto.randomUUID()}/start`, 'ann', 's1')
    expect(reasonIn(String(unknown.headers.location))).toBe('unknown')
    expect((await get('/v1/sign-in-provider/x/start', 'ann', 's1')).statusCode).toBe(404)
  })
})

describe('a sign-in ends', () => {
  const bind = async () => {
    becomes('ann')
    await signIn('ann', 's1')
    expect(await isAdmitted('ann', 's1')).toBe(true)
  }
  const age = (column: 'used_at' | 'signed_in_at', ms: number) =>
    users.server.database.owner
      .updateTable('provider_session')
      .set({ [column]: new Date(Date.now() - ms) })
      .execute()

  it('with another client or issuer, and not with another label', async () => {
    await bind()
    await set({ label: 'Acme SSO' })
    expect(await isAdmitted('ann', 's1')).toBe(true)
    await set({ clientId: 'another' })
    expect(await isAdmitted('ann', 's1')).toBe(false)
    await set()
    expect(await isAdmitted('ann', 's1')).toBe(false)
  })

  it('when the provider is removed', async () => {
    await bind()
    await team.as('olga', { method: 'DELETE', url: '/v1/sign-in-provider' })
    expect(await isAdmitted('ann', 's1')).toBe(true)
    await set()
    expect(await isAdmitted('ann', 's1')).toBe(false)
  })

  it('without activity', async () => {
    await bind()
    await age('used_at', idleMs - 5000)
    expect(await isAdmitted('ann', 's1')).toBe(true)
    // The request counted as activity.
    const { used_at: usedAt } = await users.server.database.owner
      .selectFrom('provider_session')
      .select('used_at')
      .executeTakeFirstOrThrow()
    expect(Date.now() - usedAt.getTime()).toBeLessThan(idleMs / 2)
    await age('used_at', idleMs + 1000)
    expect(await isAdmitted('ann', 's1')).toBe(false)
  })

  it('after the lifetime of a session', async () => {
    await bind()
    await age('signed_in_at', sessionMs + 1000)
    expect(await isAdmitted('ann', 's1')).toBe(false)
  })
})

it("shows the redirect URI of the API, and finds the portal's page", async () => {
  const { redirectUri } = (await set()).json<{ redirectUri: string }>()
  expect(redirectUri).toBe(`${origin}/v1/sign-in-provider/${team.workspace}/callback`)
  const payload = { email: 'anyone@example.ch' }
  const found = await users.request({ method: 'POST', url: '/v1/sign-in-provider/find', payload }, null)
  expect(found.json()).toEqual({
    provider: { label: 'Acme', signInUrl: `${origin}/single-sign-on?workspace=${team.workspace}` },
    isOffered: true,
  })
})
