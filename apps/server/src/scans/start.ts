import type { Scan, ScanType } from '@glacis/contract/scan'
import { getAgent } from '#agents/index.ts'
import { recordAuditEvent } from '#audit.ts'
import { consumeScanQuota } from '#billing/index.ts'
import type { Ctx } from '#ctx.ts'
import { newId } from '#database/index.ts'
import type { TargetTable } from '#database/tables.ts'
import { notFound, ApiError, skip, type SkippedItem } from '#errors.ts'
import type { Jobs } from '#jobs.ts'
import { countIssues } from '#scans/counts.ts'
import { waitColumns } from '#scans/hours.ts'
import { announceScan, logScanEvent } from '#scans/lifecycle.ts'
import { getScan } from '#scans/list.ts'
import { scheduleNextScan } from '#targets/index.ts'
import type { Selectable } from 'kysely'

/**
 * Starts a scan. The row and its first job are created in one transaction. Outside the target's
 * allowed hours the scan waits, and its job is created when they start.
 *
 * @param ignoresHours whether a user confirmed that the scan may run at any time
 * @throws ApiError `not_found` for an unknown target; `precondition` for a paused target or one
 * whose agent was deleted; `conflict` while a scan of it is active, with that scan's ID in the
 * metadata; `quota_exceeded` if this month's manual scans are used up
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
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', targetId)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
  if (!target) throw notFound('target', targetId)
  requireScannable(target)
  const agent = target.agent_id ? (await getAgent(ctx, { id: target.agent_id })).agent : null
  const wait = ignoresHours ? { resume_at: null, reason: '' } : waitColumns(target.allowed_hours, ctx.now)
  if (type === 'TYPE_MANUAL') await consumeScanQuota(ctx)
  const id = newId()
  const created = await ctx.tx
    .insertInto('scan')
    .values({
      account_id: ctx.workspace,
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
  await scheduleNextScan(ctx, target)
  await logScanEvent(ctx, id, 'LEVEL_INFO', `Created by ${ctx.actor.name} for ${target.address}`)
  await announceScan(ctx, id, 'EVENT_SCAN_STARTED')
  if (wait.resume_at)
    await logScanEvent(ctx, id, 'LEVEL_INFO', `${wait.reason}; starts at ${wait.resume_at.toISOString()}`)
  else
    await jobs.enqueueFairly(ctx.tx, 'scan-plan', ctx.workspace, [
      { data: { account: ctx.workspace, scanId: id }, cost: 1 },
    ])
  if (ctx.actor.kind === 'person')
    await recordAuditEvent(ctx, 'scan.start', { kind: 'scan', id }, { targetId, ...(ignoresHours && { ignoresHours }) })
  return getScan(ctx, { id })
}

/**
 * @throws ApiError `precondition` for a paused target, and for one whose agent was deleted: from
 * the server, the same address may be a different host
 */
export function requireScannable(target: Pick<Selectable<TargetTable>, 'former_agent' | 'paused_at'>): void {
  if (target.former_agent !== null) {
    throw new ApiError(
      'precondition',
      `Agent ${target.former_agent} of this target was deleted. Choose where to scan it from`,
    )
  }
  if (target.paused_at) throw new ApiError('precondition', 'This target is paused. Resume it before scanning')
}

/** Starts a scan of each target. Targets that can't be scanned are skipped with the reason. */
export async function startScans(
  ctx: Ctx,
  jobs: Jobs,
  targetIds: readonly string[],
): Promise<{ startedCount: number; skipped: SkippedItem[] }> {
  const skipped: SkippedItem[] = []
  const requestedIds = new Set(targetIds)
  for (const id of requestedIds) {
    try {
      await startScan(ctx, jobs, id)
    } catch (error) {
      // The error is thrown before any write, so this transaction can continue with the other
      // targets.
      if (!(error instanceof ApiError)) throw error
      skipped.push(skip(id, error))
    }
  }
  return { startedCount: requestedIds.size - skipped.length, skipped }
}

/** The error with the ID of the scan that is already active. */
export async function alreadyActive(ctx: Ctx, targetId: string): Promise<ApiError> {
  const active = await ctx.tx
    .selectFrom('scan')
    .select('id')
    .where('account_id', '=', ctx.workspace)
    .where('target_id', '=', targetId)
    .where('status', 'in', ['STATUS_CREATED', 'STATUS_RUNNING'])
    .executeTakeFirst()
  return new ApiError('conflict', 'A scan of this target is already active. Wait for it or cancel it', {
    metadata: { scanId: active?.id ?? '' },
  })
}

/**
 * Cancels an active scan. Its workers notice within a second and stop; results so far are kept.
 * Canceling twice is not an error.
 *
 * @throws ApiError `not_found`; `precondition` if the scan has completed or failed
 */
export async function cancelScan(ctx: Ctx, { id }: { id: string }): Promise<{ scan: Scan }> {
  const before = await ctx.tx
    .selectFrom('scan')
    .select('status')
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!before) throw notFound('scan', id)
  if (before.status === 'STATUS_COMPLETED' || before.status === 'STATUS_FAILED') {
    throw new ApiError('precondition', 'This scan has already ended')
  }
  if (before.status !== 'STATUS_CANCELLED') await cancel(ctx, [id], `Canceled by ${ctx.actor.name}`)
  return getScan(ctx, { id })
}

/** Cancels the active scans of targets that must not be scanned anymore, with the reason. */
export async function cancelOfTargets(ctx: Ctx, targetIds: readonly string[], reason: string): Promise<void> {
  if (targetIds.length === 0) return
  const active = await ctx.tx
    .selectFrom('scan')
    .select('id')
    .where('account_id', '=', ctx.workspace)
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
      .where('account_id', '=', ctx.workspace)
      .where('id', '=', id)
      .execute()
    await countIssues(ctx, id)
    await logScanEvent(ctx, id, 'LEVEL_WARN', reason)
    await announceScan(ctx, id, 'EVENT_SCAN_CANCELLED')
    await recordAuditEvent(ctx, 'scan.cancel', { kind: 'scan', id })
  }
}
