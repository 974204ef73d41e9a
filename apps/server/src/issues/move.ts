/** What a decision makes of the places of an issue. */
import type { Ctx } from '#ctx.ts'
import { type RawBuilder, sql } from 'kysely'

/**
 * Writes decisions to occurrences and answers how many it changed. The roll-up is the caller's.
 *
 * @param decided rows of issue_id, status, ignore_until, ignore_reason, ignore_comment, actor, at
 * @param where which places of these issues
 */
export async function moveTo(ctx: Ctx, decided: RawBuilder<unknown>, where: RawBuilder<unknown>): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update occurrence set
      status = decided.status, decided_by = 'person',
      resolved_at = case decided.status when 'STATUS_IGNORED' then occurrence.resolved_at when 'STATUS_RESOLVED' then decided.at end,
      ignored_at = case when decided.status = 'STATUS_IGNORED' then decided.at end,
      ignore_until = decided.ignore_until, ignore_reason = decided.ignore_reason, ignore_comment = decided.ignore_comment,
      ignored_by = case when decided.status = 'STATUS_IGNORED' then decided.actor else '' end
    from (${decided}) as decided
    where occurrence.account_id = ${ctx.account} and occurrence.issue_id = decided.issue_id and ${where}
      and (occurrence.status, occurrence.ignore_until, occurrence.ignore_reason, occurrence.ignore_comment) is distinct from
          (decided.status, decided.ignore_until, decided.ignore_reason, decided.ignore_comment)`.execute(ctx.tx)
  return Number(numAffectedRows)
}
