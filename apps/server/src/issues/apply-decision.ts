/** Applies decisions to occurrences. */
import type { Ctx } from '#ctx.ts'
import type { Decision } from '#issues/decision.ts'
import { type RawBuilder, sql } from 'kysely'

/** An issue with the decision made on it. */
export interface DecidedIssue {
  readonly id: string
  /** End of the ignore period; null for never and for other statuses. */
  readonly end: Date | null
}

/** Decisions as rows: issue_id, status, ignore_until, ignore_reason, ignore_comment, actor, at. */
export function decisionRows(
  ctx: Ctx,
  issues: readonly DecidedIssue[],
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
 * Writes decisions to occurrences and returns how many changed. The caller runs the rollup.
 * Occurrences in deleted targets can only be resolved, because no scan could resolve them later.
 *
 * @param decided rows as returned by `decisionRows`
 * @param where condition for the occurrences to change
 */
export async function applyToOccurrences(
  ctx: Ctx,
  decided: RawBuilder<unknown>,
  where: RawBuilder<unknown>,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update occurrence set
      status = decided.status, decided_by = 'person',
      resolved_at = case decided.status when 'STATUS_IGNORED' then occurrence.resolved_at when 'STATUS_RESOLVED' then decided.at end,
      ignored_at = case when decided.status = 'STATUS_IGNORED' then decided.at end,
      ignore_until = decided.ignore_until, ignore_reason = decided.ignore_reason, ignore_comment = decided.ignore_comment,
      ignored_by = case when decided.status = 'STATUS_IGNORED' then decided.actor else '' end
    from (${decided}) as decided
    where occurrence.account_id = ${ctx.workspace} and occurrence.issue_id = decided.issue_id and ${where}
      and (decided.status = 'STATUS_RESOLVED' or occurrence.target_id not in (
        select id from target where account_id = ${ctx.workspace} and deleted_at is not null))
      and (occurrence.status, occurrence.ignore_until, occurrence.ignore_reason, occurrence.ignore_comment) is distinct from
          (decided.status, decided.ignore_until, decided.ignore_reason, decided.ignore_comment)`.execute(ctx.tx)
  return Number(numAffectedRows)
}

/** The error when a user reopens or ignores an issue returned by `inDeletedTargetsOnly`. */
export const deletedTargetsMessage = 'All affected targets were deleted, so the status stays resolved'

/**
 * Those of these issues that have occurrences only in deleted targets: on these hosts, or anywhere.
 */
export async function inDeletedTargetsOnly(
  ctx: Ctx,
  ids: readonly string[],
  hostIds: readonly string[] | null = null,
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const onHosts = hostIds ? sql`and occurrence.host_id = any(${hostIds}::uuid[])` : sql``
  const { rows } = await sql<{ id: string }>`
    select at.id from unnest(${ids}::uuid[]) as at (id)
    where not exists (
      select from occurrence
      join target on target.account_id = occurrence.account_id and target.id = occurrence.target_id
      where occurrence.account_id = ${ctx.workspace} and occurrence.issue_id = at.id and target.deleted_at is null ${onHosts})`.execute(
    ctx.tx,
  )
  return new Set(rows.map((row) => row.id))
}
