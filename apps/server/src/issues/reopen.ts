/** What becomes of issues without a person's word: an ignoring that ends, a target that is deleted. */
import type { Ctx } from '#ctx.ts'
import { rollUp } from '#issues/roll-up.ts'
import { sql } from 'kysely'

/** Reopens what was ignored until a time that has come, host by host, and answers on how many issues. */
export async function reopenDue(ctx: Ctx): Promise<number> {
  // The rows of issues are locked before their occurrences, as everywhere.
  await sql`
    select from issue
    where account_id = ${ctx.account} and id in (
      select issue_id from occurrence
      where account_id = ${ctx.account} and ignore_until <= ${ctx.now})
    order by id
    for update`.execute(ctx.tx)
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
    .where('account_id', '=', ctx.account)
    .where('ignore_until', '<=', ctx.now)
    .where('status', '=', 'STATUS_IGNORED')
    .returning('issue_id')
    .execute()
  const ids = [...new Set(due.map((row) => row.issue_id))]
  await rollUp(ctx, ids, { reason: 'The time for which it was ignored has ended', scanId: null })
  return ids.length
}

/** Resolves what stands on the hosts of targets that are being deleted; the history says why. */
export async function closeOfTargets(ctx: Ctx, targetIds: readonly string[]): Promise<void> {
  if (targetIds.length === 0) return
  // Locked before the occurrences, as everywhere: whoever decides about one of them now is seen, or sees the deletion.
  await sql`
    select from issue
    where account_id = ${ctx.account} and id in (
      select issue_id from occurrence
      where account_id = ${ctx.account} and target_id = any(${targetIds}::uuid[]))
    order by id
    for update`.execute(ctx.tx)
  const rows = await ctx.tx
    .updateTable('occurrence')
    .set({ status: 'STATUS_RESOLVED', resolved_at: ctx.now, decided_by: 'scan', ignore_until: null })
    .where('account_id', '=', ctx.account)
    .where('target_id', 'in', targetIds)
    .where('status', '!=', 'STATUS_RESOLVED')
    .returning('issue_id')
    .execute()
  await rollUp(
    ctx,
    rows.map((row) => row.issue_id),
    { reason: 'Scope deleted', scanId: null },
  )
}

/** Computes the priority of what stands on these hosts again, after somebody said how much they matter. */
export async function weighAgain(ctx: Ctx, hostIds: readonly string[]): Promise<void> {
  const rows = await ctx.tx
    .selectFrom('occurrence')
    .select('issue_id')
    .distinct()
    .where('account_id', '=', ctx.account)
    .where('host_id', 'in', hostIds)
    .execute()
  await rollUp(
    ctx,
    rows.map((row) => row.issue_id),
    { reason: '', scanId: null },
  )
}
