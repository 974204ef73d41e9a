/** What a decision makes of the places of an issue. */
import type { Ctx } from '#ctx.ts'
import type { Decision } from '#issues/decision.ts'
import { type RawBuilder, sql } from 'kysely'

/** An issue that is decided about. */
export interface Decided {
  readonly id: string
  /** When its ignoring ends; null for never, and for other statuses. */
  readonly end: Date | null
}

/** A decision as a row for each issue: issue_id, status, ignore_until, ignore_reason, ignore_comment, actor, at. */
export function rowsOf(
  ctx: Ctx,
  issues: readonly Decided[],
  { status, reason, comment = '' }: Decision,
): RawBuilder<unknown> {
  const isIgnored = status === 'STATUS_IGNORED'
  return sql`
    select issue_id, ${status} as status, case when ${isIgnored} then until end as ignore_until,
           ${isIgnored ? (reason ?? '') : ''} as ignore_reason, ${isIgnored ? comment : ''} as ignore_comment,
           ${ctx.actor.name} as actor, ${ctx.now}::timestamptz as at
    from unnest(${issues.map((issue) => issue.id)}::uuid[], ${issues.map((issue) => issue.end)}::timestamptz[]) as decided (issue_id, until)`
}

/**
 * Writes decisions to occurrences and answers how many it changed. The roll-up is the caller's.
 *
 * @param decided rows as `rowsOf` makes them
 * @param where which places of these issues
 */
export async function move(ctx: Ctx, decided: RawBuilder<unknown>, where: RawBuilder<unknown>): Promise<number> {
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
