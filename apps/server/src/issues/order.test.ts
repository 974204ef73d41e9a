/** Checks that each order of the list uses its index, so that no list sorts a million occurrences. */
import { IssueOrder } from '@glacis/contract/issue'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cutPage, readPage } from '#database/page.ts'
import { listIssues } from '#issues/list.ts'
import { type TestServer, startTestServer } from '#testing/test-server.ts'
import { describeTargets, seedIssues } from '#testing/issues.ts'
import { statementsOf } from '#testing/statements.ts'
import { sql } from 'kysely'

let server: TestServer
let workspace: string
beforeAll(async () => {
  server = await startTestServer()
  workspace = await server.createWorkspace()
  const { owner } = server.database
  // Enough issues that sorting costs more than an index scan.
  await sql`
    with made as (
      insert into threat (id, key, kind, name, summary, impact, affected, insight, cvss, score, category, solution_kind,
                          solution, refs)
      select new_id(), 'many-' || n, 'check', 'Many', '', '', '', '', '', 5, 'CATEGORY_MEDIUM', 'KIND_UNSPECIFIED', '', '[]'
      from generate_series(1, 3000) as n
      returning id, key
    )
    insert into issue (account_id, id, threat_id, status, verification, quality, priority, score, category, host_count,
                       first_seen_at, last_seen_at, updated_at)
    select ${workspace}, new_id(), id, 'STATUS_OPEN', 'VERIFICATION_VERIFIED', 99, 1 + n % 97, n % 100 / 10.0,
           'CATEGORY_MEDIUM', n % 89, now() - make_interval(mins => n), now() - make_interval(mins => n * 7 % 3000), now()
    from made, lateral (select substr(key, 6)::int as n) as number`.execute(owner)
  await sql`analyze issue`.execute(owner)
})
afterAll(() => server.close())

describe.each(IssueOrder.options)('%s', (orderBy) => {
  it.each(['VERIFICATION_FILTER_VERIFIED', undefined] as const)('within %s', async (verification) => {
    // Only two of the orders are used for both verifications.
    if (!verification && !/PRIORITY|RECENT/.test(orderBy)) return
    const filter = verification ? { verification } : {}
    const sent = await statementsOf(() =>
      server.as(workspace, (ctx) => listIssues(ctx, { orderBy, filter, pageSize: 50 }, describeTargets)),
    )
    const [list] = sent.filter(({ text }) => /as order_key/.test(text))
    if (!list) throw new Error('the list query was not sent')
    const parts = list.text
      .split(/\$(\d+)/)
      .map((part, index) => (index % 2 === 0 ? sql.raw(part) : sql`${list.values[Number(part) - 1]}`))
    const { rows } = await server.as(workspace, (ctx) =>
      sql<{ 'QUERY PLAN': string }>`explain ${sql.join(parts, sql``)}`.execute(ctx.tx),
    )
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    expect(plan).toMatch(/Index (?:Only )?Scan using issue_by_/)
    expect(plan).not.toMatch(/Sort|Seq Scan/)
  })
})

it('sorts issues of the same batch by severity and pages through them without gaps', async () => {
  const smallAccount = await server.createWorkspace()
  const at = new Date('2026-11-01T00:00:00Z')
  const { issueIds } = await seedIssues(server, smallAccount, { issues: 7, hosts: 1, at })
  const { owner } = server.database
  for (const [index, id] of issueIds.entries())
    await owner
      .updateTable('issue')
      .set({ priority: [10, 90, 50, 90, 10, 70, 90][index] ?? 0 })
      .where('id', '=', id)
      .execute()
  const scores: number[] = []
  let pageToken: string | undefined
  do {
    const page = await server.as(smallAccount, (ctx) => listIssues(ctx, { pageSize: 2, pageToken }, describeTargets))
    scores.push(...page.issues.map((item) => item.priority ?? 0))
    pageToken = page.nextPageToken
  } while (pageToken)
  expect(scores).toEqual([90, 90, 90, 70, 50, 10, 10])
})

it('rejects a page token of an older sort order', async () => {
  const { nextPageToken } = cutPage(
    readPage({ pageSize: 1 }, { filter: {}, orderBy: 'ORDER_BY_MOST_RECENT' }),
    [1, 2],
    () => ['2026-11-01 00:00:00+00', workspace],
  )
  const list = server.as(workspace, (ctx) => listIssues(ctx, { pageToken: nextPageToken }, describeTargets))
  await expect(list).rejects.toThrow('issued for a different filter or order')
})
