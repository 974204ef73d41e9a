/** What changed on which day, read from the history of issues. */
import type { Ctx } from '#ctx.ts'
import { categoryOf, ratedOnly, ratedUntil } from '#stats/ratings.ts'
import { wholeAccount } from '#stats/slots.ts'
import { type RawBuilder, sql } from 'kysely'

export interface Window {
  /** The first moment of the first day and the first moment after the last one. */
  readonly from: Date
  readonly to: Date
  readonly zone: string
  /** The day before the first one. */
  readonly after: string
  readonly days: readonly string[]
}

/** So much more, or less, in a slot of a scope from the end of this day on. */
export interface Step {
  readonly scope: string
  readonly day: string
  /** 0 to 29; see slots.ts. */
  readonly slot: number
  readonly step: number
}

/** Issues as wholes: each stands, at the end of a day, where its last event until then put it. */
export async function wholeSteps(ctx: Ctx, { from, to, zone }: Window): Promise<Step[]> {
  const { rows } = await sql<Step>`
    with rated as materialized (
      ${ratedUntil(ctx, { from, to, zone })}
    ), told as (
      select distinct on (issue_id, day) issue_id, day, status_rank(status) as rank,
             case when verification = 'VERIFICATION_VERIFIED' then 1 else 2 end as block
      from (
        select *, (at at time zone ${zone})::date as day
        from issue_event
        where account_id = ${ctx.account} and host_id is null and at < ${to}
          and issue_id in (
            select issue_id from issue_event
            where account_id = ${ctx.account} and host_id is null and at >= ${from} and at < ${to}
            union
            select issue_id from rated where is_new)
      ) as event
      order by issue_id, day, at desc, id desc
    ), standing as (
      select * from told
      union all
      ${ratedOnly(sql`told.issue_id, rated.day, told.rank, told.block`, sql`true`)}
    ), graded as (
      select standing.*, ${categoryOf(ctx, zone)} as category
      from standing
      join issue on issue.account_id = ${ctx.account} and issue.id = standing.issue_id
    ), moved as (
      select graded.*, lag(category) over history as category_before,
             lag(rank) over history as rank_before, lag(block) over history as block_before
      from graded
      window history as (partition by issue_id order by day)
    )
    ${added(
      sql`${wholeAccount}::uuid`,
      sql`(values (0, rank, category, 1), (0, rank_before, category_before, -1),
                  (block, rank, category, 1), (block_before, rank_before, category_before, -1))`,
      from,
      zone,
    )}`.execute(ctx.tx)
  return rows
}

/**
 * The same seen through each of these targets, where an issue stands where the worst of its hosts
 * stands; and the hosts that have something active, in the target and in the account.
 */
export async function placeSteps(ctx: Ctx, window: Window, targets: readonly string[]): Promise<Step[]> {
  if (targets.length === 0) return []
  return [...(await issueSteps(ctx, window, targets)), ...(await hostSteps(ctx, window, targets))]
}

async function issueSteps(ctx: Ctx, { from, to, zone }: Window, targets: readonly string[]): Promise<Step[]> {
  const { rows } = await sql<Step>`
    with rated as materialized (
      ${ratedUntil(ctx, { from, to, zone })}
    ), touched as materialized (
      select target_id, issue_id from issue_event
      where account_id = ${ctx.account} and host_id is not null and target_id = any(${targets}::uuid[])
        and at >= ${from} and at < ${to}
      union
      select target_id, issue_id from issue_target
      where account_id = ${ctx.account} and target_id = any(${targets}::uuid[])
        and issue_id in (select issue_id from rated where is_new)
    ), event as (
      select event.target_id, event.issue_id, event.at, event.id, (at at time zone ${zone})::date as day,
             status_rank(event.status) as rank, verification = 'VERIFICATION_VERIFIED' as proven,
             lag(status_rank(event.status)) over host as rank_before,
             lag(verification = 'VERIFICATION_VERIFIED') over host as proven_before
      from issue_event as event
      join touched using (target_id, issue_id)
      where event.account_id = ${ctx.account} and event.host_id is not null and event.at < ${to}
      window host as (partition by event.issue_id, event.host_id order by event.at, event.id)
    ), counted as (
      select *, ${sql.join([1, 2, 3, 4].flatMap((rank) => [runningHosts(rank, 'true'), runningHosts(rank, 'false')]))}
      from event
      window issue as (partition by target_id, issue_id order by at, id)
    ), told as (
      select distinct on (target_id, issue_id, day) target_id, issue_id, day,
             ${worstOf('true')} as verified, ${worstOf('false')} as potential
      from counted
      order by target_id, issue_id, day, at desc, id desc
    ), standing as (
      select * from told
      union all
      ${ratedOnly(
        sql`told.target_id, told.issue_id, rated.day, told.verified, told.potential`,
        sql`later.target_id = told.target_id`,
      )}
    ), graded as (
      select standing.*, ${categoryOf(ctx, zone)} as category
      from standing
      join issue on issue.account_id = ${ctx.account} and issue.id = standing.issue_id
    ), moved as (
      select graded.*, least(verified, potential) as rank, lag(category) over history as category_before,
             lag(least(verified, potential)) over history as rank_before,
             lag(verified) over history as verified_before, lag(potential) over history as potential_before
      from graded
      window history as (partition by target_id, issue_id order by day)
    )
    ${added(
      sql`target_id`,
      sql`(values (0, rank, category, 1), (0, rank_before, category_before, -1),
                  (1, verified, category, 1), (1, verified_before, category_before, -1),
                  (2, potential, category, 1), (2, potential_before, category_before, -1))`,
      from,
      zone,
    )}`.execute(ctx.tx)
  return rows
}

