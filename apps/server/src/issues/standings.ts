/** Where issues stand within targets, and what hosts and targets have: kept, so that no list counts it. */
import type { IssueStatus } from '@glacis/contract/issue'
import type { Ctx } from '#ctx.ts'
import { type RawBuilder, sql } from 'kysely'

/** Where a change can have happened; without it, wherever the issues are. */
export interface Place {
  readonly targetId: string
  readonly hostIds: readonly string[]
  /** The issues have only come to some of these hosts, and all else is as it was: what is kept is added to. */
  readonly isGrowth?: boolean
}

interface Change {
  readonly target_id: string
  readonly critical: number
  readonly high: number
  readonly medium: number
  readonly low: number
  readonly hosts: number
  readonly verified: number
  readonly potential: number
}

/** Below this quality of detection nothing counts as proven (see ARCHITECTURE.md). */
const verifiedQualityMin = 95

/** Whether a row `occurrence` is proof, and not inference. */
export const isProof = sql<boolean>`(occurrence.method <> 'version' and occurrence.quality >= ${sql.lit(verifiedQualityMin)})`

/** Where a group of occurrences stands: as the worst of them. */
export const worstStatus = sql<IssueStatus>`status_of(min(status_rank(occurrence.status)))`

/** What each issue is on each host: the worst of its places there, and whether one of them is proven. */
const onHosts = (condition: RawBuilder<unknown>) => sql`
  select occurrence.issue_id, occurrence.target_id, occurrence.host_id, min(status_rank(occurrence.status)) as rank,
         bool_or(${isProof}) as proven
  from occurrence
  where ${condition}
  group by occurrence.issue_id, occurrence.target_id, occurrence.host_id`

const bySeverity = (count: (category: RawBuilder<string>) => RawBuilder<unknown>) => sql`
  ${count(sql.lit('CATEGORY_CRITICAL'))} as critical, ${count(sql.lit('CATEGORY_HIGH'))} as high,
  ${count(sql.lit('CATEGORY_MEDIUM'))} as medium, ${count(sql.lit('CATEGORY_LOW'))} as low`

/**
 * Brings the standings of these issues in line with their occurrences. The issues must be locked by
 * the caller, so that two transactions cannot tell different things of the same issue.
 */
export async function refreshStandings(ctx: Ctx, ids: readonly string[], place: Place | null): Promise<void> {
  const changes = await Promise.all([refreshHosts(ctx, ids, place), refreshTargets(ctx, ids, place)])
  await applyToTargets(ctx, changes.flat())
}

/** Hosts are shared by issues that other transactions may hold: each is locked first and read afterwards. */
async function refreshHosts(ctx: Ctx, ids: readonly string[], place: Place | null): Promise<Change[]> {
  const here = place ? sql`and occurrence.host_id = any(${place.hostIds}::uuid[])` : sql``
  const made = sql`
    insert into host_count (account_id, host_id, target_id)
    select distinct ${ctx.account}::uuid, host_id, target_id
    from occurrence
    where account_id = ${ctx.account} and issue_id = any(${ids}::uuid[]) ${here}
    order by host_id
    on conflict do nothing`.execute(ctx.tx)
  const lock = sql<{ host_id: string }>`
    select host_count.host_id
    from host_count
    where account_id = ${ctx.account} and host_id in (
      select host_id from occurrence
      where account_id = ${ctx.account} and issue_id = any(${ids}::uuid[]) ${here})
    order by host_id
    for update`.execute(ctx.tx)
  const [{ rows: locked }] = await Promise.all([lock, made])
  if (locked.length === 0) return []
  const hosts = locked.map((row) => row.host_id)
  const { rows } = await sql<Change>`
    with seen as materialized (
      select one.* from unnest(${hosts}::uuid[]) as at (id)
      cross join lateral (
        ${onHosts(sql`occurrence.account_id = ${ctx.account} and occurrence.host_id = at.id`)}
        -- One at a time, also where the plan is one for all values.
        offset 0
      ) as one
    ), rated as materialized (
      -- One at a time: a join would read every issue of the account for the few that are on these hosts.
      select issue.* from (select distinct issue_id from seen) as here
      cross join lateral (
        select id, category from issue where account_id = ${ctx.account} and id = here.issue_id
        offset 0
      ) as issue
    ), fresh as (
      select seen.host_id,
             ${bySeverity((category) => sql`count(*) filter (where rank <= 2 and category = ${category})::int`)},
             bool_or(rank <= 2 and proven) as has_verified, bool_or(rank <= 2 and not proven) as has_potential
      from seen
      join rated on rated.id = seen.issue_id
      group by seen.host_id
    ), before as (
      select * from host_count where account_id = ${ctx.account} and host_id = any(${hosts}::uuid[])
    ), written as (
      update host_count set
        critical = fresh.critical, high = fresh.high, medium = fresh.medium, low = fresh.low,
        has_verified = fresh.has_verified, has_potential = fresh.has_potential
      from fresh
      where host_count.account_id = ${ctx.account} and host_count.host_id = fresh.host_id
        and (host_count.critical, host_count.high, host_count.medium, host_count.low, host_count.has_verified, host_count.has_potential)
          is distinct from (fresh.critical, fresh.high, fresh.medium, fresh.low, fresh.has_verified, fresh.has_potential)
    )
    select before.target_id, 0 as critical, 0 as high, 0 as medium, 0 as low,
           sum((fresh.has_verified or fresh.has_potential)::int - (before.has_verified or before.has_potential)::int)::int as hosts,
           sum(fresh.has_verified::int - before.has_verified::int)::int as verified,
           sum(fresh.has_potential::int - before.has_potential::int)::int as potential
    from before
    join fresh using (host_id)
    group by before.target_id`.execute(ctx.tx)
  return rows
}

