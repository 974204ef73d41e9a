/** The calls of installation administrators, one by one. */
import { createIdentityAdmin } from '@glacis/identity'
import type { InjectOptions } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '#database/index.ts'
import { grantAdministration } from '#installation/index.ts'
import { reasonOf } from '#testing/team.ts'
import { openTestUsers, type TestUsers } from '#testing/test-users.ts'

let users: TestUsers
let admin: string
let member: string
beforeAll(async () => {
  users = await openTestUsers()
  const people = createIdentityAdmin({ database: users.server.database.owner, enqueueMail: async () => undefined })
  const create = async (email: string, first: string) => {
    const result = await people.create({ email, name: { first, last: 'Test' } }, { isVerified: true })
    if (result.kind !== 'created') throw new Error(result.kind)
    return result.identity.id
  }
  admin = await create('admin@example.ch', 'Ada')
  member = await create('member@example.ch', 'Max')
  await users.server.database.owner
    .insertInto('installation')
    .values({ secret: 'ab'.repeat(32) })
    .execute()
  // The first request creates the first workspace of the installation.
  await send(admin, { method: 'GET', url: '/v1/workspace' })
  await send(member, { method: 'GET', url: '/v1/workspace' })
})
afterAll(() => users.close())

const send = (person: string, options: InjectOptions) => users.request(options, person)
const get = async (path: string) => {
  const response = await send(admin, { method: 'GET', url: `/v1/installation${path}` })
  expect(response.statusCode, response.body).toBe(200)
  return response.json()
}

it('makes the first account an administrator, and no later one', async () => {
  expect((await send(admin, { method: 'GET', url: '/v1/workspaces' })).json().isAdministrator).toBe(true)
  expect((await send(member, { method: 'GET', url: '/v1/workspaces' })).json().isAdministrator).toBe(false)
  const response = await send(member, { method: 'GET', url: '/v1/installation' })
  expect([response.statusCode, reasonOf(response)]).toEqual([403, 'ADMINISTRATOR_REQUIRED'])
})

it('rejects API tokens of administrators', async () => {
  const payload = { apiToken: { name: 't', scopes: ['SCOPE_WRITE'] } }
  const created = await send(admin, { method: 'POST', url: '/v1/api-tokens', payload })
  const headers = { authorization: `Bearer ${created.json().apiToken.token}` }
  expect((await users.app.inject({ url: '/v1/installation', headers })).statusCode).toBe(403)
})

it('lists the feeds that all workspaces share', async () => {
  const pack = { name: 'Test records', version: '1', records: 3, skipped: 0, state: 'STATE_READY' }
  await users.server.database.owner
    .insertInto('pack')
    .values({ ...pack, updated_at: new Date() })
    .execute()
  expect((await get('/feeds')).feeds).toContainEqual(expect.objectContaining(pack))
})

it('shows version and usage', async () => {
  await users.target(admin, 'Web')
  const { installation } = await get('')
  expect(installation).toMatchObject({
    nodeVersion: process.versions.node,
    usage: { accounts: 2, workspaces: 2, targets: 1, hosts: 0, scans: 0 },
    signInNetworks: [],
  })
  expect(installation.usage.databaseBytes).toBeGreaterThan(1_000_000)
  expect(installation).not.toHaveProperty('update')
})

it('lists accounts by page and by text', async () => {
  const first = await get('/accounts?pageSize=1')
  const { accounts } = await get(`/accounts?pageSize=1&pageToken=${first.nextPageToken}`)
  expect([...first.accounts, ...accounts]).toMatchObject([
    { id: admin, name: 'Ada Test', isAdministrator: true, isYou: true, state: 'STATE_ACTIVE' },
    { id: member, isAdministrator: false, isYou: false, workspaces: [expect.any(String)] },
  ])
  expect((await get('/accounts?query=MAX%20t')).accounts).toHaveLength(1)
  expect((await get('/accounts?query=nobody')).accounts).toEqual([])
})

describe('an account', () => {
  const setState = (id: string, state: string) =>
    send(admin, { method: 'PUT', url: `/v1/installation/accounts/${id}/state`, payload: { state } })

  it('can be disabled and enabled, which its audit log records', async () => {
    expect((await setState(member, 'STATE_DISABLED')).json().account.state).toBe('STATE_DISABLED')
    expect((await get('/accounts?query=member@')).accounts[0].state).toBe('STATE_DISABLED')
    expect((await setState(member, 'STATE_ACTIVE')).json().account.state).toBe('STATE_ACTIVE')
    const { events } = (await send(member, { method: 'GET', url: '/v1/audit-events' })).json()
    expect(events.slice(0, 2).map((event: { action: string }) => event.action)).toEqual([
      'identity.enabled',
      'identity.disabled',
    ])
  })

  it('has no working API tokens while it is disabled', async () => {
    const payload = { apiToken: { name: 'script', scopes: ['SCOPE_READ'] } }
    const created = await send(member, { method: 'POST', url: '/v1/api-tokens', payload })
    const headers = { authorization: `Bearer ${created.json().apiToken.token}` }
    const use = async () => (await users.app.inject({ url: '/v1/targets', headers })).statusCode
    expect(await use()).toBe(200)
    await setState(member, 'STATE_DISABLED')
    expect(await use()).toBe(401)
    await setState(member, 'STATE_ACTIVE')
    expect(await use()).toBe(200)
  })

  it("can't be disabled by itself, or if it doesn't exist", async () => {
    expect((await setState(admin, 'STATE_DISABLED')).statusCode).toBe(400)
    expect((await setState(newId(), 'STATE_DISABLED')).statusCode).toBe(404)
  })
})

