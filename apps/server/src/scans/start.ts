import type { Scan, ScanType } from '@glacis/contract/scan'
import { record } from '#audit.ts'
import { spendScan } from '#billing/index.ts'
import type { Ctx } from '#ctx.ts'
import { newId } from '#database/index.ts'
import { notFound, Refusal } from '#errors.ts'
import type { Jobs } from '#jobs.ts'
import { say } from '#scans/lifecycle.ts'
import { getScan } from '#scans/list.ts'
import { nextScanAt } from '#targets/index.ts'

/**
 * Starts a scan: the row and its first job exist together or not at all.
 *
 * @throws Refusal `not_found` for an unknown target; `conflict` while a scan of it is active, with
 *   that scan's id in the metadata; `quota_exceeded` when the month's manual scans are used up
 */
export async function startScan(
  ctx: Ctx,
  jobs: Jobs,
  targetId: string,
  type: ScanType = 'TYPE_MANUAL',
): Promise<{ scan: Scan }> {
  const target = await ctx.tx
    .selectFrom('target')
    .selectAll()
    .where('account_id', '=', ctx.account)
    .where('id', '=', targetId)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
  if (!target) throw notFound('target', targetId)
  if (type === 'TYPE_MANUAL') await spendScan(ctx)
  const id = newId()
  const created = await ctx.tx
    .insertInto('scan')
    .values({
      account_id: ctx.account,
      id,
      target_id: targetId,
      type,
      status: 'STATUS_CREATED',
      phase: 'PHASE_WAITING',
      started_by: ctx.actor.name,
      created_at: ctx.now,
      started_at: null,
      completed_at: null,
      last_activity_at: ctx.now,
      updated_at: ctx.now,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'target_id'])
        .where('status', 'in', ['STATUS_CREATED', 'STATUS_RUNNING'])
        .doNothing(),
    )
    .returning('id')
    .executeTakeFirst()
  if (!created) throw await alreadyActive(ctx, targetId)
  await ctx.tx
    .updateTable('target')
    .set({ next_scan_at: nextScanAt(target.schedule_period, target.id, ctx.now) })
    .where('account_id', '=', ctx.account)
    .where('id', '=', targetId)
    .execute()
  await say(ctx, id, 'LEVEL_INFO', `Created by ${ctx.actor.name} for ${target.address}`)
  await jobs.enqueue(ctx.tx, 'scan-plan', { account: ctx.account, scanId: id })
  if (ctx.actor.kind === 'person') await record(ctx, 'scan.start', { kind: 'scan', id }, { targetId })
  return getScan(ctx, { id })
}

async function alreadyActive(ctx: Ctx, targetId: string): Promise<Refusal> {
  const active = await ctx.tx
    .selectFrom('scan')
    .select('id')
    .where('account_id', '=', ctx.account)
    .where('target_id', '=', targetId)
    .where('status', 'in', ['STATUS_CREATED', 'STATUS_RUNNING'])
    .executeTakeFirst()
  return new Refusal('conflict', 'A scan of this target is active; wait for it or cancel it', {
    metadata: { scanId: active?.id ?? '' },
  })
}

/**
 * Ends an active scan. Its workers see it within a second, stop, and decide nothing more; what it
 * has found until then stays. Cancelling twice is no error.
 *
 * @throws Refusal `not_found`; `precondition` when it has completed or failed
 */
export async function cancelScan(ctx: Ctx, { id }: { id: string }): Promise<{ scan: Scan }> {
  const before = await ctx.tx
    .selectFrom('scan')
    .select('status')
    .where('account_id', '=', ctx.account)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!before) throw notFound('scan', id)
  if (before.status === 'STATUS_COMPLETED' || before.status === 'STATUS_FAILED') {
    throw new Refusal('precondition', 'This scan has ended already')
  }
  if (before.status !== 'STATUS_CANCELLED') await cancel(ctx, [id], `Cancelled by ${ctx.actor.name}`)
  return getScan(ctx, { id })
}

/** Ends the active scan of a target that is being deleted. */
export async function cancelOfTarget(ctx: Ctx, targetId: string): Promise<void> {
  const active = await ctx.tx
    .selectFrom('scan')
    .select('id')
    .where('account_id', '=', ctx.account)
    .where('target_id', '=', targetId)
    .where('status', 'in', ['STATUS_CREATED', 'STATUS_RUNNING'])
    .forUpdate()
    .execute()
  await cancel(
    ctx,
    active.map((scan) => scan.id),
    'The target was deleted',
  )
}

async function cancel(ctx: Ctx, ids: readonly string[], reason: string): Promise<void> {
  for (const id of ids) {
    await ctx.tx
      .updateTable('scan')
      .set({ status: 'STATUS_CANCELLED', reason, completed_at: ctx.now, updated_at: ctx.now })
      .where('account_id', '=', ctx.account)
      .where('id', '=', id)
      .execute()
    await say(ctx, id, 'LEVEL_WARN', reason)
    await record(ctx, 'scan.cancel', { kind: 'scan', id })
  }
}
