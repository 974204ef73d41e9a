/** The history of issues: what became of them, on a host or on the whole, by whom and why. */
import type { Ctx } from '#ctx.ts'
import { isProof, worstStatus } from '#issues/host-counts.ts'
import type { Place } from '#issues/standings.ts'
import { type Announcement, announcing } from '#notifications/index.ts'
import { sql } from 'kysely'

/** Why something changed, and the scan that saw it. */
export interface Why {
  readonly reason: string
  readonly scanId: string | null
}

/**
 * Writes where each host of these issues stands, and whether that is proven, for those of which their history says
 * something else.
 *
 * @param place where alone that can be
 */
export async function noteHosts(ctx: Ctx, ids: readonly string[], why: Why, place: Place | null): Promise<void> {
  const here = place ? sql`and occurrence.host_id = any(${place.hostIds}::uuid[])` : sql``
  await sql`
    insert into issue_event (account_id, id, issue_id, host_id, target_id, status, verification, at, actor, reason, scan_id)
    select ${ctx.account}, new_id(), standing.issue_id, standing.host_id, standing.target_id, standing.status,
           case when standing.proven then 'VERIFICATION_VERIFIED' else 'VERIFICATION_UNVERIFIED' end,
           ${ctx.now}, ${ctx.actor.name}, ${why.reason}, ${why.scanId}
    from (
      select occurrence.issue_id, occurrence.host_id, min(occurrence.target_id::text)::uuid as target_id, ${worstStatus} as status,
             bool_or(${isProof}) as proven
      from occurrence
      where occurrence.account_id = ${ctx.account} and occurrence.issue_id = any(${ids}::uuid[]) ${here}
      group by occurrence.issue_id, occurrence.host_id
    ) as standing
    left join lateral (
      select status, verification = 'VERIFICATION_VERIFIED' as proven from issue_event as event
      where event.account_id = ${ctx.account} and event.issue_id = standing.issue_id and event.host_id = standing.host_id
      order by at desc, id desc
      limit 1
    ) as last on true
    where (last.status, last.proven) is distinct from (standing.status, standing.proven)`.execute(ctx.tx)
}

/**
 * Writes the same of the issues as a whole, and announces what became of them. Where they stand within targets must
 * have been written before: whom it concerns is read from there.
 */
export async function noteIssues(ctx: Ctx, ids: readonly string[], why: Why): Promise<void> {
  await sql`
    with turned as (
      select issue.id, issue.status, issue.verification, issue.score, issue.threat_id, last.status as before
      from issue
      left join lateral (
        select status, verification from issue_event as event
        where event.account_id = ${ctx.account} and event.issue_id = issue.id and event.host_id is null
        order by at desc, id desc
        limit 1
      ) as last on true
      where issue.account_id = ${ctx.account} and issue.id = any(${ids}::uuid[])
        and (last.status, last.verification) is distinct from (issue.status, issue.verification)
    ), noted as (
      insert into issue_event (account_id, id, issue_id, status, verification, at, actor, reason, scan_id)
      select ${ctx.account}, new_id(), id, status, verification, ${ctx.now}, ${ctx.actor.name}, ${why.reason}, ${why.scanId}
      from turned
    ), ${announcing(
      ctx,
      sql`
        select ${kind} as kind, threat.name as title, turned.score, 'issue' as resource_kind, turned.id as resource_id,
               array(select target_id from issue_target
                     where issue_target.account_id = ${ctx.account} and issue_target.issue_id = turned.id) as target_ids
        from turned join threat on threat.id = turned.threat_id`,
    )}`.execute(ctx.tx)
}

/** What a row `turned` is announced as. */
const kind = sql<Announcement['kind']>`
  case when turned.before is null and turned.status = 'STATUS_OPEN' then 'EVENT_ISSUE_OPENED'
       when turned.before = turned.status then 'EVENT_ISSUE_CHANGED'
       when turned.status = 'STATUS_REGRESSION' then 'EVENT_ISSUE_REGRESSED'
       when turned.status = 'STATUS_RESOLVED' then 'EVENT_ISSUE_RESOLVED'
       when turned.status = 'STATUS_IGNORED' then 'EVENT_ISSUE_IGNORED'
       else 'EVENT_ISSUE_CHANGED'
  end`

/** Writes to the history that a person changed the terms on which something is ignored; its status is as before. */
export async function noteTerms(
  ctx: Ctx,
  { id, hostId }: { readonly id: string; readonly hostId: string | null },
  reason: string,
): Promise<void> {
  await sql`
    insert into issue_event (account_id, id, issue_id, host_id, target_id, status, verification, at, actor, reason, scan_id)
    select ${ctx.account}, new_id(), last.issue_id, last.host_id, last.target_id, last.status, last.verification,
           ${ctx.now}, ${ctx.actor.name}, ${reason}, null
    from issue_event as last
    where account_id = ${ctx.account} and issue_id = ${id} and host_id is not distinct from ${hostId}::uuid
    order by at desc, id desc
    limit 1`.execute(ctx.tx)
}
