/** Automatic status changes: expired ignore terms and deleted targets. */
import type { Ctx } from '#ctx.ts'
import { lockIssuesOf } from '#issues/lock.ts'
import { rollUp } from '#issues/rollup.ts'
import { sql } from 'kysely'

/** Reopens ignored occurrences whose ignore period has ended and returns the number of issues. */
export async function reopenExpired(ctx: Ctx): Promise<number> {
  await lockIssuesOf(ctx, sql`ignore_until <= ${ctx.now}`)
  const due = await ctx.tx
    .updateTable('occurrence')
    .set({
      status: 'STATUS_OPEN',
      decided_by: 'scan',
      ignored_at: null,
      ignore_until: null,
      ignore_reason: '',
      ignore_comment: '',
      ignored_by: '',
    })
    .where('account_id', '=', ctx.workspace)
    .where('ignore_until', '<=', ctx.now)
    .where('status', '=', 'STATUS_IGNORED')
    .returning('issue_id')
    .execute()
  const ids = [...new Set(due.map((row) => row.issue_id))]
  await rollUp(ctx, ids, { reason: 'The ignore period expired', scanId: null })
  return ids.length
}

/** Resolves the issues of targets that are being deleted, with the reason in the history. */
export async function resolveIssuesOfTargets(ctx: Ctx, targetIds: readonly string[]): Promise<void> {
  if (targetIds.length === 0) return
  await lockIssuesOf(ctx, sql`target_id = any(${targetIds}::uuid[])`)
  const rows = await ctx.tx
    .updateTable('occurrence')
    .set({ status: 'STATUS_RESOLVED', resolved_at: ctx.now, decided_by: 'scan', ignore_until: null })
    .where('account_id', '=', ctx.workspace)
    .where('target_id', 'in', targetIds)
    .where('status', '!=', 'STATUS_RESOLVED')
    .returning('issue_id')
    .execute()
  await rollUp(
    ctx,
    rows.map((row) => row.issue_id),
    { reason: 'Target deleted', scanId: null },
  )
}

/** Recalculates the priority of issues on these hosts after their criticality changed. */
export async function refreshPriorities(ctx: Ctx, hostIds: readonly string[]): Promise<void> {
  await lockIssuesOf(ctx, sql`host_id = any(${hostIds}::uuid[])`)
  const rows = await ctx.tx
    .selectFrom('occurrence')
    .select('issue_id')
    .distinct()
    .where('account_id', '=', ctx.workspace)
    .where('host_id', 'in', hostIds)
    .execute()
  await rollUp(
    ctx,
    rows.map((row) => row.issue_id),
    { reason: '', scanId: null },
  )
}
