/** Where issues stand within targets, and what targets have: kept, so that no list counts it. */
import type { Ctx } from '#ctx.ts'
import { bySeverity, type Change, onHosts, recountHosts, stepHosts, type Stood } from '#issues/host-counts.ts'
import { sql } from 'kysely'

/** How much of issues has changed; without anything, whatever there is of them. */
export interface Extent {
  /** Where a change can have happened; null for wherever the issues are. */
  readonly place?: Place | null
  /** Where all of them stood before; null where more has changed than the status of their occurrences. */
  readonly stood?: readonly Stood[] | null
}

/** Hosts on which something can have changed. */
export interface Place {
  readonly targetId: string
  readonly hostIds: readonly string[]
  /** The issues have only come to some of these hosts, and all else is as it was: what is kept is added to. */
  readonly isGrowth?: boolean
}

/**
 * Brings the standings of these issues in line with their occurrences. The issues must be locked by
 * the caller, so that two transactions cannot tell different things of the same issue.
 */
export async function refreshStandings(
  ctx: Ctx,
  ids: readonly string[],
  { place = null, stood = null }: Extent = {},
): Promise<void> {
  const ofHosts = stood ? stepHosts(ctx, ids, stood) : recountHosts(ctx, ids, place?.hostIds)
  const changes = await Promise.all([ofHosts, refreshTargets(ctx, ids, place)])
  await applyToTargets(ctx, changes.flat())
}

async function refreshTargets(ctx: Ctx, ids: readonly string[], place: Place | null): Promise<Change[]> {
  const issues = sql`account_id = ${ctx.account} and issue_id = any(${ids}::uuid[])`
  const here = place ? sql`and target_id = ${place.targetId}` : sql``
  const isGrowth = sql`${place?.isGrowth === true}::boolean`
  const looked = place?.isGrowth ? sql`${here} and host_id = any(${place.hostIds}::uuid[])` : here
  const { rows } = await sql<Change>`
    with before as materialized (
      select * from issue_target where ${issues} ${here}
    ), seen as (
      select issue_id, target_id, min(rank) as rank, min(rank) filter (where proven) as verified,
             min(rank) filter (where not proven) as potential
      from (${onHosts(sql`${issues} ${looked}`)}) as seen
      group by issue_id, target_id
    ), fresh as materialized (
      select seen.issue_id, seen.target_id, issue.category, status_of(least(rank, status_rank(stood.status))) as status,
             status_of(least(verified, status_rank(stood.verified_status))) as verified_status,
             status_of(least(potential, status_rank(stood.potential_status))) as potential_status
      from seen
      join issue on issue.account_id = ${ctx.account} and issue.id = seen.issue_id
      -- Where only what was added is looked at, what stood before still counts.
      left join before as stood on ${isGrowth} and stood.target_id = seen.target_id and stood.issue_id = seen.issue_id
    ), written as (
      insert into issue_target (account_id, target_id, issue_id, status, verified_status, potential_status, category)
      select ${ctx.account}, target_id, issue_id, status, verified_status, potential_status, category from fresh
      on conflict (account_id, target_id, issue_id) do update set
        status = excluded.status, verified_status = excluded.verified_status,
        potential_status = excluded.potential_status, category = excluded.category
      where (issue_target.status, issue_target.verified_status, issue_target.potential_status, issue_target.category)
        is distinct from (excluded.status, excluded.verified_status, excluded.potential_status, excluded.category)
    ), gone as (
      delete from issue_target using (
        select target_id, issue_id from before where not ${isGrowth}
        except
        select target_id, issue_id from fresh
      ) as lost
      where issue_target.account_id = ${ctx.account} and issue_target.target_id = lost.target_id
        and issue_target.issue_id = lost.issue_id
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
