import type { IssueStatus } from '@glacis/contract/issue'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newId } from '#database/index.ts'
import { fillStatusCounts } from '#testing/status-counts.ts'
import type { Ctx } from '#ctx.ts'
import type { Decision } from '#issues/decision.ts'
import { reprioritize, setHostStatus, setIssueStatus, setStatusOfMany } from '#issues/index.ts'
import { raise } from '#issues/raise.ts'
import { rollUp } from '#issues/rollup.ts'
import { type TestServer, startTestServer } from '#testing/test-server.ts'
import { seedIssues } from '#testing/issues.ts'
import type { Kysely } from 'kysely'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
  const severity = { cvss: '', score: 9.8, category: 'CATEGORY_CRITICAL' as const }
  await server.addThreats({ key: 'a' }, { key: 'b', severity }, { key: 'c' })
})
afterAll(() => server.close())

/** The tests don't check targets. */
const describeTargets = async () => new Map<string, never>()
const tables = ['issue_target', 'host_count', 'target_count'] as const

it('match a full count after any change to occurrences', async () => {
  const workspace = await server.createWorkspace()
  const [targets, hosts] = [await twoTargets(workspace), Array.from({ length: 5 }, () => newId())]
  await server.as(workspace, async ({ tx, now }) => {
    const seenTimes = { first_seen_at: now, last_seen_at: now, last_checked_at: now, updated_at: now }
    for (const [number, id] of hosts.entries()) {
      const place = { target_id: targets[number % 2] ?? '', address: `127.91.0.${number}`, name: '' }
      await tx
        .insertInto('host')
        .values({ account_id: workspace, id, ...place, ...seenTimes })
        .execute()
    }
  })
  const found = (host: number, key: string, quality: number) =>
    server.as(workspace, async (ctx) => {
      const threat = await ctx.tx.selectFrom('threat').selectAll().where('key', '=', key).executeTakeFirstOrThrow()
      const place = { hostId: hosts[host] ?? '', targetId: targets[host % 2] ?? '', location: '80/', port: 80 }
      const evidence = { location: '80/', method: key, quality, text: '', highlights: [] }
      const changes = await raise(ctx, [{ threat, ...place, method: key, quality, evidence }])
      const ids = changes.map((change) => change.issueId)
      await rollUp(ctx, ids, { reason: '', scanId: null }, [place.hostId])
      return ids[0] ?? ''
    })
  const decideAll = (id: string, status: Exclude<IssueStatus, 'STATUS_REGRESSION'>) =>
    server.as(workspace, (ctx) => setIssueStatus(ctx, { id, status, reason: 'REASON_MITIGATED' }, describeTargets))
  const a = await found(0, 'a', 99)
  await found(1, 'a', 70)
  const b = await found(0, 'b', 70)
  await found(2, 'b', 99)
  const c = await found(3, 'c', 99)
  await decideAll(a, 'STATUS_RESOLVED')
  await found(1, 'a', 70)
  await decideAll(b, 'STATUS_IGNORED')
  await found(4, 'b', 99)
  await decideAll(c, 'STATUS_RESOLVED')
  await server.as(workspace, (ctx) =>
    setHostStatus(ctx, { id: b, hostId: hosts[4] ?? '', status: 'STATUS_RESOLVED' }, describeTargets),
  )
  const stored = await compareWithFullCount(workspace)
  expect(stored.host_count).toHaveLength(5)
})

/** Compares the stored counts with a full count. */
async function compareWithFullCount(workspace: string) {
  const stored = await readCounts(workspace)
  for (const table of tables) await server.database.owner.deleteFrom(table).execute()
  await fillStatusCounts(server.database.owner as unknown as Kysely<unknown>)
  expect(stored).toEqual(await readCounts(workspace))
  return stored
}

