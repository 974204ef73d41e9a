import { gunzipSync } from 'node:zlib'
import { afterAll, expect, it } from 'vitest'
import { openTeam, reasonOf } from '#testing/team.ts'
import { openTestUsers } from '#testing/test-users.ts'
import { sql } from 'kysely'

const users = await openTestUsers()
afterAll(() => users.close())
const { owner } = users.server.database

interface Line {
  table: string
  row: Record<string, unknown>
}
const linesOf = (body: Buffer) =>
  gunzipSync(body)
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)

it('contains all data of the workspace, without secrets and without other workspaces', async () => {
  const [team, other] = [await openTeam(users, 'olga'), await openTeam(users, 'otto')]
  await team.add('adam', 'admin')
  await users.target('olga', 'Ours')
  await users.target('otto', 'Theirs')
  const post = (url: string, payload: object) => team.as('olga', { method: 'POST', url, payload })
  const secrets = [
    (await post('/v1/api-tokens', { apiToken: { name: 't', scopes: ['SCOPE_READ'] } })).json<{
      apiToken: { token: string }
    }>().apiToken.token,
    (await post('/v1/agents', { agent: { name: 'a' } })).json<{ agent: { token: string } }>().agent.token,
    (await post('/v1/provisioning/tokens', { token: { name: 'p' } })).json<{ token: { token: string } }>().token.token,
  ]
  const channel = { kind: 'KIND_WEBHOOK', webhookUrl: 'https://hooks.example.com/secret-path' }
  await post('/v1/notification-channels', { channel })
  const key = 'repeated-request'
  await team.as('olga', {
    method: 'POST',
    url: '/v1/targets',
    payload: { name: 'Repeated', address: '127.90.1.7', schedule: { period: 'PERIOD_DAILY' } },
    headers: { 'idempotency-key': key },
  })
  // More rows than one read returns.
  await sql`
    insert into audit_event (account_id, id, at, actor_kind, actor_name, action, resource_kind, resource_id)
    select ${team.workspace}::uuid, new_id(), now(), 'system', 'system', 'bulk', 'x', n::text
    from generate_series(1, 2500) as n`.execute(owner)

  const response = await team.as('olga', { method: 'GET', url: '/v1/workspace/export' })
  expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'application/gzip'])
  expect(response.headers['content-disposition']).toMatch(/filename="glacis-workspace-\d{4}-\d\d-\d\d\.jsonl\.gz"/)
  const lines = linesOf(response.rawPayload)
  expect(lines[0]).toMatchObject({ table: 'workspace', row: { id: team.workspace } })
  const tables = Map.groupBy(lines, ({ table }) => table)
  expect(tables.get('target')?.map(({ row }) => row['name'])).toContain('Ours')
  const bulk = tables.get('audit_event')?.filter(({ row }) => row['action'] === 'bulk')
  expect(new Set(bulk?.map(({ row }) => row['resource_id'])).size).toBe(2500)
  expect(bulk).toHaveLength(2500)

  const text = JSON.stringify(lines)
  for (const secret of [...secrets, 'secret-path', 'whsec_', 'Theirs', other.workspace, key])
    expect(text).not.toContain(secret)
  const columns = new Set(lines.flatMap(({ row }) => Object.keys(row)))
  expect(['digest', 'secret', 'client_secret', 'webhook_url'].filter((column) => columns.has(column))).toEqual([])
  expect(tables.get('audit_event')?.map(({ row }) => row['action'])).toContain('workspace.export')
})

it('contains every table with data of a workspace', async () => {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.columns
    where table_schema = 'public' and column_name = 'account_id' order by 1`.execute(owner)
  const { exportedTables } = await import('#workspaces/index.ts')
  const team = await openTeam(users, 'oona')
  const exported = await users.server.as(team.workspace, ({ tx }) => exportedTables(tx))
  const missing = rows.map(({ name }) => name).filter((name) => !exported.some((table) => table.name === name))
  expect(missing).toEqual(['idempotency_key', 'provider_session'])
  expect(exported.filter(({ key }) => key.length === 0)).toEqual([])
})

it('is only for owners, and stays possible during the grace period before the deletion', async () => {
  const team = await openTeam(users, 'orla')
  await team.add('amy', 'admin')
  expect(reasonOf(await team.as('amy', { method: 'GET', url: '/v1/workspace/export' }))).toBe('ROLE_NOT_ALLOWED')
  const { workspace } = (await team.as('orla', { method: 'GET', url: '/v1/workspace' })).json<{
    workspace: { name: string }
  }>()
  await team.as('orla', { method: 'POST', url: '/v1/workspace/deletion', payload: { name: workspace.name } })
  const response = await team.as('orla', { method: 'GET', url: '/v1/workspace/export' })
  expect(linesOf(response.rawPayload)[0]).toMatchObject({ row: { deletes_at: expect.any(String) } })
})
