import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import {
  resolveIssuesOfTargets,
  getIssue,
  reopenExpired,
  setHostStatus,
  setIssueStatus,
  setStatusOfMany,
} from '#issues/index.ts'
import { type TestServer, startTestServer, person } from '#testing/test-server.ts'
import { deleteTargets, describeTargets, type Seeded, seedIssues } from '#testing/issues.ts'
import { sql } from 'kysely'

let server: TestServer
let workspace: string
let seeded: Seeded
const now = new Date('2026-11-20T08:00:00Z')
const later = (days: number) => new Date(now.getTime() + days * 86_400_000)
const nora = { now, actor: person }

beforeAll(async () => void (server = await startTestServer()))
afterAll(() => server.close())
beforeEach(async () => {
  workspace = await server.createWorkspace()
  seeded = await seedIssues(server, workspace, { issues: 2, hosts: 2, at: later(-10) })
})

const first = () => seeded.issueIds[0] ?? ''
const issue = () =>
  server.as(workspace, async (ctx) => (await getIssue(ctx, { id: first() }, describeTargets)).issue, nora)
const set = (status: 'STATUS_OPEN' | 'STATUS_IGNORED') =>
  server.as(workspace, (ctx) => setIssueStatus(ctx, { id: first(), status }, describeTargets), nora)
const deleted = (id: string) =>
  server.as(workspace, async (ctx) => {
    await deleteTargets(ctx, [id])
    await resolveIssuesOfTargets(ctx, [id])
  })
const statuses = async () =>
  (await issue()).affectedHosts.map((item) => `${item.host.address} ${item.status}`).toSorted()

/** Deletes the target of the second host. */
async function deleteOne(): Promise<void> {
  const { owner } = server.database
  const gone = await sql<{ id: string }>`
    insert into target (account_id, id, name, address, kind, schedule_period, created_at, updated_at)
    select account_id, new_id(), 'Gone', '127.63.0.1', 'HOST', schedule_period, created_at, updated_at
    from target where id = ${seeded.targetId}
    returning id`.execute(owner)
  const id = gone.rows[0]?.id ?? ''
  await sql`update host set target_id = ${id} where id = ${seeded.hostIds[1]}`.execute(owner)
  await sql`update occurrence set target_id = ${id} where host_id = ${seeded.hostIds[1]}`.execute(owner)
  await deleted(id)
}

it('reopens an issue on existing targets only, not on deleted ones', async () => {
  await deleteOne()
  await set('STATUS_IGNORED')
  expect(await statuses()).toEqual(['127.63.0.0 STATUS_IGNORED', '127.63.0.1 STATUS_RESOLVED'])
  await server.as(workspace, reopenExpired, { now: later(400) })
  expect(await statuses()).toEqual(['127.63.0.0 STATUS_OPEN', '127.63.0.1 STATUS_RESOLVED'])
  const onHost = { id: first(), hostId: seeded.hostIds[1] ?? '', status: 'STATUS_OPEN' } as const
  const attempt = server.as(workspace, (ctx) => setHostStatus(ctx, onHost, describeTargets), nora)
  await expect(attempt).rejects.toMatchObject({ code: 'conflict' })
})

it('rejects reopening issues of deleted targets only, individually and in batches', async () => {
  await deleted(seeded.targetId)
  await expect(set('STATUS_OPEN')).rejects.toThrow('All affected targets were deleted, so the status stays resolved')
  const bulkChange = { filter: {}, status: 'STATUS_IGNORED' } as const
  const { updatedCount, skipped } = await server.as(workspace, (ctx) => setStatusOfMany(ctx, bulkChange), nora)
  expect([updatedCount, ...skipped.map((item) => item.message)]).toEqual([
    0,
    'All affected targets were deleted, so the status stays resolved',
    'All affected targets were deleted, so the status stays resolved',
  ])
  expect((await issue()).status).toBe('STATUS_RESOLVED')
})
