import type { IssueStatus, Verification } from '@glacis/contract/issue'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { newId } from '#database/index.ts'
import { affectedHosts, issuesBySeverity, issuesByStatus, onboarding, scans, summary } from '#stats/index.ts'
import { type TestServer, startTestServer } from '#testing/test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
  await server.addThreats({ key: 'a' }, { key: 'b', severity: { cvss: '', score: 9.8, category: 'CATEGORY_CRITICAL' } })
})
afterAll(() => server.close())

const now = new Date('2026-11-20T15:00:00Z')
let workspace: string
let target: string
let host: string

beforeEach(async () => {
  workspace = await server.createWorkspace()
  ;[target, host] = [newId(), newId()]
  const at = new Date('2026-09-01T00:00:00Z')
  await server.as(workspace, async ({ tx }) => {
    const row = {
      account_id: workspace,
      id: target,
      name: 'T',
      address: '127.91.0.1',
      kind: 'IPV4',
      schedule_period: 'PERIOD_DAILY' as const,
    }
    await tx
      .insertInto('target')
      .values({ ...row, next_scan_at: null, created_at: at, updated_at: at, deleted_at: null })
      .execute()
    const seenTimes = { first_seen_at: at, last_seen_at: at, last_checked_at: at, updated_at: at }
    await tx
      .insertInto('host')
      .values({ account_id: workspace, id: host, target_id: target, address: '127.91.0.1', name: '', ...seenTimes })
      .execute()
  })
})

/** Creates an issue with these status changes. */
async function issue(
  key: 'a' | 'b',
  verification: Verification,
  ...moves: readonly (readonly [string, IssueStatus])[]
): Promise<void> {
  const id = newId()
  await server.as(workspace, async ({ tx }) => {
    const threat = await tx.selectFrom('threat').selectAll().where('key', '=', key).executeTakeFirstOrThrow()
    const [first] = moves
    const last = moves.at(-1)
    if (!first || !last) throw new Error('an issue has a state')
    const times = {
      first_seen_at: new Date(first[0]),
      last_seen_at: new Date(last[0]),
      updated_at: new Date(last[0]),
      ignored_at: null,
      ignore_until: null,
    }
    await tx
      .insertInto('issue')
      .values({
        account_id: workspace,
        id,
        threat_id: threat.id,
        status: last[1],
        verification,
        quality: 99,
        priority: 1,
        score: threat.score,
        category: threat.category,
        resolved_at: last[1] === 'STATUS_RESOLVED' ? new Date(last[0]) : null,
        ...times,
      })
      .execute()
    const statuses = {
      status: last[1],
      verified_status: verification === 'VERIFICATION_VERIFIED' ? last[1] : null,
      potential_status: verification === 'VERIFICATION_UNVERIFIED' ? last[1] : null,
    }
    await tx
      .insertInto('issue_target')
      .values({ account_id: workspace, target_id: target, issue_id: id, category: threat.category, ...statuses })
      .execute()
    if (last[1] === 'STATUS_OPEN' || last[1] === 'STATUS_REGRESSION') {
      await tx
        .insertInto('target_count')
        .values({ account_id: workspace, target_id: target, hosts: 1 })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    }
    for (const [at, status] of moves) {
      const event = {
        account_id: workspace,
        issue_id: id,
        status,
        verification,
        at: new Date(at),
        actor: 'scan',
        scan_id: null,
      }
      await tx
        .insertInto('issue_event')
        .values({ ...event, id: newId(), host_id: null, target_id: null })
        .execute()
      await tx
        .insertInto('issue_event')
        .values({ ...event, id: newId(), host_id: host, target_id: target })
        .execute()
    }
  })
}

const week = { period: 'PERIOD_WEEK' } as const

it('counts active issues by severity and affected hosts now', async () => {
  await issue('a', 'VERIFICATION_VERIFIED', ['2026-11-19T10:00:00Z', 'STATUS_OPEN'])
  await issue(
    'b',
    'VERIFICATION_VERIFIED',
    ['2026-11-19T10:00:00Z', 'STATUS_OPEN'],
    ['2026-11-20T10:00:00Z', 'STATUS_IGNORED'],
  )
  const series = await server.as(workspace, (ctx) => issuesBySeverity(ctx, week), { now })
  expect(series.timestamps).toHaveLength(7)
  expect(series.timestamps.at(-1)).toBe(now.toISOString())
  expect([series.high.at(-1), series.critical.at(-1)]).toEqual([1, 0])
  const hosts = await server.as(workspace, (ctx) => affectedHosts(ctx, week), { now })
  expect(hosts.values.at(-1)).toBe(1)
})

it.each([
  ['VERIFICATION_FILTER_VERIFIED', 1],
  ['VERIFICATION_FILTER_UNVERIFIED', 1],
  ['VERIFICATION_FILTER_ALL', 2],
] as const)('narrows to %s', async (verification, open) => {
  await issue('a', 'VERIFICATION_VERIFIED', ['2026-11-19T10:00:00Z', 'STATUS_OPEN'])
  await issue('b', 'VERIFICATION_UNVERIFIED', ['2026-11-19T10:00:00Z', 'STATUS_OPEN'])
  const series = await server.as(workspace, (ctx) => issuesByStatus(ctx, { ...week, filter: { verification } }), {
    now,
  })
  expect(series.open.at(-1)).toBe(open)
})

it('narrows to a target and to a host', async () => {
  await issue('a', 'VERIFICATION_VERIFIED', ['2026-11-19T10:00:00Z', 'STATUS_OPEN'])
  const open = async (filter: object) =>
    (await server.as(workspace, (ctx) => issuesByStatus(ctx, { ...week, filter }), { now })).open.at(-1)
  expect(await open({ affectedTargetId: target })).toBe(1)
  expect(await open({ affectedHostId: host })).toBe(1)
  expect(await open({ affectedTargetId: newId() })).toBe(0)
})

