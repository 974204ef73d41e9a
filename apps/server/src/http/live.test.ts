import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { recordIdentityEvent } from '#audit.ts'
import { newId } from '#database/index.ts'
import { announce, eventId } from '#notifications/index.ts'
import { recheckStreams } from '#database/channels.ts'
import { openTestApi, type TestApi } from '#testing/api.ts'
import { type TestServer, startTestServer } from '#testing/test-server.ts'

let server: TestServer
let api: TestApi
let app: FastifyInstance
let origin: string

beforeAll(async () => {
  server = await startTestServer()
  api = await openTestApi(server, 'http://x')
  ;({ app } = api)
  await app.listen({ port: 0, host: '127.0.0.1' })
  origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}` // it listens on a port
})
afterAll(async () => {
  await api.close()
  await server.close()
})

const get = (path: string, headers: Record<string, string>, signal?: AbortSignal) =>
  fetch(origin + path, { headers, ...(signal && { signal }) })
const send = (method: string, path: string, body: object, headers: Record<string, string>) =>
  fetch(origin + path, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

/** Reads a stream until it contains `count` events. */
async function read(headers: Record<string, string>, count: number, whileOpen: () => Promise<void>) {
  const stop = new AbortController()
  const response = await get('/v1/events', headers, stop.signal)
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  let text = ''
  const decoder = new TextDecoder()
  await whileOpen()
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if ([...text.matchAll(/^data: /gm)].length >= count) break
  }
  stop.abort()
  return text
    .split('\n\n')
    .filter((part) => part.includes('data: '))
    .map((part) => ({
      id: /^id: (.+)$/m.exec(part)?.[1] ?? '',
      kind: /^event: (.+)$/m.exec(part)?.[1] ?? '',
      title: (JSON.parse(/^data: (.+)$/m.exec(part)?.[1] ?? '{}') as { title?: string }).title,
      noticeId: (JSON.parse(/^data: (.+)$/m.exec(part)?.[1] ?? '{}') as { id?: string }).id ?? '',
    }))
}

async function accountOf(name: string): Promise<string> {
  await get('/v1/targets', { 'x-person': name })
  const row = await server.database.owner
    .selectFrom('member')
    .select('account_id as id')
    .where('identity_id', '=', name)
    .executeTakeFirstOrThrow()
  return row.id
}
const opened = (title: string) => ({
  kind: 'EVENT_ISSUE_OPENED' as const,
  title,
  resource: { kind: 'issue' as const, id: newId() },
})

describe('an open stream', () => {
  it.each([
    ['the person is removed', 'DELETE'],
    ['their role changes', 'PATCH'],
  ] as const)('ends within five seconds when %s', async (_, method) => {
    const workspace = await accountOf('olga')
    const owner = { 'x-person': 'olga', 'glacis-workspace': workspace }
    await server.database.owner
      .insertInto('member')
      .values({
        account_id: workspace,
        identity_id: 'watcher',
        role: 'analyst',
        name: 'Watcher',
        email: 'w@example.ch',
      })
      .onConflict((conflict) => conflict.columns(['account_id', 'identity_id']).doUpdateSet({ left_at: null }))
      .execute()
    const response = await get(`/v1/events?workspace=${workspace}`, { 'x-person': 'watcher' })
    expect(response.status).toBe(200)
    const ended = response.text()
    const start = performance.now()
    await send(method, '/v1/members/watcher', method === 'PATCH' ? { role: 'viewer' } : {}, owner)
    await ended
    expect(performance.now() - start).toBeLessThan(5000)
  })

  it('ends within five seconds when its API token is revoked', async () => {
    await accountOf('tina')
    const token = { name: 'Script', scopes: ['SCOPE_READ'] }
    const created = await send('POST', '/v1/api-tokens', { apiToken: token }, { 'x-person': 'tina' })
    const { apiToken } = (await created.json()) as { apiToken: { id: string; token: string } }
    const response = await get('/v1/events', { authorization: `Bearer ${apiToken.token}` })
    expect(response.status).toBe(200)
    const ended = response.text()
    const start = performance.now()
    await send('DELETE', `/v1/api-tokens/${apiToken.id}`, {}, { 'x-person': 'tina' })
    await ended
    expect(performance.now() - start).toBeLessThan(5000)
  })

  it.each(['signed_out', 'password_changed', 'sessions_revoked', 'disabled'])(
    'checks the access within five seconds of the event %s',
    async (kind) => {
      await accountOf('ida')
      const response = await get('/v1/events', { 'x-person': 'ida' })
      expect(response.status).toBe(200)
      const ended = response.text()
      const start = performance.now()
      const role = (name: 'owner' | 'viewer') =>
        server.database.owner.updateTable('member').set({ role: name }).where('identity_id', '=', 'ida').execute()
      await role('viewer')
      await recordIdentityEvent(server.database, { kind, identityId: 'ida', ip: '', userAgent: '', at: new Date() })
      await ended
      expect(performance.now() - start).toBeLessThan(5000)
      await role('owner')
    },
  )

  it('ends within five seconds when the sign-in provider becomes required', async () => {
    const workspace = await accountOf('oskar')
    const owner = server.database.owner
    const member = { account_id: workspace, role: 'viewer' as const, name: 'W', email: 'w@example.ch' }
    await owner
      .insertInto('member')
      .values({ ...member, identity_id: 'reader' })
      .execute()
    const response = await get(`/v1/events?workspace=${workspace}`, { 'x-person': 'reader' })
    expect(response.status).toBe(200)
    const ended = response.text()
    const start = performance.now()
    const provider = {
      account_id: workspace,
      label: 'Acme',
      issuer: 'https://id.acme.example',
      client_id: 'x',
      client_secret: null,
      groups_claim: 'groups',
      group_roles: '[]',
      default_role: null,
      is_required: true,
      updated_at: new Date(),
    }
    await owner.insertInto('sign_in_provider').values(provider).execute()
    await server.as(workspace, (ctx) => recheckStreams(ctx))
    await ended
    expect(performance.now() - start).toBeLessThan(5000)
  })

  it('stays open when the person uses another workspace', async () => {
    const workspace = await accountOf('two')
    const stop = new AbortController()
    const response = await get('/v1/events', { 'x-person': 'two' }, stop.signal)
    const reader = response.body?.getReader()
    await reader?.read()
    await send('POST', '/v1/workspaces', { workspace: { name: 'Other' } }, { 'x-person': 'two' })
    await server.as(workspace, (ctx) => recheckStreams(ctx))
    await server.as(workspace, (ctx) => announce(ctx, [opened('still here')]))
    const { value } = (await reader?.read()) ?? {}
    expect(new TextDecoder().decode(value)).toContain('still here')
    stop.abort()
  })
})

describe('GET /v1/events', () => {
  it('streams the events of the workspace and resumes after the last event ID', async () => {
    const [anna, bert] = [await accountOf('anna'), await accountOf('bert')]
    const first = await read({ 'x-person': 'anna' }, 1, async () => {
      await server.as(bert, (ctx) => announce(ctx, [opened('of bert')]))
      await server.as(anna, (ctx) => announce(ctx, [opened('one')]))
    })
    expect(first.map(({ kind, title }) => [kind, title])).toEqual([['EVENT_ISSUE_OPENED', 'one']])
    await server.as(anna, (ctx) => announce(ctx, [opened('two')]))
    const resumed = await read({ 'x-person': 'anna', 'last-event-id': first[0]?.id ?? '' }, 1, async () => undefined)
    expect(resumed.map(({ title }) => title)).toEqual(['two'])
  })

  it('resumes from now if the last event ID is from before a restore', async () => {
    const anna = await accountOf('anna')
    const later = { 'x-person': 'anna', 'last-event-id': eventId(anna, { xid: '900000000000', id: 7 }) }
    const received = await read(later, 1, () => server.as(anna, (ctx) => announce(ctx, [opened('after the restore')])))
    expect(received.map(({ title }) => title)).toEqual(['after the restore'])
  })

  it('SEC-B3 shows no IDs that count the events of other workspaces', async () => {
    const [anna, bert] = [await accountOf('anna'), await accountOf('bert')]
    const seen = await read({ 'x-person': 'anna' }, 2, async () => {
      await server.as(anna, (ctx) => announce(ctx, [opened('first')]))
      for (const title of ['a', 'b', 'c']) await server.as(bert, (ctx) => announce(ctx, [opened(title)]))
      await server.as(anna, (ctx) => announce(ctx, [opened('second')]))
    })
    const rows = await server.database.owner.selectFrom('event').select(['id', 'xid']).execute()
    const numbers = new Set(rows.flatMap(({ id, xid }) => [String(id), xid]))
    for (const { id, noticeId } of seen) {
      expect([id, noticeId]).toEqual([expect.stringMatching(/^[\w-]{22}$/), expect.stringMatching(/^[\w-]{22}$/)])
      expect(numbers.has(id) || numbers.has(noticeId)).toBe(false)
    }
    // The ID of another workspace resumes from now, and shows nothing of either.
    const foreign = { 'x-person': 'bert', 'last-event-id': seen[0]?.id ?? '' }
    const received = await read(foreign, 1, () => server.as(bert, (ctx) => announce(ctx, [opened('of bert')])))
    expect(received.map(({ title }) => title)).toEqual(['of bert'])
  })

  it('rejects requests without a session and malformed event IDs', async () => {
    expect((await get('/v1/events', {})).status).toBe(401)
    expect((await get('/v1/events', { 'x-person': 'anna', 'last-event-id': "1'; drop" })).status).toBe(400)
  })
})

describe('API tokens', () => {
  const createToken = async (scopes: string[], more: object = {}) => {
    const response = await send(
      'POST',
      '/v1/api-tokens',
      { apiToken: { name: 'CI', scopes, ...more } },
      { 'x-person': 'carl' },
    )
    return {
      status: response.status,
      ...((await response.json()) as { apiToken?: { id: string; token: string; prefix: string } }),
    }
  }
  const bearer = (token: string | undefined) => ({ authorization: `Bearer ${token ?? ''}` })

  it('allow what their scopes permit, need no origin, and stop working when revoked', async () => {
    const { apiToken } = await createToken(['SCOPE_READ'])
    expect(apiToken?.token).toMatch(/^glc_[\w-]{43}$/)
    expect((await get('/v1/targets', bearer(apiToken?.token))).status).toBe(200)
    const body = { name: 'x', address: '127.0.0.1', schedule: { period: 'PERIOD_DAILY' } }
    expect((await send('POST', '/v1/targets', body, bearer(apiToken?.token))).status).toBe(403)
    const { apiToken: writer } = await createToken(['SCOPE_WRITE'])
    expect((await send('POST', '/v1/targets', body, bearer(writer?.token))).status).toBe(200)
    expect(
      (
        await send(
          'POST',
          '/v1/api-tokens',
          { apiToken: { name: 'y', scopes: ['SCOPE_WRITE'] } },
          bearer(writer?.token),
        )
      ).status,
    ).toBe(403)
    await fetch(`${origin}/v1/api-tokens/${apiToken?.id}`, { method: 'DELETE', headers: { 'x-person': 'carl' } })
    expect((await get('/v1/targets', bearer(apiToken?.token))).status).toBe(401)
  })

  it('SEC-H2 SEC-H3 are listed with their last use, without the secret, and recorded in the audit log', async () => {
    const { apiToken } = await createToken(['SCOPE_READ'])
    await get('/v1/targets', bearer(apiToken?.token))
    const listed = await (await get('/v1/api-tokens', { 'x-person': 'carl' })).text()
    expect(listed).toContain('lastUsedTime')
    expect(listed).not.toContain(apiToken?.token)
    const auditLog = await (await get('/v1/audit-events?filter.resource=api-token', { 'x-person': 'carl' })).json()
    expect(auditLog).toMatchObject({ events: [{ action: 'api-token.create', actor: { kind: 'person' } }, {}, {}, {}] })
  })

  it.each([
    [{ expireTime: '2020-01-01T00:00:00Z' }, 'in the past'],
    [{ expireTime: '2990-01-01T00:00:00Z' }, '365 days'],
  ])('reject %j', async (more, message) => {
    const response = await createToken(['SCOPE_READ'], more)
    expect(response.status).toBe(400)
    expect(JSON.stringify(response)).toContain(message)
  })

  it('expire', async () => {
    const { apiToken } = await createToken(['SCOPE_READ'], { expireTime: new Date(Date.now() + 60_000).toISOString() })
    await server.database.owner
      .updateTable('api_token')
      .set({ expires_at: new Date(0) })
      .where('id', '=', apiToken?.id ?? '')
      .execute()
    expect((await get('/v1/targets', bearer(apiToken?.token))).status).toBe(401)
  })
})
