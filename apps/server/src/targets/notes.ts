/** What scans tell of their target. */
import type { Ctx } from '#ctx.ts'
import type { TargetTable } from '#database/tables.ts'
import { nextScanAt } from '#targets/schedule.ts'
import type { Selectable } from 'kysely'

/** A scan of the target has been asked for: the next one is due a period later. */
export async function noteScan(ctx: Ctx, target: Selectable<TargetTable>): Promise<void> {
  const schedule = { period: target.schedule_period, allowedHours: target.allowed_hours }
  await ctx.tx
    .updateTable('target')
    .set({ last_scan_at: ctx.now, next_scan_at: nextScanAt(schedule, target.id, ctx.now) })
    .where('account_id', '=', ctx.account)
    .where('id', '=', target.id)
    .execute()
}

/** Whether the name of a target was found in the DNS; the target keeps since when it is not. */
export async function noteResolution(ctx: Ctx, targetId: string, isResolved: boolean): Promise<void> {
  const update = ctx.tx
    .updateTable('target')
    .set({ unresolved_since: isResolved ? null : ctx.now })
    .where('account_id', '=', ctx.account)
    .where('id', '=', targetId)
  await (isResolved ? update : update.where('unresolved_since', 'is', null)).execute()
}
