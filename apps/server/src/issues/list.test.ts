import type { IssueFilter } from '@glacis/contract/issue'
import type { Target } from '@glacis/contract/target'
import { type CompiledQuery, sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { issuesOfScan, listEvidence, listIssues, setHostStatus } from '#issues/index.ts'
import { type IssueFixture, later, nora, createIssueFixture } from '#issues/testing/fixture.ts'
import { describeTargets } from '#testing/issues.ts'

let fixture: IssueFixture
beforeAll(async () => void (fixture = await createIssueFixture()))
afterAll(() => fixture.close())
beforeEach(() => fixture.renew())

describe('lists', () => {
  const list = async (input: Parameters<typeof listIssues>[1]) =>
    fixture.server.as(fixture.workspace, (ctx) => listIssues(ctx, input, describeTargets))

  it.each([
    [{ cve: 'cve-2026-0001' }, 1],
    [{ minEpss: 0.5 }, 1],
    [{ minEpss: 2.8e-89 }, 1],
    [{ kev: true }, 1],
    [{ fixAvailable: true }, 1],
    [{ query: 'THREAT 2' }, 1],
    [{ query: 'threat_2' }, 0],
    [{ newSince: later(-11).toISOString() }, 3],
    [{ newSince: later(-9).toISOString() }, 0],
    [{ regressive: true }, 0],
    [{ tagIds: [crypto.randomUUID()] }, 0],
  ])('filters by %j', async (filter, size) => {
    expect((await list({ filter })).totalSize).toBe(size)
  })

  it('shows the filtered host first', async () => {
    for (const hostId of fixture.seeded.hostIds) {
      const { issues } = await list({ filter: { affectedHostId: hostId } })
      expect(issues.map((issue) => issue.affectedHosts[0]?.host.id)).toEqual(issues.map(() => hostId))
    }
  })

  it('returns the issues of a scan with hosts of its target only', async () => {
    const { workspace, server, seeded } = fixture
    const [first = ''] = seeded.issueIds
    const [firstHost = '', secondHost = ''] = seeded.hostIds
    const scan = { id: crypto.randomUUID(), targetId: seeded.targetId }
    const key = { account_id: workspace, scan_id: scan.id }
    const issues = await server.as(workspace, async (ctx) => {
      await sql`
        insert into scan (account_id, id, target_id, type, status, phase, started_by, created_at, updated_at)
        values (${workspace}, ${scan.id}, ${scan.targetId}, 'TYPE_MANUAL', 'STATUS_COMPLETED', 'PHASE_CHECKS', '', ${ctx.now}, ${ctx.now})`.execute(
        ctx.tx,
      )
      await ctx.tx
        .insertInto('scan_issue')
        .values({ ...key, issue_id: first, host_id: firstHost, change: 'NEW' })
        .execute()
      await sql`update occurrence set target_id = ${crypto.randomUUID()} where account_id = ${workspace} and host_id = ${secondHost}`.execute(
        ctx.tx,
      )
      // Describes any target, so that excluded ones must have been excluded before.
      return issuesOfScan(ctx, scan, async (_, ids) => new Map(ids.map((id) => [id, { id } as Target])))
    })
    expect(issues.map(({ id }) => id)).toEqual([first])
    const hosts = issues.flatMap(({ affectedHosts }) => affectedHosts.map(({ host }) => host.id))
    expect(hosts).toContain(firstHost)
    expect(hosts).not.toContain(secondHost)
  })

  it('filters by the status on the host or target, not of the whole issue', async () => {
    const [id = ''] = fixture.seeded.issueIds
    const [firstHost = '', secondHost = ''] = fixture.seeded.hostIds
    const resolveOn = (hostId: string) =>
      fixture.server.as(
        fixture.workspace,
        (ctx) => setHostStatus(ctx, { id, hostId, status: 'STATUS_RESOLVED' }, describeTargets),
        nora,
      )
    await resolveOn(firstHost)
    const ids = async (filter: IssueFilter) => (await list({ filter })).issues.map((issue) => issue.id)
    const [open, resolved] = [['STATUS_FILTER_OPEN' as const], ['STATUS_FILTER_RESOLVED' as const]]
    expect(await ids({ affectedHostId: firstHost, status: resolved })).toEqual([id])
    expect(await ids({ affectedHostId: firstHost, status: open })).not.toContain(id)
    expect(await ids({ affectedHostId: secondHost, status: open })).toContain(id)
    expect(await ids({ affectedHostId: secondHost, status: resolved })).toEqual([])
    expect(await ids({ affectedTargetId: fixture.seeded.targetId, status: resolved })).toEqual([])
    await resolveOn(secondHost)
    expect(await ids({ affectedTargetId: fixture.seeded.targetId, status: resolved })).toEqual([id])
    expect(await ids({ affectedTargetId: fixture.seeded.targetId, status: open })).not.toContain(id)
    expect(await ids({ affectedTargetId: fixture.seeded.targetId, regressive: true })).toEqual([])
  })

  it.each([
    'ORDER_BY_MOST_RECENT',
    'ORDER_BY_PRIORITY',
    'ORDER_BY_SEVERITY',
    'ORDER_BY_EPSS',
    'ORDER_BY_AFFECTED_HOSTS',
    'ORDER_BY_OLDEST',
  ] as const)('pages by %s without gaps or repeats', async (orderBy) => {
    const allIds = (await list({ orderBy })).issues.map((issue) => issue.id)
    const pages: string[] = []
    for (let pageToken: string | undefined; pageToken !== '';) {
      const page = await list({ orderBy, pageSize: 1, pageToken })
      pages.push(...page.issues.map((issue) => issue.id))
      pageToken = page.nextPageToken
    }
    expect(pages).toEqual(allIds)
    expect(allIds).toHaveLength(3)
  })
})

it.each([
  ['ORDER_BY_MOST_RECENT', 'issue_by_recency'],
  ['ORDER_BY_PRIORITY', 'issue_by_priority'],
  ['ORDER_BY_SEVERITY', 'issue_by_score'],
  ['ORDER_BY_EPSS', 'issue_by_epss'],
  ['ORDER_BY_AFFECTED_HOSTS', 'issue_by_hosts'],
  ['ORDER_BY_OLDEST', 'issue_by_age'],
] as const)('reads %s from its index, without sorting', async (orderBy, index) => {
  const filter = { verification: 'VERIFICATION_FILTER_VERIFIED' as const }
  const plan = await fixture.server.as(fixture.workspace, async (ctx) => {
    // A sequential scan of three rows would be cheaper.
    await sql`select set_config(name, 'off', true) from unnest(${['enable_seqscan', 'enable_sort', 'enable_bitmapscan']}::text[]) as name`.execute(
      ctx.tx,
    )
    const queries: CompiledQuery[] = []
    const executor = ctx.tx.getExecutor()
    const execute = executor.executeQuery.bind(executor)
    executor.executeQuery = async (query, ...rest) => {
      queries.push(query)
      return execute(query, ...rest)
    }
    await listIssues(ctx, { orderBy, filter }, describeTargets)
    const [query] = queries.filter((item) => item.sql.includes('order_key'))
    if (!query) throw new Error('the list query was not sent')
    const { rows } = await execute<{ 'QUERY PLAN': string }>({ ...query, sql: `explain ${query.sql}` })
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  })
  expect([plan.includes(index), plan.includes('Sort')]).toEqual([true, false])
})

it('lists the evidence of one host or of all, in pages', async () => {
  const [hostId = ''] = fixture.seeded.hostIds
  const readEvidence = (input: object) =>
    fixture.server.as(fixture.workspace, (ctx) => listEvidence(ctx, { id: fixture.first(), ...input }))
  const { evidence } = await readEvidence({ hostId })
  expect(evidence).toMatchObject([{ hostId, method: 'a-check', text: 'proof', status: 'STATUS_OPEN' }])
  const first = await readEvidence({ pageSize: 1 })
  const second = await readEvidence({ pageSize: 1, pageToken: first.nextPageToken })
  expect([...first.evidence, ...second.evidence].map((proof) => proof.hostId).toSorted()).toEqual(
    fixture.seeded.hostIds.toSorted(),
  )
  expect(second.nextPageToken).toBe('')
})
