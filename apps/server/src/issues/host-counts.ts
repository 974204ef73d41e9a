/** What hosts have, kept so that no list counts it: active issues by severity, and how many are proven or inferred. */
import type { IssueStatus } from '@glacis/contract/issue'
import type { Ctx } from '#ctx.ts'
import { type RawBuilder, sql } from 'kysely'

/** What a target has more, or less, than before. */
export interface Change {
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
export const onHosts = (condition: RawBuilder<unknown>) => sql`
  select occurrence.issue_id, occurrence.target_id, occurrence.host_id, min(status_rank(occurrence.status)) as rank,
         bool_or(${isProof}) as proven
  from occurrence
  where ${condition}
  group by occurrence.issue_id, occurrence.target_id, occurrence.host_id`

/** The same of all issues on some hosts, or of some issues on all hosts. */
function oneByOne(ctx: Ctx, column: 'host_id' | 'issue_id', ids: readonly string[]): RawBuilder<unknown> {
  return sql`
    select one.* from unnest(${ids}::uuid[]) as at (id)
    cross join lateral (
      ${onHosts(sql`occurrence.account_id = ${ctx.account} and ${sql.ref(`occurrence.${column}`)} = at.id`)}
      -- One at a time, also where the plan is one for all values.
      offset 0
    ) as one`
}

export const bySeverity = (count: (category: RawBuilder<string>) => RawBuilder<unknown>) => sql`
  ${count(sql.lit('CATEGORY_CRITICAL'))} as critical, ${count(sql.lit('CATEGORY_HIGH'))} as high,
  ${count(sql.lit('CATEGORY_MEDIUM'))} as medium, ${count(sql.lit('CATEGORY_LOW'))} as low`

const columns = ['critical', 'high', 'medium', 'low', 'verified', 'potential'] as const
const all = (table: string) => sql.join(columns.map((column) => sql.ref(`${table}.${column}`)))

/** Hosts are shared by issues that other transactions may hold: each is locked first and read afterwards. */
export async function recountHosts(
  ctx: Ctx,
  ids: readonly string[],
  only: readonly string[] | undefined,
): Promise<Change[]> {
  const here = only ? sql`and occurrence.host_id = any(${only}::uuid[])` : sql``
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
    -- Named, so that the plan begins with them whoever has how many hosts.
    where account_id = ${ctx.account} and host_id = any(array(
      select host_id from occurrence
      where account_id = ${ctx.account} and issue_id = any(${ids}::uuid[]) ${here}))
    order by host_id
    for update`.execute(ctx.tx)
  const [{ rows: locked }] = await Promise.all([lock, made])
  if (locked.length === 0) return []
  const hosts = locked.map((row) => row.host_id)
  const { rows } = await sql<Change>`
    with seen as materialized (
      ${oneByOne(ctx, 'host_id', hosts)}
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
             (count(*) filter (where rank <= 2 and proven))::int as verified,
             (count(*) filter (where rank <= 2 and not proven))::int as potential
      from seen
      join rated on rated.id = seen.issue_id
      group by seen.host_id
    ), before as (
      select * from host_count where account_id = ${ctx.account} and host_id = any(${hosts}::uuid[])
    ), written as (
      ${writing(ctx)}
    )
    ${changesOf()}`.execute(ctx.tx)
  return rows
}

/** Where an issue stood on a host. */
export interface Stood {
  readonly issue_id: string
  readonly host_id: string
  /** 1 regression, 2 open, 3 ignored, 4 resolved. */
  readonly rank: number
}

/** Where these issues stand on their hosts now, for `stepHosts` after they have been moved. */
export async function stoodOn(ctx: Ctx, ids: readonly string[]): Promise<readonly Stood[]> {
  const { rows } = await sql<Stood>`
    select issue_id, host_id, min(status_rank(status)) as rank
    from occurrence
    where account_id = ${ctx.account} and issue_id = any(${ids}::uuid[])
    group by issue_id, host_id`.execute(ctx.tx)
  return rows
}

/**
 * Adds to what is counted of hosts that these issues became active there, and takes off where they no longer are.
 * Nothing else on the hosts is looked at: of an issue on fifty hosts that have ten others each, those five hundred are
 * not read. The issues must be locked, and nothing but the status of their places may have changed since `stood`.
 */
export async function stepHosts(ctx: Ctx, ids: readonly string[], stood: readonly Stood[]): Promise<Change[]> {
  const hosts = [...new Set(stood.map((one) => one.host_id))]
  const locked = lockCounts(ctx, hosts)
  const changes = sql<Change>`
    with stood as materialized (
      select * from unnest(
        ${stood.map((one) => one.issue_id)}::uuid[], ${stood.map((one) => one.host_id)}::uuid[], ${stood.map((one) => one.rank)}::int[]
      ) as stood (issue_id, host_id, rank)
    ), stands as materialized (
      ${oneByOne(ctx, 'issue_id', ids)}
    ), turned as (
      select stands.host_id, issue.category, stands.proven, (stands.rank <= 2)::int - (stood.rank <= 2)::int as step
      from stands
      join stood using (issue_id, host_id)
      join issue on issue.account_id = ${ctx.account} and issue.id = stands.issue_id and issue.id = any(${ids}::uuid[])
      where (stands.rank <= 2) <> (stood.rank <= 2)
    ), steps as materialized (
      select host_id, ${bySeverity((category) => sql`coalesce(sum(step) filter (where category = ${category}), 0)::int`)},
             coalesce(sum(step) filter (where proven), 0)::int as verified,
             coalesce(sum(step) filter (where not proven), 0)::int as potential
      from turned
      group by host_id
    ), before as (
      select * from host_count where account_id = ${ctx.account} and host_id in (select host_id from steps)
    ), fresh as materialized (
      select host_id, ${sql.join(columns.map((column) => sql`${sql.ref(`before.${column}`)} + ${sql.ref(`steps.${column}`)} as ${sql.ref(column)}`))}
      from before
      join steps using (host_id)
    ), written as (
      ${writing(ctx)}
    )
    ${changesOf()}`.execute(ctx.tx)
  // In the order in which they are asked: each is locked first and read afterwards.
  const [, { rows }] = await Promise.all([locked, changes])
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

/** What the hosts of a CTE `fresh` have now. */
function writing(ctx: Ctx): RawBuilder<unknown> {
  return sql`
    update host_count set ${sql.join(columns.map((column) => sql`${sql.ref(column)} = ${sql.ref(`fresh.${column}`)}`))}
    from fresh
    where host_count.account_id = ${ctx.account} and host_count.host_id = fresh.host_id
      and (${all('host_count')}) is distinct from (${all('fresh')})`
}

/** What that changes for their targets, from what the same hosts had in a CTE `before`. */
function changesOf(): RawBuilder<unknown> {
  return sql`
    select before.target_id, 0 as critical, 0 as high, 0 as medium, 0 as low,
           sum((fresh.verified + fresh.potential > 0)::int - (before.verified + before.potential > 0)::int)::int as hosts,
           sum((fresh.verified > 0)::int - (before.verified > 0)::int)::int as verified,
           sum((fresh.potential > 0)::int - (before.potential > 0)::int)::int as potential
    from before
    join fresh using (host_id)
    group by before.target_id`
}
