import type { Scan, ScanType } from '@glacis/contract/scan'
import { getAgent } from '#agents/index.ts'
import { record } from '#audit.ts'
import { spendScan } from '#billing/index.ts'
import type { Ctx } from '#ctx.ts'
import { newId } from '#database/index.ts'
import type { TargetTable } from '#database/tables.ts'
import { notFound, Refusal, skip, type SkippedItem } from '#errors.ts'
import type { Jobs } from '#jobs.ts'
import { countIssues } from '#scans/counts.ts'
import { waitFor } from '#scans/hours.ts'
import { announceScan, say } from '#scans/lifecycle.ts'
import { getScan } from '#scans/list.ts'
import { noteScan } from '#targets/index.ts'
import type { Selectable } from 'kysely'

/**
 * Starts a scan: the row and its first job exist together or not at all. Outside the allowed hours
 * of the target the scan waits for them, and its job comes when they begin.
 *
 * @param ignoresHours a person confirmed that it may run at any time
 * @throws Refusal `not_found` for an unknown target; `precondition` for a paused one and for one whose agent was deleted;
 *   `conflict` while a scan of it is active, with
 *   that scan's id in the metadata; `quota_exceeded` when the month's manual scans are used up
 */
export async function startScan(
  ctx: Ctx,
  jobs: Jobs,
  targetId: string,
  type: ScanType = 'TYPE_MANUAL',
  { ignoresHours = false }: { readonly ignoresHours?: boolean } = {},
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
  mustBeScannable(target)
  const agent = target.agent_id ? (await getAgent(ctx, { id: target.agent_id })).agent : null
  const wait = ignoresHours ? { resume_at: null, reason: '' } : waitFor(target.allowed_hours, ctx.now)
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
      agent_id: target.agent_id,
      ...(agent && { agent_name: agent.name }),
      ignores_hours: ignoresHours,
      ...wait,
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
  await noteScan(ctx, target)
  await say(ctx, id, 'LEVEL_INFO', `Created by ${ctx.actor.name} for ${target.address}`)
  await announceScan(ctx, id, 'EVENT_SCAN_STARTED')
  if (wait.resume_at) await say(ctx, id, 'LEVEL_INFO', `${wait.reason}; begins at ${wait.resume_at.toISOString()}`)
  else await jobs.enqueue(ctx.tx, 'scan-plan', { account: ctx.account, scanId: id })
  if (ctx.actor.kind === 'person')
    await record(ctx, 'scan.start', { kind: 'scan', id }, { targetId, ...(ignoresHours && { ignoresHours }) })
  return getScan(ctx, { id })
}

/**
 * @throws Refusal `precondition` for a paused target, and for one whose agent was deleted: from here the same address
 *   may be another machine
 */
export function mustBeScannable(target: Pick<Selectable<TargetTable>, 'former_agent' | 'paused_at'>): void {
  if (target.former_agent !== null) {
    throw new Refusal('precondition', `The agent ${target.former_agent} of this target was deleted; choose another way`)
  }
  if (target.paused_at) throw new Refusal('precondition', 'This target is paused; resume it before it is scanned')
}

/** Starts a scan of each target; what cannot be started is skipped, with why. */
export async function startScans(
  ctx: Ctx,
  jobs: Jobs,
  targetIds: readonly string[],
): Promise<{ startedCount: number; skipped: SkippedItem[] }> {
  const skipped: SkippedItem[] = []
  const wanted = new Set(targetIds)
  for (const id of wanted) {
    try {
      await startScan(ctx, jobs, id)
    } catch (error) {
      // A refusal comes before anything is written, so the others may go on in this transaction.
      if (!(error instanceof Refusal)) throw error
      skipped.push(skip(id, error))
    }
  }
  return { startedCount: wanted.size - skipped.length, skipped }
}

/** The refusal that names the scan that stands in the way. */
export async function alreadyActive(ctx: Ctx, targetId: string): Promise<Refusal> {
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

/** Ends the active scans of targets that nobody may scan any more, for a reason in words. */
export async function cancelOfTargets(ctx: Ctx, targetIds: readonly string[], reason: string): Promise<void> {
  if (targetIds.length === 0) return
  const active = await ctx.tx
    .selectFrom('scan')
    .select('id')
    .where('account_id', '=', ctx.account)
    .where('target_id', 'in', targetIds)
    .where('status', 'in', ['STATUS_CREATED', 'STATUS_RUNNING'])
    .orderBy('id')
    .forUpdate()
    .execute()
  await cancel(
    ctx,
    active.map((scan) => scan.id),
    reason,
  )
}

async function cancel(ctx: Ctx, ids: readonly string[], reason: string): Promise<void> {
  for (const id of ids) {
    await ctx.tx
      .updateTable('scan')
      .set({ status: 'STATUS_CANCELLED', reason, resume_at: null, completed_at: ctx.now, updated_at: ctx.now })
      .where('account_id', '=', ctx.account)
      .where('id', '=', id)
      .execute()
    await countIssues(ctx, id)
    await say(ctx, id, 'LEVEL_WARN', reason)
    await announceScan(ctx, id, 'EVENT_SCAN_CANCELLED')
    await record(ctx, 'scan.cancel', { kind: 'scan', id })
  }
}
