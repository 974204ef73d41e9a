import { createServer } from 'node:http'
import { once } from 'node:events'
import Provider from 'oidc-provider'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { testSecret } from '#testing/api.ts'
import { openTeam, reasonOf, type Team, verifyDomain } from '#testing/team.ts'
import { openTestUsers } from '#testing/test-users.ts'
import { organizations } from '#workspaces/index.ts'

const users = await openTestUsers()
afterAll(() => users.close())
const silent = { info() {}, warn() {}, error() {} }
const { database } = users.server
const providers = organizations({ database, secret: testSecret, fetch, log: silent })
const origin = 'http://localhost:3000'

/** The metadata of a real provider. `packages/identity` tests complete sign-ins. */
const server = createServer()
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const address = server.address()
const issuer = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
server.on('request', new Provider(issuer, {}).callback())
afterAll(() => void server.close())

let team: Team
let id: string
const settings = { label: 'Acme', issuer, clientId: 'glacis', clientSecret: 'very secret' }
const set = (more: object = {}, person = 'olga') =>
  team.as(person, { method: 'PUT', url: '/v1/sign-in-provider', payload: { provider: { ...settings, ...more } } })
const signIn = (person: string, groups: readonly string[] = []) =>
  providers.onSignIn({
    provider: id,
    identityId: person,
    email: `${person}@example.ch`,
    name: person,
    groups,
    ip: '192.0.2.7',
    userAgent: 'browser',
  })
const open = (person: string, provider?: string) =>
  users.request(
    {
      method: 'GET',
      url: '/v1/workspace',
      headers: { 'glacis-workspace': team.workspace, ...(provider && { 'x-provider': provider }) },
    },
    person,
  )
const roleOf = async (person: string) => (await open(person)).json<{ workspace?: { role: string } }>().workspace?.role
const addDomain = (workspace: string, domain: string) => verifyDomain(users, workspace, domain)
const find = (payload: object) => users.request({ method: 'POST', url: '/v1/sign-in-provider/find', payload }, null)

beforeAll(async () => {
  team = await openTeam(users, 'olga')
  id = `workspace-${team.workspace}`
  for (const [person, role] of [
    ['adam', 'admin'],
    ['ann', 'analyst'],
    ['ben', 'viewer'],
  ] as const)
    await team.add(person, role)
})
beforeEach(() => set())