it('counts issues of merged hosts once', async () => {
  const other = host
  await issue('a', 'VERIFICATION_VERIFIED', ['2026-11-17T10:00:00Z', 'STATUS_OPEN'])
  host = newId()
  await server.as(workspace, async ({ tx }) => {
    const at = new Date('2026-09-01T00:00:00Z')
    const seenTimes = { first_seen_at: at, last_seen_at: at, last_checked_at: at, updated_at: at }
    await tx
      .insertInto('host')
      .values({ account_id: workspace, id: host, target_id: target, address: '127.91.0.2', name: '', ...seenTimes })
      .execute()
    await tx.updateTable('host').set({ merged_into: host }).where('id', '=', other).execute()
  })
  await issue('b', 'VERIFICATION_VERIFIED', ['2026-11-18T10:00:00Z', 'STATUS_OPEN'])
  await server.as(workspace, async ({ tx }) => {
    const { id } = await tx
      .selectFrom('issue')
      .innerJoin('threat', 'threat.id', 'issue.threat_id')
      .select('issue.id')
      .where('key', '=', 'a')
      .where('account_id', '=', workspace)
      .executeTakeFirstOrThrow()
    const event = {
      account_id: workspace,
      issue_id: id,
      host_id: host,
      target_id: target,
      actor: 'scan',
      scan_id: null,
    }
    const [status, verification] = ['STATUS_RESOLVED', 'VERIFICATION_VERIFIED'] as const
    await tx
      .insertInto('issue_event')
      .values({ ...event, id: newId(), status, verification, at: new Date('2026-11-19T10:00:00Z') })
      .execute()
  })
  const filter = { affectedHostId: host }
  const series = await server.as(workspace, (ctx) => issuesByStatus(ctx, { ...week, filter }), { now })
  // Resolved at one address and open at the other counts as open for the merged host.
  expect([series.open, series.resolved]).toEqual([
    [0, 0, 0, 1, 2, 2, 2],
    [0, 0, 0, 0, 0, 0, 0],
  ])
  expect(await server.as(workspace, (ctx) => summary(ctx, { ...week, filter }), { now })).toMatchObject({ open: 2 })
})

it('counts each completed scan once, without retests', async () => {
  await server.as(workspace, async ({ tx }) => {
    for (const [completed, retest_of] of [
      ['2026-11-18T23:59:59Z', null],
      ['2026-11-20T00:00:00Z', null],
      ['2026-11-20T14:00:00Z', null],
      ['2026-11-20T14:30:00Z', newId()],
      ['2025-01-01T00:00:00Z', null],
    ] as const) {
      const at = new Date(completed)
      const row = {
        account_id: workspace,
        id: newId(),
        target_id: target,
        type: 'TYPE_MANUAL',
        status: 'STATUS_COMPLETED',
        phase: 'PHASE_DONE',
        started_by: 'N',
        retest_of,
      } as const
      await tx
        .insertInto('scan')
        .values({ ...row, created_at: at, updated_at: at, started_at: at, completed_at: at, last_activity_at: at })
        .execute()
    }
  })
  const { values } = await server.as(workspace, (ctx) => scans(ctx, week), { now })
  expect(values).toEqual([0, 0, 0, 0, 1, 0, 2])
})

it('summarizes the period', async () => {
  await issue(
    'a',
    'VERIFICATION_VERIFIED',
    ['2026-11-16T10:00:00Z', 'STATUS_OPEN'],
    ['2026-11-17T10:00:00Z', 'STATUS_RESOLVED'],
  )
  await issue('b', 'VERIFICATION_VERIFIED', ['2026-11-19T10:00:00Z', 'STATUS_OPEN'])
  const figures = await server.as(workspace, (ctx) => summary(ctx, week), { now })
  expect(figures).toMatchObject({
    open: 1,
    regressive: 0,
    newCount: 2,
    resolvedCount: 1,
    meanTimeToResolve: '86400s',
    targetCount: 1,
    hostCount: 1,
  })
})

it('covers only the filtered targets and hosts', async () => {
  const elsewhere = { ...week, filter: { affectedTargetId: newId() } }
  const none = await server.as(workspace, (ctx) => summary(ctx, elsewhere), { now })
  expect(none).toMatchObject({ targetCount: 0, hostCount: 0 })
  const inTarget = { ...week, filter: { affectedTargetId: target } }
  expect(await server.as(workspace, (ctx) => summary(ctx, inTarget), { now })).toMatchObject({
    targetCount: 1,
    hostCount: 1,
  })
})

it('skips the agent step once a scan was started without one', async () => {
  const states = async () => {
    const { steps } = await server.as(workspace, (ctx) => onboarding(ctx), { now })
    return Object.fromEntries(steps.map(({ key, state }) => [key, state]))
  }
  expect(await states()).toMatchObject({ TARGET: 'STATE_DONE', AGENT: 'STATE_OPEN', SCAN: 'STATE_OPEN' })
  await server.as(workspace, async ({ tx }) => {
    const row = {
      account_id: workspace,
      id: newId(),
      target_id: target,
      type: 'TYPE_MANUAL',
      status: 'STATUS_RUNNING',
      phase: 'PHASE_DISCOVERY',
      started_by: 'N',
    } as const
    const times = { created_at: now, updated_at: now, started_at: now, completed_at: null, last_activity_at: now }
    await tx
      .insertInto('scan')
      .values({ ...row, ...times })
      .execute()
  })
  expect(await states()).toMatchObject({ TARGET: 'STATE_DONE', AGENT: 'STATE_SKIPPED', SCAN: 'STATE_OPEN' })
})
