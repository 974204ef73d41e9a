import { sql } from 'kysely'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import type { Scanning } from '#scans/run.ts'
import { getScan, listScans } from '#scans/index.ts'
import { failScan } from '#scans/lifecycle.ts'
import { failStalled, startDue } from '#scans/sweep.ts'
import { sharedTestServer } from '#testing/test-server.ts'
import { scanningIn } from '#testing/scanning.ts'

const server = await sharedTestServer()
let scanning: Scanning
let workspace: string
beforeAll(async () => {
  scanning = scanningIn(server)
})
beforeEach(async () => {
  workspace = await server.createWorkspace()
})

/** Creates targets that have been due for this many minutes. */
async function due(count: number, minutes: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    insert into target (account_id, id, name, address, kind, schedule_period, next_scan_at, created_at, updated_at)
    select ${workspace}, new_id(), 'Web', '127.63.8.1', 'IPV4', 'PERIOD_DAILY', now() - make_interval(mins => ${minutes}), now(), now()
    from generate_series(1, ${count}::int)
    returning id`.execute(server.database.owner)
  return rows.map((row) => row.id)
}
async function scansOf(targets: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ scan: string }>`
    select type || ' ' || status as scan from scan where target_id = any(${targets}::uuid[])`.execute(
    server.database.owner,
  )
  return rows.map((row) => row.scan)
}

it('starts a due scan once', async () => {
  const targets = await due(2, 5)
  await startDue(scanning)
  await startDue(scanning)
  expect(await scansOf(targets)).toEqual(['TYPE_AUTOMATIC STATUS_CREATED', 'TYPE_AUTOMATIC STATUS_CREATED'])
  const { scans } = await server.as(workspace, (ctx) => listScans(ctx, {}))
  expect(scans.map(({ startedBy }) => startedBy)).toEqual([undefined, undefined])
})

it('starts other targets if one fails, and reports the error afterward', async () => {
  const [unreadable = '', ...others] = await due(3, 5)
  await sql`
    update target set next_scan_at = now() - interval '1 day',
      allowed_hours = '{"start": "22:00", "end": "06:00", "timeZone": "Mars/Olympus"}'
    where id = ${unreadable}`.execute(server.database.owner)
  await expect(startDue(scanning)).rejects.toThrow(AggregateError)
  expect(await scansOf(others)).toHaveLength(2)
  expect(await scansOf([unreadable])).toEqual([])
  await sql`update target set allowed_hours = null, next_scan_at = null where id = ${unreadable}`.execute(
    server.database.owner,
  )
})

it('skips paused and deleted targets, and those without their agent', async () => {
  const [paused, deleted, orphan] = await due(3, 5)
  const { owner } = server.database
  await sql`update target set paused_at = now(), next_scan_at = null where id = ${paused}`.execute(owner)
  await sql`update target set deleted_at = now() where id = ${deleted}`.execute(owner)
  await sql`update target set former_agent = 'gone' where id = ${orphan}`.execute(owner)
  await startDue(scanning)
  expect(await scansOf([paused, deleted, orphan].flatMap((id) => id ?? []))).toEqual([])
})

it('starts due scans regardless of how many targets are still being scanned', async () => {
  const busy = await due(250, 60)
  await sql`
    insert into scan (account_id, id, target_id, started_by, type, status, phase, created_at, updated_at)
    select ${workspace}, new_id(), id, 'test', 'TYPE_AUTOMATIC', 'STATUS_CREATED', 'PHASE_WAITING', now(), now()
    from unnest(${busy}::uuid[]) as id`.execute(server.database.owner)
  const last = await due(1, 5)
  await startDue(scanning)
  expect(await scansOf(last)).toEqual(['TYPE_AUTOMATIC STATUS_CREATED'])
  expect(await scansOf(busy)).toHaveLength(250)
})

it('fails with the last error, even if it contains unstorable characters', async () => {
  const [target = ''] = await due(1, 5)
  await startDue(scanning)
  const { id } = await server.database.owner
    .selectFrom('scan')
    .select('id')
    .where('target_id', '=', target)
    .executeTakeFirstOrThrow()
  await server.as(workspace, (ctx) => failScan(ctx, id, 'Not a greeting: \0\0'))
  const { scan } = await server.as(workspace, (ctx) => getScan(ctx, { id }))
  expect(scan).toMatchObject({
    status: 'STATUS_FAILED',
    progress: { failureReason: expect.stringMatching(/^Not a greeting: /) },
  })
})

it('fails a stalled scan whose last activity was recorded while the clock was an hour ahead', async () => {
  const targets = await due(1, 5)
  await startDue(scanning)
  await sql`
    with stalled as (
      update scan set last_activity_at = now() + interval '1 hour' where target_id = any(${targets}::uuid[]) returning id)
    delete from pgboss.job where data ->> 'scanId' in (select id::text from stalled)`.execute(server.database.owner)
  await failStalled(scanning)
  expect(await scansOf(targets)).toEqual(['TYPE_AUTOMATIC STATUS_FAILED'])
})