describe('the settings', () => {
  it('are stored without ever showing the secret', async () => {
    const response = await set({ groupRoles: [{ group: 'sec', role: 'analyst' }] })
    expect(response.json()).toEqual({
      provider: expect.objectContaining({
        label: 'Acme',
        issuer,
        hasClientSecret: true,
        groupsClaim: 'groups',
        defaultRole: null,
        isRequired: false,
        signInUrl: `${origin}/self-service/login/browser?provider=${id}&refresh=true`,
      }),
      redirectUri: `${origin}/self-service/methods/oidc/callback/${id}`,
      domains: [],
    })
    const stored = await database.owner.selectFrom('sign_in_provider').selectAll().execute()
    expect(JSON.stringify(stored) + String(stored[0]?.client_secret)).not.toContain('very secret')
    const audit = await team.as('olga', { method: 'GET', url: '/v1/audit-events' })
    expect(audit.body).toContain('sign-in-provider.set')
    expect(audit.body).not.toContain('very secret')
    expect(await providers.find(id)).toMatchObject({ clientId: 'glacis', clientSecret: 'very secret', issuer })
  })

  it('keep the secret for the same client only', async () => {
    await set({ clientSecret: undefined, label: 'Other' })
    expect(await providers.find(id)).toMatchObject({ label: 'Other', clientSecret: 'very secret' })
    await set({ clientSecret: undefined, clientId: 'another' })
    expect(await providers.find(id)).not.toHaveProperty('clientSecret')
  })

  it.each([
    ['an issuer other than the one in the metadata', () => `${issuer}/other`, /metadata of the issuer/],
    [
      'an issuer that is unreachable',
      () => 'http://127.0.0.1:61999',
      /metadata of the issuer can't be used: connect ECONNREFUSED/,
    ],
    ['a private address', () => 'https://10.0.0.1', /can't connect to 10\.0\.0\.1/],
    ['plain HTTP elsewhere', () => 'http://192.0.2.1', /can't connect|https/],
  ])('reject %s', async (_, url, message) => {
    const response = await set({ issuer: url() })
    expect([response.statusCode, response.json<{ message: string }>().message]).toEqual([
      400,
      expect.stringMatching(message),
    ])
  })

  it('require a verified domain before they require the provider', async () => {
    expect((await set({ isRequired: true })).json()).toMatchObject({ code: 9 })
  })
})

describe('a sign-in', () => {
  const groupRoles = [
    { group: 'leads', role: 'admin' },
    { group: 'sec', role: 'analyst' },
  ]
  it('gives the role of the first listed group, each time', async () => {
    await set({ groupRoles, defaultRole: 'viewer' })
    await signIn('new', ['sec', 'leads'])
    expect(await roleOf('new')).toBe('admin')
    await signIn('new', ['sec'])
    expect(await roleOf('new')).toBe('analyst')
    await signIn('new')
    expect(await roleOf('new')).toBe('viewer')
    await signIn('olga', ['sec'])
    expect(await roleOf('olga')).toBe('owner')
    const audit = (await team.as('olga', { method: 'GET', url: '/v1/audit-events' })).json<{
      events: { action: string; ip: string; userAgent: string }[]
    }>()
    expect(audit.events).toContainEqual(
      expect.objectContaining({ action: 'member.join', ip: '192.0.2.7', userAgent: 'browser' }),
    )
  })

  it('rejects users without a role', async () => {
    await set({ groupRoles })
    await signIn('visitor', ['other'])
    expect((await open('visitor')).statusCode).toBe(404)
  })

  it('keeps the role that was set here without a mapping', async () => {
    await set({ defaultRole: 'viewer' })
    await signIn('ann')
    expect(await roleOf('ann')).toBe('analyst')
  })

  it('readmits no removed members, unless one of their groups has a role', async () => {
    await set({ groupRoles, defaultRole: 'viewer' })
    await team.add('gone', 'viewer')
    await team.as('olga', { method: 'DELETE', url: '/v1/members/gone' })
    await signIn('gone')
    expect(reasonOf(await open('gone'))).toBe('MEMBERSHIP_ENDED')
    await signIn('gone', ['sec'])
    expect(await roleOf('gone')).toBe('analyst')
  })
})

describe('a required provider', () => {
  beforeAll(() => addDomain(team.workspace, 'example.ch'))
  beforeEach(() => set({ isRequired: true }))

  it('rejects other sessions, except those of owners, with a link to sign in', async () => {
    for (const person of ['adam', 'ann', 'ben']) {
      const response = await open(person)
      expect([response.statusCode, reasonOf(response)]).toEqual([403, 'SIGN_IN_PROVIDER_REQUIRED'])
      const [{ metadata }] = response.json<{ details: [{ metadata: object }] }>().details
      expect(metadata).toMatchObject({ label: 'Acme', signInUrl: expect.stringContaining(`provider=${id}`) })
      expect((await open(person, id)).statusCode).toBe(200)
      expect(reasonOf(await open(person, 'workspace-other'))).toBe('SIGN_IN_PROVIDER_REQUIRED')
    }
    expect((await open('olga')).statusCode).toBe(200)
  })

  it('keeps the last verified domain', async () => {
    const { emailDomains } = (await team.as('olga', { method: 'GET', url: '/v1/email-domains' })).json<{
      emailDomains: { id: string }[]
    }>()
    const url = `/v1/email-domains/${emailDomains[0]?.id}`
    const response = await team.as('olga', { method: 'DELETE', url })
    expect(response.json()).toMatchObject({ code: 9, message: expect.stringContaining('last verified domain') })
    await set({ isRequired: false })
    expect((await team.as('olga', { method: 'DELETE', url })).statusCode).toBe(200)
    await addDomain(team.workspace, 'example.ch')
  })

  it('does not affect other workspaces of the same person', async () => {
    const own = await users.request(
      { method: 'POST', url: '/v1/workspaces', payload: { workspace: { name: 'Own' } } },
      'ann',
    )
    const workspace = own.json<{ workspace: { id: string } }>().workspace.id
    const response = await users.request(
      { method: 'GET', url: '/v1/workspace', headers: { 'glacis-workspace': workspace } },
      'ann',
    )
    expect(response.statusCode).toBe(200)
  })
})

describe('the sign-in page', () => {
  it('finds the provider by email domain and by workspace, without a session', async () => {
    const expected = { provider: { label: 'Acme', signInUrl: expect.stringContaining(id) }, isOffered: true }
    expect((await find({ email: 'anyone@Example.CH' })).json()).toEqual(expected)
    expect((await find({ workspaceId: team.workspace })).json()).toEqual(expected)
    expect((await find({ email: 'anyone@sub.example.ch' })).json()).toEqual({ isOffered: true })
    expect((await find({})).json()).toEqual({ isOffered: true })
  })

  it('finds none after it was removed, and neither does the identity service', async () => {
    await team.as('olga', { method: 'DELETE', url: '/v1/sign-in-provider' })
    expect((await find({ workspaceId: team.workspace })).json()).toEqual({ isOffered: false })
    expect([await providers.find(id), await providers.find('workspace-x')]).toEqual([null, null])
  })
})