it('lists the workspaces of all users by page', async () => {
  const first = await get('/workspaces?pageSize=1')
  const { workspaces } = await get(`/workspaces?pageSize=1&pageToken=${first.nextPageToken}`)
  expect([...first.workspaces, ...workspaces]).toMatchObject([
    { owners: [`${admin}@example.ch`], members: 1, targets: 1, hosts: 0 },
    { owners: [`${member}@example.ch`], members: 1, targets: 0, hosts: 0 },
  ])
})

it('lists queues and failed jobs, and retries one', async () => {
  const { jobs, database } = users.server
  await database.owner.transaction().execute((tx) => jobs.enqueue(tx, 'feed-check', { pack: 'nvd' }))
  await jobs.work('feed-check', 1, async () => {
    throw new Error('the feed is unreachable')
  })
  const failed = await waitForFailure()
  expect(failed).toMatchObject({ queue: 'feed-check', attempts: 1, error: 'the feed is unreachable' })
  const retry = (id: string) => send(admin, { method: 'POST', url: `/v1/installation/jobs/${id}/retry`, payload: {} })
  expect((await retry(failed.id)).statusCode).toBe(200)
  expect((await waitForFailure(2)).id).toBe(failed.id)
  expect((await retry(newId())).statusCode).toBe(404)
})

/** Polls until the worker has run the job that often. */
async function waitForFailure(attempts = 1) {
  for (;;) {
    const { queues, failedJobs } = await get('/queues')
    expect(queues.map(({ name }: { name: string }) => name)).toContain('feed-check')
    if (failedJobs[0]?.attempts === attempts) return failedJobs[0]
  }
}

it('sends a test email to the administrator, and reports why it failed', async () => {
  const response = await send(admin, { method: 'POST', url: '/v1/installation/test-email', payload: {} })
  expect(response.json()).toEqual({ to: `${admin}@example.ch` })
})

it('returns the health checks', async () => {
  expect(await get('/checks')).toEqual({ checks: [] })
})

describe('sign-in networks', () => {
  const set = (payload: object, url = '/v1/installation/sign-in-networks', person = admin) =>
    send(person, { method: 'PUT', url, payload })
  const statusOf = async (person: string, url: string, remoteAddress = '127.0.0.1') => {
    const response = await send(person, { method: 'GET', url, remoteAddress })
    return [response.statusCode, response.statusCode === 200 ? undefined : reasonOf(response)]
  }
  const elsewhere = '192.0.2.7'

  it('of the installation apply to all sessions, and not to API tokens', async () => {
    const payload = { apiToken: { name: 'outside', scopes: ['SCOPE_READ'] } }
    const token = (await send(member, { method: 'POST', url: '/v1/api-tokens', payload })).json().apiToken.token
    expect((await set({ networks: ['127.0.0.0/8'] })).json().installation.signInNetworks).toEqual(['127.0.0.0/8'])
    expect(await statusOf(member, '/v1/workspace')).toEqual([200, undefined])
    for (const url of ['/v1/workspace', '/v1/workspaces'])
      expect(await statusOf(member, url, elsewhere)).toEqual([403, 'NETWORK_NOT_ALLOWED'])
    expect(await statusOf(admin, '/v1/installation', elsewhere)).toEqual([403, 'NETWORK_NOT_ALLOWED'])
    const headers = { authorization: `Bearer ${token}` }
    const request = { url: '/v1/workspace', headers, remoteAddress: elsewhere }
    expect((await users.app.inject(request)).statusCode).toBe(200)
    await set({ networks: [] })
    expect(await statusOf(member, '/v1/workspace', elsewhere)).toEqual([200, undefined])
  })

  it('of a workspace apply to its members only there', async () => {
    await set({ networks: ['127.0.0.0/8'] }, '/v1/workspace/sign-in-networks', member)
    expect(await statusOf(member, '/v1/workspace', elsewhere)).toEqual([403, 'NETWORK_NOT_ALLOWED'])
    expect(await statusOf(member, '/v1/workspaces', elsewhere)).toEqual([200, undefined])
    expect(await statusOf(admin, '/v1/workspace', elsewhere)).toEqual([200, undefined])
    await set({ networks: [] }, '/v1/workspace/sign-in-networks', member)
  })

  it.each(['/v1/installation/sign-in-networks', '/v1/workspace/sign-in-networks'])(
    'must contain the own address unless confirmed: %s',
    async (url) => {
      const response = await set({ networks: ['192.0.2.0/24'] }, url)
      expect([response.statusCode, reasonOf(response)]).toEqual([400, 'OWN_ADDRESS_EXCLUDED'])
      expect((await set({ networks: ['nonsense'] }, url)).statusCode).toBe(400)
      expect((await set({ networks: ['192.0.2.0/24'], excludesYou: true }, url)).statusCode).toBe(200)
      const request = { method: 'PUT', url, payload: { networks: [] } } as const
      expect((await send(admin, request)).statusCode).toBe(403)
      expect((await send(admin, { ...request, remoteAddress: elsewhere })).statusCode).toBe(200)
    },
  )
})

it('can be granted to others', async () => {
  await grantAdministration(users.server.database.owner, member)
  expect((await send(member, { method: 'GET', url: '/v1/installation' })).statusCode).toBe(200)
})
