/** Updates of a target by its scans. */
import type { Ctx } from '#ctx.ts'
import type { TargetTable } from '#database/tables.ts'
import { nextScanAt } from '#targets/schedule.ts'
import type { Selectable } from 'kysely'

/** Schedules the next scan one period after a requested scan. */
export async function scheduleNextScan(ctx: Ctx, target: Selectable<TargetTable>): Promise<void> {
  const schedule = { period: target.schedule_period, allowedHours: target.allowed_hours }
  await ctx.tx
    .updateTable('target')
    .set({ last_scan_at: ctx.now, next_scan_at: nextScanAt(schedule, target.id, ctx.now) })
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', target.id)
    .execute()
}

/** Records whether the target's name was resolved, and since when it was not. */
export async function recordResolution(ctx: Ctx, targetId: string, isResolved: boolean): Promise<void> {
  const update = ctx.tx
    .updateTable('target')
    .set({ unresolved_since: isResolved ? null : ctx.now })
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', targetId)
  await (isResolved ? update : update.where('unresolved_since', 'is', null)).execute()
}