it('match after random decisions on issues, single hosts, and batches', async () => {
  const workspace = await server.createWorkspace()
  const { issueIds, hostIds } = await seedIssues(server, workspace, { issues: 6, hosts: 4, at: new Date('2026-11-01') })
  await makeHalfPotential(workspace, issueIds)
  // Park and Miller's generator, so that every run makes the same decisions.
  let state = 20_261
  const randomBelow = (bound: number) => (state = (state * 48_271) % 2_147_483_647) % bound
  const statuses = ['STATUS_OPEN', 'STATUS_RESOLVED', 'STATUS_IGNORED'] as const
  const [anIssue, aHost] = [() => issueIds[randomBelow(6)] ?? '', () => hostIds[randomBelow(4)] ?? '']
  const decisions = [
    (ctx: Ctx, to: Decision) => setIssueStatus(ctx, { id: anIssue(), ...to }, describeTargets),
    (ctx: Ctx, to: Decision) => setHostStatus(ctx, { id: anIssue(), hostId: aHost(), ...to }, describeTargets),
    (ctx: Ctx, to: Decision) => setStatusOfMany(ctx, { ids: [anIssue(), anIssue(), anIssue()], ...to }),
  ]
  let changedCount = 0
  for (let number = 0; number < 60; number++) {
    const [decide, status] = [decisions[randomBelow(3)], statuses[randomBelow(3)] ?? 'STATUS_OPEN']
    const to = { status, ...(status === 'STATUS_IGNORED' && { reason: 'REASON_MITIGATED' as const }) }
    // Some of these are invalid transitions, which must change nothing.
    await server
      .as(workspace, async (ctx) => decide?.(ctx, to))
      .then(
        () => (changedCount += 1),
        (error: unknown) => expect(error).toMatchObject({ code: 'conflict' }),
      )
    if (number % 20 === 19) await compareWithFullCount(workspace)
  }
  expect(changedCount).toBeGreaterThan(30)
})

it('match after concurrent decisions on different issues of the same hosts', async () => {
  const workspace = await server.createWorkspace()
  const { issueIds } = await seedIssues(server, workspace, { issues: 6, hosts: 12, at: new Date('2026-11-01') })
  await makeHalfPotential(workspace, issueIds)
  const decideAll = (id: string, status: Exclude<IssueStatus, 'STATUS_REGRESSION'>) =>
    server.as(workspace, (ctx) => setIssueStatus(ctx, { id, status, reason: 'REASON_MITIGATED' }, describeTargets))
  await Promise.all(issueIds.map((id, number) => decideAll(id, number % 2 ? 'STATUS_RESOLVED' : 'STATUS_IGNORED')))
  const { host_count: none } = await compareWithFullCount(workspace)
  expect(none.map(({ verified, potential }) => verified + potential)).toEqual(Array.from({ length: 12 }, () => 0))
  await Promise.all(issueIds.slice(0, 4).map((id) => decideAll(id, 'STATUS_OPEN')))
  const { host_count: some } = await compareWithFullCount(workspace)
  expect(some.map(({ verified, potential }) => [verified, potential])).toEqual(Array.from({ length: 12 }, () => [2, 2]))
})

it('match after a severity change', async () => {
  const workspace = await server.createWorkspace()
  const { issueIds } = await seedIssues(server, workspace, { issues: 4, hosts: 2, at: new Date('2026-11-01') })
  await server.database.owner.updateTable('threat').set({ score: 7.5, category: 'CATEGORY_HIGH' }).execute()
  expect(await reprioritize(server.database, { info() {}, warn() {}, error() {} }, 1)).toBeGreaterThanOrEqual(4)
  const { host_count: hosts } = await compareWithFullCount(workspace)
  expect(hosts.map(({ critical, high }) => [critical, high])).toEqual(hosts.map(() => [0, issueIds.length]))
})

/** Makes every second issue potential. */
async function makeHalfPotential(workspace: string, issueIds: readonly string[]): Promise<void> {
  const inferred = issueIds.filter((_, number) => number % 2 === 1)
  await server.database.owner
    .updateTable('occurrence')
    .set({ method: 'version', quality: 70 })
    .where('account_id', '=', workspace)
    .where('issue_id', 'in', inferred)
    .execute()
  await server.as(workspace, (ctx) => rollUp(ctx, inferred, { reason: '', scanId: null }))
}

async function twoTargets(workspace: string): Promise<string[]> {
  const ids = [newId(), newId()]
  await server.as(workspace, async ({ tx, now }) => {
    const row = {
      account_id: workspace,
      name: 'T',
      address: '127.91.0.1',
      kind: 'IPV4',
      next_scan_at: null,
      deleted_at: null,
    }
    const rest = { schedule_period: 'PERIOD_DAILY' as const, created_at: now, updated_at: now }
    for (const id of ids)
      await tx
        .insertInto('target')
        .values({ ...row, ...rest, id })
        .execute()
  })
  return ids
}

async function readCounts(workspace: string) {
  const read = (table: (typeof tables)[number]) =>
    server.database.owner
      .selectFrom(table)
      .selectAll()
      .where('account_id', '=', workspace)
      .orderBy('target_id')
      .orderBy(table === 'issue_target' ? 'issue_id' : table === 'host_count' ? 'host_id' : 'hosts')
      .execute()
  return {
    issue_target: await read('issue_target'),
    host_count: await read('host_count'),
    target_count: await read('target_count'),
  }
}
