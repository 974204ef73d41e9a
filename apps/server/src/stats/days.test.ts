import type { StatsPeriod } from '@glacis/contract/insights'
import type { IssueStatus } from '@glacis/contract/issue'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { closeDays } from '#stats/days.ts'
import { affectedHosts, closeEndedDays, issuesBySeverity, issuesByStatus } from '#stats/index.ts'
import { type TestServer, startTestServer } from '#testing/test-server.ts'
import { type Seeded, seedIssues } from '#testing/issues.ts'
import { reprioritize, setStatusOfMany } from '#testing/decisions.ts'

let server: TestServer
let workspace: string
let seeded: Seeded
const silent = { info() {}, warn() {}, error() {} }
const week: { period: StatsPeriod } = { period: 'PERIOD_WEEK' }

beforeAll(async () => void (server = await startTestServer()))
afterAll(() => server.close())

/** Three issues, two of them critical, open on two hosts since the first day. */
const first = new Date('2026-11-10T12:00:00Z')
const after = (days: number) => new Date(first.getTime() + days * 86_400_000)
beforeEach(async () => {
  workspace = await server.createWorkspace()
  await server.database.owner.updateTable('workspace').set({ created_at: first }).where('id', '=', workspace).execute()
  seeded = await seedIssues(server, workspace, { issues: 3, hosts: 2, at: first })
})

const close = (now: Date) => server.as(workspace, closeDays, { now })
const decide = (status: Exclude<IssueStatus, 'STATUS_REGRESSION'>, ids: readonly string[], now: Date) =>
  server.as(workspace, (ctx) => setStatusOfMany(ctx, { ids: [...ids], status }), { now })
const third = () => seeded.issueIds.slice(2)
const byStatus = (now: Date, filter = {}) =>
  server.as(workspace, (ctx) => issuesByStatus(ctx, { ...week, filter }), { now })

it('closes each day with its final counts, for the workspace and its targets', async () => {
  await close(after(1))
  await decide('STATUS_RESOLVED', seeded.issueIds, after(1))
  await close(after(2))
  await decide('STATUS_OPEN', third(), after(2))
  for (const filter of [{}, { affectedTargetId: seeded.targetId }]) {
    const { open, resolved } = await byStatus(after(2), filter)
    expect(open).toEqual([0, 0, 0, 0, 3, 0, 1])
    expect(resolved).toEqual([0, 0, 0, 0, 0, 3, 2])
  }
  const { values } = await server.as(workspace, (ctx) => affectedHosts(ctx, week), { now: after(2) })
  expect(values).toEqual([0, 0, 0, 0, 2, 0, 2])
})

it('closes days with the same counts per verification as the last point of the chart', async () => {
  await sql`update issue set verification = 'VERIFICATION_UNVERIFIED' where id = any(${third()}::uuid[])`.execute(
    server.database.owner,
  )
  await close(after(1))
  for (const [verification, open] of [
    ['VERIFICATION_FILTER_VERIFIED', 2],
    ['VERIFICATION_FILTER_UNVERIFIED', 1],
    ['VERIFICATION_FILTER_ALL', 3],
  ] as const) {
    expect((await byStatus(after(1), { verification })).open.slice(-2)).toEqual([open, open])
  }
})

it('closes days without a running server with the current counts', async () => {
  await close(after(1))
  await decide('STATUS_IGNORED', third(), after(1))
  await close(after(4))
  const { open, ignored } = await byStatus(after(4))
  expect([open, ignored]).toEqual([
    [0, 0, 3, 2, 2, 2, 2],
    [0, 0, 0, 1, 1, 1, 1],
  ])
})

it('never changes a closed day', async () => {
  await close(after(1))
  await decide('STATUS_RESOLVED', seeded.issueIds, after(1))
  await close(after(1))
  expect((await byStatus(after(1))).open.slice(-2)).toEqual([3, 0])
})

it('counts a changed severity from the day of the change', async () => {
  await close(after(1))
  await sql`update threat set score = 7.5, category = 'CATEGORY_HIGH' where id in (
    select threat_id from issue where id = any(${third()}::uuid[]))`.execute(server.database.owner)
  await reprioritize(server.database, silent)
  await close(after(2))
  for (const filter of [{}, { affectedTargetId: seeded.targetId }]) {
    const { high, low } = await server.as(workspace, (ctx) => issuesBySeverity(ctx, { ...week, filter }), {
      now: after(2),
    })
    expect([low.slice(-3), high.slice(-3)]).toEqual([
      [1, 0, 0],
      [0, 1, 1],
    ])
  }
})

it('writes target rows only for days with changes', async () => {
  await close(after(1))
  await close(after(2))
  await decide('STATUS_IGNORED', third(), after(2))
  await close(after(3))
  const rows = await server.database.owner
    .selectFrom('stats_day')
    .select('day')
    .where('account_id', '=', workspace)
    .where('target_id', '=', seeded.targetId)
    .orderBy('day')
    .execute()
  expect(rows.map(({ day }) => day)).toEqual(['2026-11-10', '2026-11-12'])
})

it("ends a day at midnight in the workspace's time zone", async () => {
  await server.database.owner
    .updateTable('workspace')
    .set({ time_zone: 'Europe/Zurich' })
    .where('id', '=', workspace)
    .execute()
  await close(new Date('2026-11-11T23:30:00Z'))
  const { timestamps, open } = await byStatus(new Date('2026-11-11T23:30:00Z'))
  expect(timestamps.slice(-3, -1)).toEqual(['2026-11-10T22:59:59.999Z', '2026-11-11T22:59:59.999Z'])
  expect(open.slice(-3)).toEqual([3, 3, 3])
})

it('closes ended days of all workspaces, and again after a fast clock was corrected', async () => {
  const today = new Date()
  const later = (days: number) => new Date(today.getTime() + days * 86_400_000)
  await server.database.owner
    .updateTable('workspace')
    .set({ created_at: later(-2) })
    .where('id', '=', workspace)
    .execute()
  await close(later(2))
  await decide('STATUS_RESOLVED', seeded.issueIds, today)
  await closeEndedDays({ database: server.database, log: silent })
  await close(later(2))
  expect((await byStatus(later(2))).open.slice(-5)).toEqual([3, 3, 0, 0, 0])
})
