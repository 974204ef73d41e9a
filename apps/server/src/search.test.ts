import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { newId } from '#database/index.ts'
import { search } from '#search.ts'
import { sharedTestServer } from '#testing/test-server.ts'
import { type Seeded, seedIssues, startScan } from '#testing/issues.ts'

const server = await sharedTestServer()
const workspace = await server.createWorkspace()
let seeded: Seeded

beforeAll(async () => {
  seeded = await seedIssues(server, workspace, { issues: 3, hosts: 300, at: new Date() })
  await sql`update host set name = 'mq-broker-02.aarewerk.example' where id = ${seeded.hostIds[7]}`.execute(
    server.database.owner,
  )
  await sql`
    insert into agent (account_id, id, name, hostname, created_at, updated_at)
    values (${workspace}, ${newId()}, 'zrh-office-2', 'sensor', now(), now())`.execute(server.database.owner)
  await server.as(workspace, (ctx) => startScan(ctx, server.jobs, seeded.targetId))
  const otherAccount = await server.createWorkspace()
  await seedIssues(server, otherAccount, { issues: 1, hosts: 1, at: new Date() })
})

const find = async (query: string, more: object = {}) => {
  const { groups } = await server.as(workspace, (ctx) => search(ctx, { query, kinds: undefined, ...more }))
  return groups.map(({ kind, items }) => [kind, items.map((item) => item.name)])
}
const broker = [['KIND_HOST', ['mq-broker-02.aarewerk.example']]]

it.each([
  ['mq-broker', broker],
  ['Broker', broker],
  ['broker-02', broker],
  ['aarewerk broker', broker],
  ['roker', []],
  ['127.63.1.43', [['KIND_HOST', ['127.63.1.43']]]],
  ["o'brien \\ & | ! ( ) :* <->", []],
  ['%', []],
  ['office', [['KIND_AGENT', ['zrh-office-2']]]],
  ['cve-2026-0002', [['KIND_ISSUE', ['Threat 1']]]],
  [
    'web',
    [
      ['KIND_TARGET', ['Web']],
      ['KIND_SCAN', ['Scan of Web']],
    ],
  ],
])('finds by %s', async (query, expected) => {
  expect(await find(query)).toEqual(expected)
})

it('lists open issues with high severity first, each with the path of its page', async () => {
  const { groups } = await server.as(workspace, (ctx) => search(ctx, { query: 'threat', kinds: ['KIND_ISSUE'] }))
  const [first] = groups[0]?.items ?? []
  expect(first).toEqual({
    id: first?.id,
    name: expect.stringMatching(/^Threat [01]$/),
    subtitle: expect.stringMatching(/^Critical, Open, CVE-2026-000[12]$/),
    path: `/risks/${first?.id}`,
  })
  expect(groups[0]?.items).toHaveLength(3)
})

it('respects the requested kinds and page size', async () => {
  const [[kind, names] = []] = await find('127.63', { kinds: ['KIND_HOST'], pageSize: 4 })
  expect([kind, names?.length]).toEqual(['KIND_HOST', 4])
})

it('finds hosts by index despite row-level security', async () => {
  const { rows } = await server.as(workspace, async (ctx) => {
    await sql`set local enable_seqscan = off`.execute(ctx.tx)
    return sql<{ 'QUERY PLAN': string }>`
      explain select id from host
      where host_words(account_id, address, name) @@ 'mq:*'::tsquery`.execute(server.database.owner)
  })
  expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('host_search')
})

it('returns nothing to a transaction without a workspace', async () => {
  const rows = await server.database.app.transaction().execute(async (tx) => {
    await sql`set local role glacis_app`.execute(tx)
    return (await sql`select hosts_found('mq:*'::tsquery, 5)`.execute(tx)).rows
  })
  expect(rows).toEqual([])
})
