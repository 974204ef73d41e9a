/** Scans that wait for the allowed hours of their target go on: when those begin, or when a person says so. */
import type { Scan } from '@glacis/contract/scan'
import { record } from '#audit.ts'
import { type Ctx, systemActor } from '#ctx.ts'
import { inAccount } from '#database/index.ts'
import { onEach } from '#each.ts'
import type { ScanTable } from '#database/tables.ts'
import { Refusal } from '#errors.ts'
import type { Jobs } from '#jobs.ts'
import { waitFor } from '#scans/hours.ts'
import { advance, announceScan, lockActive, say } from '#scans/lifecycle.ts'
import { getScan } from '#scans/list.ts'
import type { Scanning } from '#scans/run.ts'
import type { Selectable } from 'kysely'

/** Lets a locked scan begin or go on. */
async function goOn(ctx: Ctx, jobs: Jobs, scan: Selectable<ScanTable>, words: string): Promise<void> {
  await ctx.tx
    .updateTable('scan')
    .set({ resume_at: null, reason: '', last_activity_at: ctx.now, updated_at: ctx.now })
    .where('account_id', '=', ctx.account)
    .where('id', '=', scan.id)
    .execute()
  await say(ctx, scan.id, 'LEVEL_INFO', words)
  await announceScan(ctx, scan.id, 'EVENT_SCAN_CHANGED')
  if (await isPlanned(ctx, scan.id)) await advance(ctx, jobs, scan.id)
  else await jobs.enqueue(ctx.tx, 'scan-plan', { account: ctx.account, scanId: scan.id })
}

/** A scan of an agent has its batches before anybody has taken one. */
async function isPlanned(ctx: Ctx, scanId: string): Promise<boolean> {
  const batch = await ctx.tx
    .selectFrom('scan_batch')
    .select('number')
    .where('account_id', '=', ctx.account)
    .where('scan_id', '=', scanId)
    .limit(1)
    .executeTakeFirst()
  return batch !== undefined
}

/**
 * Lets a scan that waits for its hours go on at once, and outside of them until it ends.
 *
 * @throws Refusal `not_found`; `precondition` when it has ended, or does not wait
 */
export async function resumeScan(ctx: Ctx, jobs: Jobs, { id }: { id: string }): Promise<{ scan: Scan }> {
  const scan = await lockActive(ctx, id)
  if (!scan) {
    await getScan(ctx, { id })
    throw new Refusal('precondition', 'This scan has ended already')
  }
  if (!scan.resume_at) throw new Refusal('precondition', 'This scan does not wait for its allowed hours')
  await ctx.tx
    .updateTable('scan')
    .set({ ignores_hours: true })
    .where('account_id', '=', ctx.account)
    .where('id', '=', id)
    .execute()
  await goOn(ctx, jobs, scan, `${ctx.actor.name} let it go on outside the allowed hours`)
  await record(ctx, 'scan.resume', { kind: 'scan', id })
  return getScan(ctx, { id })
}

/** The allowed hours of a target have changed: its scan that waits for them goes on, or waits for the new ones. */
export async function reconsiderHours(ctx: Ctx, jobs: Jobs, targetId: string): Promise<void> {
  const waiting = await ctx.tx
    .selectFrom('scan')
    .innerJoin('target', (join) =>
      join.onRef('target.account_id', '=', 'scan.account_id').onRef('target.id', '=', 'scan.target_id'),
    )
    .selectAll('scan')
    .select('target.allowed_hours')
    .where('scan.account_id', '=', ctx.account)
    .where('scan.target_id', '=', targetId)
    .where('scan.status', 'in', ['STATUS_CREATED', 'STATUS_RUNNING'])
    .where('scan.resume_at', 'is not', null)
    .forUpdate('scan')
    .executeTakeFirst()
  if (!waiting) return
  const { allowed_hours, ...scan } = waiting
  const wait = waitFor(allowed_hours, ctx.now)
  if (!wait.resume_at) return goOn(ctx, jobs, scan, 'The allowed hours have changed')
  await ctx.tx
    .updateTable('scan')
    .set({ ...wait, updated_at: ctx.now })
    .where('account_id', '=', ctx.account)
    .where('id', '=', scan.id)
    .execute()
}

/** Lets every scan go on whose hours have begun, over all accounts. */
export async function resumeDue(scanning: Scanning): Promise<void> {
  const due = await scanning.database.owner
    .selectFrom('scan')
    .select(['account_id', 'id'])
    .where('resume_at', '<=', new Date())
    .where('status', 'in', ['STATUS_CREATED', 'STATUS_RUNNING'])
    .execute()
  await onEach(due, ({ account_id, id }) =>
    inAccount(scanning.database, { account: account_id, actor: systemActor, log: scanning.log }, async (ctx) => {
      const scan = await lockActive(ctx, id)
      if (scan?.resume_at && scan.resume_at <= ctx.now)
        await goOn(ctx, scanning.jobs, scan, 'The allowed hours have begun')
    }),
  )
}
