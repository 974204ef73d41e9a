/** The history of issues: what changed, per host and as a whole, with actor and reason. */
import type { Ctx } from '#ctx.ts'
import { isVerified, worstStatus } from '#issues/occurrence-sql.ts'
import { type Announcement, announceRows } from '#notifications/index.ts'
import { type RawBuilder, sql } from 'kysely'

/** Reason for a change, and the scan that caused it. */
export interface ChangeReason {
  readonly reason: string
  readonly scanId: string | null
}

/**
 * Records status and verification of these issues on each host whose last history entry differs.
 *
 * @param hostIds the only hosts that can have changed; null for all
 */
export async function recordHostHistory(
  ctx: Ctx,
  ids: readonly string[],
  why: ChangeReason,
  hostIds: readonly string[] | null,
): Promise<void> {
  const onHosts = hostIds ? sql`and occurrence.host_id = any(${hostIds}::uuid[])` : sql``
  await sql`
    insert into issue_event (account_id, id, issue_id, host_id, target_id, status, verification, at, actor, reason, scan_id)
    select ${ctx.workspace}, new_id(), current_status.issue_id, current_status.host_id, current_status.target_id, current_status.status,
           case when current_status.proven then 'VERIFICATION_VERIFIED' else 'VERIFICATION_UNVERIFIED' end,
           ${ctx.now}, ${ctx.actor.name}, ${why.reason}, ${why.scanId}
    from (
      select occurrence.issue_id, occurrence.host_id, min(occurrence.target_id::text)::uuid as target_id, ${worstStatus} as status,
             bool_or(${isVerified}) as proven
      from occurrence
      where occurrence.account_id = ${ctx.workspace} and occurrence.issue_id = any(${ids}::uuid[]) ${onHosts}
      group by occurrence.issue_id, occurrence.host_id
    ) as current_status
    left join lateral (
      select status, verification = 'VERIFICATION_VERIFIED' as proven from issue_event as event
      where event.account_id = ${ctx.workspace} and event.issue_id = current_status.issue_id and event.host_id = current_status.host_id
      order by at desc, id desc
      limit 1
    ) as last on true
    where (last.status, last.proven) is distinct from (current_status.status, current_status.proven)`.execute(ctx.tx)
}

/**
 * Records the same for issues as a whole and announces the changes. The rollups per target have to
 * be up to date, because the affected targets are read from them.
 */
export async function recordIssueHistory(ctx: Ctx, ids: readonly string[], why: ChangeReason): Promise<void> {
  await sql`
    with turned as (
      select issue.id, issue.status, issue.verification, issue.score, issue.threat_id, last.status as before
      from issue
      left join lateral (
        select status, verification from issue_event as event
        where event.account_id = ${ctx.workspace} and event.issue_id = issue.id and event.host_id is null
        order by at desc, id desc
        limit 1
      ) as last on true
      where issue.account_id = ${ctx.workspace} and issue.id = any(${ids}::uuid[])
        and (last.status, last.verification) is distinct from (issue.status, issue.verification)
    ), noted as (
      insert into issue_event (account_id, id, issue_id, status, verification, at, actor, reason, scan_id)
      select ${ctx.workspace}, new_id(), id, status, verification, ${ctx.now}, ${ctx.actor.name}, ${why.reason}, ${why.scanId}
      from turned
    ), ${announceRows(ctx, announcements(ctx, kind))}`.execute(ctx.tx)
}

/** Announces a change that leaves the status, so that open pages show it. */
export async function announceChanges(ctx: Ctx, ids: readonly string[]): Promise<void> {
  await sql`
    with turned as (
      select id, score, threat_id from issue
      where account_id = ${ctx.workspace} and id = any(${ids}::uuid[])
    ), ${announceRows(ctx, announcements(ctx, sql`'EVENT_ISSUE_CHANGED'`))}`.execute(ctx.tx)
}

/** An event for each row of `turned`. */
function announcements(ctx: Ctx, eventKind: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select ${eventKind} as kind, threat.name as title, turned.score, 'issue' as resource_kind, turned.id as resource_id,
           array(select target_id from issue_target
                 where issue_target.account_id = ${ctx.workspace} and issue_target.issue_id = turned.id) as target_ids
    from turned join threat on threat.id = turned.threat_id`
}

/** The event that a row of `turned` is announced as. */
const kind = sql<Announcement['kind']>`
  case when turned.before is null and turned.status = 'STATUS_OPEN' then 'EVENT_ISSUE_OPENED'
       when turned.before = turned.status then 'EVENT_ISSUE_CHANGED'
       when turned.status = 'STATUS_REGRESSION' then 'EVENT_ISSUE_REGRESSED'
       when turned.status = 'STATUS_RESOLVED' then 'EVENT_ISSUE_RESOLVED'
       when turned.status = 'STATUS_IGNORED' then 'EVENT_ISSUE_IGNORED'
       else 'EVENT_ISSUE_CHANGED'
  end`

/** Records, for each of these issues, a change that leaves the status, such as new ignore terms or an assignment. */
export async function recordNotes(
  ctx: Ctx,
  { ids, hostId }: { readonly ids: readonly string[]; readonly hostId: string | null },
  note: string,
): Promise<void> {
  if (ids.length === 0) return
  await sql`
    insert into issue_event (account_id, id, issue_id, host_id, target_id, status, verification, at, actor, reason, scan_id)
    select ${ctx.workspace}, new_id(), last.issue_id, last.host_id, last.target_id, last.status, last.verification,
           ${ctx.now}, ${ctx.actor.name}, ${note}, null
    from unnest(${ids}::uuid[]) as changed (id)
    cross join lateral (
      select * from issue_event as event
      where event.account_id = ${ctx.workspace} and event.issue_id = changed.id
        and event.host_id is not distinct from ${hostId}::uuid
      order by at desc, id desc
      limit 1
    ) as last`.execute(ctx.tx)
}