/** How many hosts stand at a rank by now, proven or inferred. */
function runningHosts(rank: number, proven: 'true' | 'false'): RawBuilder<unknown> {
  const [is, isTrue] = [sql.lit(rank), sql.raw(proven)]
  return sql`
    sum((rank = ${is} and proven = ${isTrue})::int - coalesce(rank_before = ${is} and proven_before = ${isTrue}, false)::int)
      over issue as ${sql.ref(`at_${rank}_${proven}`)}`
}

function worstOf(proven: 'true' | 'false'): RawBuilder<unknown> {
  const cases = [1, 2, 3, 4].map((rank) => sql`when ${sql.ref(`at_${rank}_${proven}`)} > 0 then ${sql.lit(rank)}`)
  return sql`case ${sql.join(cases, sql` `)} end`
}

/** From where something stood before and after to steps by slot: once by status, and once by severity while it is active. */
function added(scope: RawBuilder<unknown>, sides: RawBuilder<unknown>, from: Date, zone: string): RawBuilder<unknown> {
  return sql`
    select ${scope} as scope, day::text as day, slot, sum(step)::int as step
    from moved
    cross join lateral ${sides} as side (part, standing, grade, step)
    cross join lateral (values
      (part * 10 + standing - 1),
      (case when standing <= 2 then part * 10 + case grade
        when 'CATEGORY_CRITICAL' then 4 when 'CATEGORY_HIGH' then 5 when 'CATEGORY_MEDIUM' then 6 when 'CATEGORY_LOW' then 7 else 8 end end)
    ) as place (slot)
    where slot is not null and day >= (${from}::timestamptz at time zone ${zone})::date
    group by 1, 2, 3
    having sum(step) <> 0`
}

async function hostSteps(ctx: Ctx, { from, to, zone }: Window, targets: readonly string[]): Promise<Step[]> {
  const { rows } = await sql<Step>`
    with touched as materialized (
      select distinct host_id from issue_event
      where account_id = ${ctx.account} and host_id is not null and target_id = any(${targets}::uuid[])
        and at >= ${from} and at < ${to}
    ), event as (
      select event.target_id, event.host_id, event.at, event.id, (at at time zone ${zone})::date as day,
             status_rank(event.status) <= 2 as active, verification = 'VERIFICATION_VERIFIED' as proven,
             lag(status_rank(event.status) <= 2) over issue as active_before,
             lag(verification = 'VERIFICATION_VERIFIED') over issue as proven_before
      from issue_event as event
      join touched using (host_id)
      where event.account_id = ${ctx.account} and event.host_id is not null and event.at < ${to}
      window issue as (partition by event.issue_id, event.host_id order by event.at, event.id)
    ), counted as (
      select *,
             sum((active and proven)::int - coalesce(active_before and proven_before, false)::int) over host > 0 as verified,
             sum((active and not proven)::int - coalesce(active_before and not proven_before, false)::int) over host > 0 as potential
      from event
      window host as (partition by host_id order by at, id)
    ), told as (
      select distinct on (host_id, day) target_id, host_id, day, verified, potential
      from counted
      order by host_id, day, at desc, id desc
    ), moved as (
      select told.*, coalesce(lag(verified) over history, false) as verified_before,
             coalesce(lag(potential) over history, false) as potential_before
      from told
      window history as (partition by host_id order by day)
    )
    select scope, day::text as day, slot, sum(step)::int as step
    from moved
    cross join lateral (values
      (9, (verified or potential)::int - (verified_before or potential_before)::int),
      (19, verified::int - verified_before::int),
      (29, potential::int - potential_before::int)
    ) as side (slot, step)
    cross join lateral (values (target_id), (${wholeAccount}::uuid)) as seen (scope)
    where day >= (${from}::timestamptz at time zone ${zone})::date
    group by 1, 2, 3
    having sum(step) <> 0`.execute(ctx.tx)
  return rows
}
