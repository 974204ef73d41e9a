/**
 * Resumes scans that wait for the allowed hours of their target, when those start or when a user
 * resumes the scan.
 */
import type { Scan } from '@glacis/contract/scan'
import { recordAuditEvent } from '#audit.ts'
import { type Ctx, systemActor } from '#ctx.ts'
import { inWorkspace } from '#database/index.ts'
import { forEachSettled } from '#for-each-settled.ts'
import type { ScanTable } from '#database/tables.ts'
import { ApiError } from '#errors.ts'
import type { Jobs } from '#jobs.ts'
import { waitColumns } from '#scans/hours.ts'
import { queueNextBatches, announceScan, lockActive, logScanEvent } from '#scans/lifecycle.ts'
import { getScan } from '#scans/list.ts'
import type { Scanning } from '#scans/run.ts'
import type { Selectable } from 'kysely'

/** Starts or resumes a locked scan. */
async function resume(ctx: Ctx, jobs: Jobs, scan: Selectable<ScanTable>, message: string): Promise<void> {
  await ctx.tx
    .updateTable('scan')
    .set({ resume_at: null, reason: '', last_activity_at: ctx.now, updated_at: ctx.now })
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', scan.id)
    .execute()
  await logScanEvent(ctx, scan.id, 'LEVEL_INFO', message)
  await announceScan(ctx, scan.id, 'EVENT_SCAN_CHANGED')
  if (await isPlanned(ctx, scan.id)) await queueNextBatches(ctx, jobs, scan.id)
  else
    await jobs.enqueueFairly(ctx.tx, 'scan-plan', ctx.workspace, [
      { data: { account: ctx.workspace, scanId: scan.id }, cost: 1 },
    ])
}

/** Scans of agents are split into batches before an agent leases one. */
async function isPlanned(ctx: Ctx, scanId: string): Promise<boolean> {
  const batch = await ctx.tx
    .selectFrom('scan_batch')
    .select('number')
    .where('account_id', '=', ctx.workspace)
    .where('scan_id', '=', scanId)
    .limit(1)
    .executeTakeFirst()
  return batch !== undefined
}

/**
 * Resumes a scan that waits for its allowed hours, and lets it ignore them until it ends.
 *
 * @throws ApiError `not_found`; `precondition` if the scan has ended or isn't waiting
 */
export async function resumeScan(ctx: Ctx, jobs: Jobs, { id }: { id: string }): Promise<{ scan: Scan }> {
  const scan = await lockActive(ctx, id)
  if (!scan) {
    await getScan(ctx, { id })
    throw new ApiError('precondition', 'This scan has already ended')
  }
  if (!scan.resume_at) throw new ApiError('precondition', 'This scan is not waiting for its allowed hours')
  await ctx.tx
    .updateTable('scan')
    .set({ ignores_hours: true })
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', id)
    .execute()
  await resume(ctx, jobs, scan, `Resumed outside the allowed hours by ${ctx.actor.name}`)
  await recordAuditEvent(ctx, 'scan.resume', { kind: 'scan', id })
  return getScan(ctx, { id })
}

/**
 * After a change of a target's allowed hours: resumes its waiting scan, or makes it wait for the
 * new hours.
 */
export async function applyChangedHours(ctx: Ctx, jobs: Jobs, targetId: string): Promise<void> {
  const waitingScans = await ctx.tx
    .selectFrom('scan')
    .innerJoin('target', (join) =>
      join.onRef('target.account_id', '=', 'scan.account_id').onRef('target.id', '=', 'scan.target_id'),
    )
    .selectAll('scan')
    .select('target.allowed_hours')
    .where('scan.account_id', '=', ctx.workspace)
    .where('scan.target_id', '=', targetId)
    .where('scan.status', 'in', ['STATUS_CREATED', 'STATUS_RUNNING'])
    .where('scan.resume_at', 'is not', null)
    .forUpdate('scan')
    .executeTakeFirst()
  if (!waitingScans) return
  const { allowed_hours, ...scan } = waitingScans
  const wait = waitColumns(allowed_hours, ctx.now)
  if (!wait.resume_at) return resume(ctx, jobs, scan, 'The allowed hours changed')
  await ctx.tx
    .updateTable('scan')
    .set({ ...wait, updated_at: ctx.now })
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', scan.id)
    .execute()
}

/** Resumes all scans whose allowed hours have started, in all workspaces. */
export async function resumeDue(scanning: Scanning): Promise<void> {
  const due = await scanning.database.owner
    .selectFrom('scan')
    .select(['account_id', 'id'])
    .where('resume_at', '<=', new Date())
    .where('status', 'in', ['STATUS_CREATED', 'STATUS_RUNNING'])
    .execute()
  await forEachSettled(due, ({ account_id, id }) =>
    inWorkspace(scanning.database, { workspace: account_id, actor: systemActor, log: scanning.log }, async (ctx) => {
      const scan = await lockActive(ctx, id)
      if (scan?.resume_at && scan.resume_at <= ctx.now)
        await resume(ctx, scanning.jobs, scan, 'The allowed hours started')
    }),
  )
}
