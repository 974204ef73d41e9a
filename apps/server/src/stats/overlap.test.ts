import { afterAll, beforeAll, expect, it } from 'vitest'
import { newId } from '#database/index.ts'
import { closeDays } from '#stats/days.ts'
import { affectedHosts, issuesBySeverity, issuesByStatus, summary } from '#stats/index.ts'
import { type TestServer, startTestServer } from '#testing/test-server.ts'
import { describeTargets, refreshCounts, type Seeded, seedIssues } from '#testing/issues.ts'
import { sql } from 'kysely'

let server: TestServer
let workspace: string
let seeded: Seeded
const other = newId()
const startOfDay = new Date('2026-11-10T08:00:00Z')
const now = new Date('2026-11-20T15:00:00Z')

/** Creates two overlapping targets, each with three assets and the same four issues. */
beforeAll(async () => {
  server = await startTestServer()
  workspace = await server.createWorkspace()
  seeded = await seedIssues(server, workspace, { issues: 4, hosts: 3, at: startOfDay })
  const { owner } = server.database
  await owner.updateTable('workspace').set({ created_at: startOfDay }).where('id', '=', workspace).execute()
  const copied = (columns: string, from: string) =>
    sql.raw(
      `insert into ${from} (account_id, id, target_id, ${columns}) select account_id, new_id(), '${other}', ${columns}`,
    )
  await sql`
    insert into target (account_id, id, name, address, kind, schedule_period, created_at, updated_at)
    select account_id, ${other}, 'All', '127.62.0.0/15', kind, schedule_period, created_at, updated_at
    from target where account_id = ${workspace}`.execute(owner)
  await sql`${copied('address, name, first_seen_at, last_seen_at, last_checked_at, updated_at', 'host')}
    from host where account_id = ${workspace}`.execute(owner)
  const columns = 'issue_id, location, port, method, status, quality, evidence, evidence_key, decided_by'
  await sql`
    insert into occurrence (account_id, id, target_id, host_id, first_seen_at, last_seen_at, ${sql.raw(columns)})
    select account_id, new_id(), ${other},
           (select twin.id from host
            join host as twin on twin.account_id = host.account_id and twin.address = host.address and twin.target_id = ${other}
            where host.account_id = occurrence.account_id and host.id = occurrence.host_id),
           first_seen_at, last_seen_at, ${sql.raw(columns)}
    from occurrence where account_id = ${workspace}`.execute(owner)
  await server.as(workspace, (ctx) => refreshCounts(ctx, seeded.issueIds))
})
afterAll(() => server.close())

const read = <T>(of: Parameters<typeof server.as<T>>[1]) => server.as(workspace, of, { now })

it('counts an issue of several targets once in the workspace, now and in the past', async () => {
  await read(closeDays)
  const input = { period: 'PERIOD_WEEK' } as const
  const figures = await read((ctx) => summary(ctx, input))
  expect([figures.open, figures.newCount, figures.targetCount]).toEqual([4, 0, 2])
  const [status, severity] = await read((ctx) =>
    Promise.all([issuesByStatus(ctx, input), issuesBySeverity(ctx, input)]),
  )
  expect(status.open).toEqual(Array(7).fill(4))
  expect([severity.critical, severity.low]).toEqual([Array(7).fill(2), Array(7).fill(2)])
  for (const id of [seeded.targetId, other]) {
    const within = await read((ctx) => issuesByStatus(ctx, { ...input, filter: { affectedTargetId: id } }))
    expect(within.open).toEqual(Array(7).fill(4))
  }
})

it('counts a host in each target that contains its address', async () => {
  const figures = await read((ctx) => summary(ctx, { period: 'PERIOD_WEEK' }))
  const targets = await read((ctx) => describeTargets(ctx, [seeded.targetId, other]))
  expect([...targets.values()].map(({ hostCount }) => hostCount)).toEqual([3, 3])
  expect(figures.hostCount).toBe(6)
  const affected = await read((ctx) => affectedHosts(ctx, { period: 'PERIOD_WEEK' }))
  expect(affected.values.at(-1)).toBe(6)
})