/** Locks what is counted of these hosts, in the order of all who change it. */
export async function lockCounts(ctx: Ctx, hostIds: readonly string[]): Promise<void> {
  await sql`
    select from host_count
    where account_id = ${ctx.account} and host_id = any(${hostIds}::uuid[])
    order by host_id
    for update`.execute(ctx.tx)
}

async function refreshTargets(ctx: Ctx, ids: readonly string[], place: Place | null): Promise<Change[]> {
  const issues = sql`account_id = ${ctx.account} and issue_id = any(${ids}::uuid[])`
  const here = place ? sql`and target_id = ${place.targetId}` : sql``
  const isGrowth = sql`${place?.isGrowth === true}::boolean`
  const looked = place?.isGrowth ? sql`${here} and host_id = any(${place.hostIds}::uuid[])` : here
  const { rows } = await sql<Change>`
    with before as (
      select * from issue_target where ${issues} ${here}
    ), fresh as (
      select seen.issue_id, seen.target_id, status_of(least(min(rank), min(status_rank(stood.status)))) as status,
             status_of(least(min(rank) filter (where proven), min(status_rank(stood.verified_status)))) as verified_status,
             status_of(least(min(rank) filter (where not proven), min(status_rank(stood.potential_status)))) as potential_status,
             issue.category
      from (${onHosts(sql`${issues} ${looked}`)}) as seen
      join issue on issue.account_id = ${ctx.account} and issue.id = seen.issue_id
      -- Where only what was added is looked at, what stood before still counts.
      left join issue_target as stood
        on ${isGrowth} and stood.account_id = ${ctx.account} and stood.target_id = seen.target_id and stood.issue_id = seen.issue_id
      group by seen.issue_id, seen.target_id, issue.category
    ), written as (
      insert into issue_target (account_id, target_id, issue_id, status, verified_status, potential_status, category)
      select ${ctx.account}, target_id, issue_id, status, verified_status, potential_status, category from fresh
      on conflict (account_id, target_id, issue_id) do update set
        status = excluded.status, verified_status = excluded.verified_status,
        potential_status = excluded.potential_status, category = excluded.category
      where (issue_target.status, issue_target.verified_status, issue_target.potential_status, issue_target.category)
        is distinct from (excluded.status, excluded.verified_status, excluded.potential_status, excluded.category)
    ), gone as (
      delete from issue_target using before
      where not ${isGrowth} and issue_target.account_id = before.account_id and issue_target.target_id = before.target_id
        and issue_target.issue_id = before.issue_id
        and not exists (select from fresh where fresh.target_id = before.target_id and fresh.issue_id = before.issue_id)
    ), steps as (
      select target_id, category, 1 as step from fresh where status_rank(status) <= 2
      union all
      select target_id, category, -1 from before where status_rank(status) <= 2
    )
    select target_id, ${bySeverity((category) => sql`coalesce(sum(step) filter (where category = ${category}), 0)::int`)},
           0 as hosts, 0 as verified, 0 as potential
    from steps
    group by target_id`.execute(ctx.tx)
  return rows
}

/** In the order of the targets, so that two transactions cannot wait for each other here. */
async function applyToTargets(ctx: Ctx, changes: readonly Change[]): Promise<void> {
  const real = changes.filter((one) => counted.some((column) => one[column] !== 0))
  if (real.length === 0) return
  const targets = [...new Set(real.map((one) => one.target_id))].toSorted()
  const made = sql`
    insert into target_count (account_id, target_id)
    select ${ctx.account}, unnest(${targets}::uuid[])
    on conflict do nothing`
  const lock = sql`
    select from target_count
    where account_id = ${ctx.account} and target_id = any(${targets}::uuid[])
    order by target_id
    for update`
  const written = sql`
    update target_count set
      critical = target_count.critical + step.critical, high = target_count.high + step.high,
      medium = target_count.medium + step.medium, low = target_count.low + step.low,
      hosts = target_count.hosts + step.hosts, hosts_verified = target_count.hosts_verified + step.verified,
      hosts_potential = target_count.hosts_potential + step.potential
    from (
      select target_id, ${sql.join(counted.map((column) => sql`sum(${sql.ref(column)})::int as ${sql.ref(column)}`))}
      from jsonb_to_recordset(${JSON.stringify(real)}::jsonb)
        as step (target_id uuid, ${sql.join(counted.map((column) => sql`${sql.ref(column)} int`))})
      group by target_id
    ) as step
    where target_count.account_id = ${ctx.account} and target_count.target_id = step.target_id`
  await Promise.all([made, lock, written].map(async (one) => one.execute(ctx.tx)))
}

const counted = ['critical', 'high', 'medium', 'low', 'hosts', 'verified', 'potential'] as const
