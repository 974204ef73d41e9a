/** Rollups by host and target, so that lists and charts don't count occurrences. */
import type { Ctx } from '#ctx.ts'
import { issuesByHost } from '#issues/occurrence-sql.ts'
import { type RawBuilder, sql } from 'kysely'

/** The part of some issues that changed. */
export interface ChangedPart {
  /** The only hosts on which occurrences changed; null for all. */
  readonly hostIds?: readonly string[] | null
  /** Occurrences were only added on these hosts, so no status can have improved. */
  readonly isAdditive?: boolean
}

/**
 * Updates `host_count`, `issue_target`, and `target_count` from the occurrences of these issues. The caller has locked
 * the issues. The rows of their targets are locked here until the end of the transaction, so that no other
 * transaction counts the same hosts or targets in the meantime.
 */
export async function refreshCounts(
  ctx: Ctx,
  issueIds: readonly string[],
  changedPart: ChangedPart = {},
): Promise<void> {
  const targetIds = await lockTargets(ctx, changed(ctx, issueIds, changedPart))
  if (targetIds.length === 0) return
  await refreshHosts(ctx, changed(ctx, issueIds, changedPart))
  await refreshIssuesOfTargets(ctx, { issueIds, targetIds, changedPart })
  await refreshTargets(ctx, targetIds)
}

/** A condition for the occurrences that can have changed. */
function changed(ctx: Ctx, issueIds: readonly string[], { hostIds }: ChangedPart): RawBuilder<unknown> {
  const onHosts = hostIds ? sql`and occurrence.host_id = any(${hostIds}::uuid[])` : sql``
  return sql`occurrence.account_id = ${ctx.workspace} and occurrence.issue_id = any(${issueIds}::uuid[]) ${onHosts}`
}

/** Locks targets in the order of their IDs to prevent deadlocks. */
async function lockTargets(ctx: Ctx, occurrences: RawBuilder<unknown>): Promise<string[]> {
  const { rows: targets } = await sql<{ target_id: string }>`
    select distinct target_id from occurrence where ${occurrences}`.execute(ctx.tx)
  const ids = targets.map((row) => row.target_id).toSorted()
  await sql`
    insert into target_count (account_id, target_id)
    select ${ctx.workspace}, unnest(${ids}::uuid[])
    on conflict do nothing`.execute(ctx.tx)
  await sql`
    select from target_count
    where account_id = ${ctx.workspace} and target_id = any(${ids}::uuid[])
    order by target_id
    for update`.execute(ctx.tx)
  return ids
}

const severityCounts = sql`
  count(*) filter (where category = 'CATEGORY_CRITICAL') as critical, count(*) filter (where category = 'CATEGORY_HIGH') as high,
  count(*) filter (where category = 'CATEGORY_MEDIUM') as medium, count(*) filter (where category = 'CATEGORY_LOW') as low`

/** Recounts the hosts of these occurrences. */
async function refreshHosts(ctx: Ctx, occurrences: RawBuilder<unknown>): Promise<void> {
  await sql`
    insert into host_count (account_id, host_id, target_id, critical, high, medium, low, verified, potential)
    select ${ctx.workspace}, touched.host_id, touched.target_id, counted.*
    from (select distinct host_id, target_id from occurrence where ${occurrences}) as touched
    cross join lateral (
      select ${severityCounts}, count(*) filter (where is_verified) as verified, count(*) filter (where not is_verified) as potential
      from (
        ${issuesByHost(sql`occurrence.account_id = ${ctx.workspace} and occurrence.host_id = touched.host_id`)}
      ) as here
      join issue on issue.account_id = ${ctx.workspace} and issue.id = here.issue_id
      where here.rank <= 2
    ) as counted
    on conflict (account_id, host_id) do update set
      critical = excluded.critical, high = excluded.high, medium = excluded.medium, low = excluded.low,
      verified = excluded.verified, potential = excluded.potential
    where (host_count.critical, host_count.high, host_count.medium, host_count.low, host_count.verified, host_count.potential)
      is distinct from (excluded.critical, excluded.high, excluded.medium, excluded.low, excluded.verified, excluded.potential)`.execute(
    ctx.tx,
  )
}

async function refreshIssuesOfTargets(
  ctx: Ctx,
  {
    issueIds,
    targetIds,
    changedPart,
  }: { readonly issueIds: readonly string[]; readonly targetIds: readonly string[]; readonly changedPart: ChangedPart },
): Promise<void> {
  const occurrences = changedPart.isAdditive
    ? changed(ctx, issueIds, changedPart)
    : sql`${changed(ctx, issueIds, {})} and occurrence.target_id = any(${targetIds}::uuid[])`
  const next = (column: string) =>
    changedPart.isAdditive
      ? sql`status_of(least(status_rank(${sql.ref(`issue_target.${column}`)}), status_rank(${sql.ref(`excluded.${column}`)})))`
      : sql.ref(`excluded.${column}`)
  await sql`
    insert into issue_target (account_id, target_id, issue_id, status, verified_status, potential_status, category)
    select ${ctx.workspace}, target_id, issue_id, status_of(min(rank)), status_of(min(rank) filter (where is_verified)),
           status_of(min(rank) filter (where not is_verified)), issue.category
    from (${issuesByHost(occurrences)}) as here
    join issue on issue.account_id = ${ctx.workspace} and issue.id = here.issue_id
    group by target_id, issue_id, issue.category
    on conflict (account_id, target_id, issue_id) do update set
      status = ${next('status')}, verified_status = ${next('verified_status')},
      potential_status = ${next('potential_status')}, category = excluded.category
    where (issue_target.status, issue_target.verified_status, issue_target.potential_status, issue_target.category)
      is distinct from (${next('status')}, ${next('verified_status')}, ${next('potential_status')}, excluded.category)`.execute(
    ctx.tx,
  )
}

/** Recounts these targets, after their issues and hosts. */
async function refreshTargets(ctx: Ctx, targetIds: readonly string[]): Promise<void> {
  await sql`
    update target_count set
      critical = issues.critical, high = issues.high, medium = issues.medium, low = issues.low,
      hosts = affected.hosts, hosts_verified = affected.verified, hosts_potential = affected.potential
    from unnest(${targetIds}::uuid[]) as touched (target_id)
    cross join lateral (
      select ${severityCounts} from issue_target
      where account_id = ${ctx.workspace} and issue_target.target_id = touched.target_id
        and status in ('STATUS_OPEN', 'STATUS_REGRESSION')
    ) as issues
    cross join lateral (
      select count(*) as hosts, count(*) filter (where verified > 0) as verified, count(*) filter (where potential > 0) as potential
      from host_count
      where account_id = ${ctx.workspace} and host_count.target_id = touched.target_id and verified + potential > 0
    ) as affected
    where target_count.account_id = ${ctx.workspace} and target_count.target_id = touched.target_id`.execute(ctx.tx)
}
