import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Scanning } from '#scans/run.ts'
import { getScan } from '#scans/index.ts'
import { fail } from '#scans/lifecycle.ts'
import { startDue } from '#scans/sweep.ts'
import { type House, openHouse } from '#testing/house.ts'
import { scanningIn } from '#testing/scanning.ts'

let house: House
let scanning: Scanning
let account: string
beforeAll(async () => {
  house = await openHouse()
  scanning = scanningIn(house)
})
afterAll(() => house.close())
beforeEach(async () => {
  account = await house.account()
})

/** Targets that have been due for so many minutes. */
async function due(count: number, minutes: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    insert into target (account_id, id, name, address, kind, schedule_period, next_scan_at, created_at, updated_at)
    select ${account}, new_id(), 'Web', '127.63.8.1', 'IPV4', 'PERIOD_DAILY', now() - make_interval(mins => ${minutes}), now(), now()
    from generate_series(1, ${count}::int)
    returning id`.execute(house.database.owner)
  return rows.map((row) => row.id)
}
async function scansOf(targets: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ scan: string }>`
    select type || ' ' || status as scan from scan where target_id = any(${targets}::uuid[])`.execute(
    house.database.owner,
  )
  return rows.map((row) => row.scan)
}

it('starts a scan of what is due, once', async () => {
  const targets = await due(2, 5)
  await startDue(scanning)
  await startDue(scanning)
  expect(await scansOf(targets)).toEqual(['TYPE_AUTOMATIC STATUS_CREATED', 'TYPE_AUTOMATIC STATUS_CREATED'])
})

it('leaves alone what is paused, deleted or without its agent', async () => {
  const [paused, deleted, orphan] = await due(3, 5)
  const { owner } = house.database
  await sql`update target set paused_at = now(), next_scan_at = null where id = ${paused}`.execute(owner)
  await sql`update target set deleted_at = now() where id = ${deleted}`.execute(owner)
  await sql`update target set former_agent = 'gone' where id = ${orphan}`.execute(owner)
  await startDue(scanning)
  expect(await scansOf([paused, deleted, orphan].flatMap((id) => id ?? []))).toEqual([])
})

it('gets to what is due behind any number of targets that are still being scanned', async () => {
  const busy = await due(250, 60)
  await sql`
    insert into scan (account_id, id, target_id, started_by, type, status, phase, created_at, updated_at)
    select ${account}, new_id(), id, 'test', 'TYPE_AUTOMATIC', 'STATUS_CREATED', 'PHASE_WAITING', now(), now()
    from unnest(${busy}::uuid[]) as id`.execute(house.database.owner)
  const last = await due(1, 5)
  await startDue(scanning)
  expect(await scansOf(last)).toEqual(['TYPE_AUTOMATIC STATUS_CREATED'])
  expect(await scansOf(busy)).toHaveLength(250)
})

it('fails with what was said last, also where that holds what no text may hold', async () => {
  const [target = ''] = await due(1, 5)
  await startDue(scanning)
  const { id } = await house.database.owner
    .selectFrom('scan')
    .select('id')
    .where('target_id', '=', target)
    .executeTakeFirstOrThrow()
  await house.as(account, (ctx) => fail(ctx, id, 'Not a greeting: \0\0'))
  const { scan } = await house.as(account, (ctx) => getScan(ctx, { id }))
  expect(scan).toMatchObject({
    status: 'STATUS_FAILED',
    progress: { failureReason: expect.stringMatching(/^Not a greeting: /) },
  })
})
