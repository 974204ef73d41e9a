/** Figures over time, drawn from the history of issues: what a day showed never changes afterwards. */
import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/insights'
import type { StatsPeriod } from '@glacis/contract/insights'
import type { Ctx } from '#ctx.ts'
import { type RawBuilder, sql } from 'kysely'

type Filter = ParsedInputOf<typeof contract.issuesByStatus>['filter']

/** How each period is cut: number of intervals and the length of one in days. */
const cuts: Readonly<Record<StatsPeriod, { readonly points: number; readonly days: number }>> = {
  PERIOD_WEEK: { points: 7, days: 1 },
  PERIOD_MONTH: { points: 30, days: 1 },
  PERIOD_QUARTER: { points: 13, days: 7 },
  PERIOD_YEAR: { points: 12, days: 30 },
}

/** The ends of the intervals, oldest first; the last one is now. */
function ends(ctx: Ctx, period: StatsPeriod): Date[] {
  const { points, days } = cuts[period]
  const dayMs = 86_400_000
  const today = Math.floor(ctx.now.getTime() / dayMs) * dayMs
  return Array.from({ length: points }, (_, index) =>
    index === points - 1 ? ctx.now : new Date(today - (points - 1 - index) * days * dayMs + dayMs - 1),
  )
}

/** Active issues by severity at the end of each interval. */
export async function issuesBySeverity(
  ctx: Ctx,
  { period, filter }: ParsedInputOf<typeof contract.issuesBySeverity>,
): Promise<ResultOf<typeof contract.issuesBySeverity>> {
  const at = ends(ctx, period)
  const { rows } = await sql<{ critical: number; high: number; medium: number; low: number }>`
    select count(*) filter (where category = 'CATEGORY_CRITICAL')::int as critical,
           count(*) filter (where category = 'CATEGORY_HIGH')::int as high,
           count(*) filter (where category = 'CATEGORY_MEDIUM')::int as medium,
           count(*) filter (where category = 'CATEGORY_LOW')::int as low
    from ${moments(at)}
    left join lateral (
      select issue.category
      from (${standing(ctx, filter)}) as standing
      join issue on issue.account_id = ${ctx.account} and issue.id = standing.issue_id
      where standing.status in ('STATUS_OPEN', 'STATUS_REGRESSION')
    ) as active on true
    group by moment.number
    order by moment.number`.execute(ctx.tx)
  return { timestamps: at.map(iso), ...columns(rows, ['critical', 'high', 'medium', 'low']) }
}

/** Issues by status at the end of each interval. */
export async function issuesByStatus(
  ctx: Ctx,
  { period, filter }: ParsedInputOf<typeof contract.issuesByStatus>,
): Promise<ResultOf<typeof contract.issuesByStatus>> {
  const at = ends(ctx, period)
  const { rows } = await sql<{ open: number; resolved: number; ignored: number; regressive: number }>`
    select count(*) filter (where status = 'STATUS_OPEN')::int as open,
           count(*) filter (where status = 'STATUS_RESOLVED')::int as resolved,
           count(*) filter (where status = 'STATUS_IGNORED')::int as ignored,
           count(*) filter (where status = 'STATUS_REGRESSION')::int as regressive
    from ${moments(at)}
    left join lateral (${standing(ctx, filter)}) as standing on true
    group by moment.number
    order by moment.number`.execute(ctx.tx)
  return { timestamps: at.map(iso), ...columns(rows, ['open', 'resolved', 'ignored', 'regressive']) }
}

/** Hosts with at least one active issue at the end of each interval. */
export async function affectedHosts(
  ctx: Ctx,
  { period }: ParsedInputOf<typeof contract.affectedHostsOverTime>,
): Promise<ResultOf<typeof contract.affectedHostsOverTime>> {
  const at = ends(ctx, period)
  const { rows } = await sql<{ values: number }>`
    select count(distinct host_id)::int as values
    from ${moments(at)}
    left join lateral (
      select host_id from (
        select distinct on (issue_id, host_id) host_id, status
        from issue_event
        where account_id = ${ctx.account} and host_id is not null and at <= moment.at
        order by issue_id, host_id, at desc, id desc
      ) as last
      where status in ('STATUS_OPEN', 'STATUS_REGRESSION')
    ) as active on true
    group by moment.number
    order by moment.number`.execute(ctx.tx)
  return { timestamps: at.map(iso), ...columns(rows, ['values']) }
}

/** Scans completed in each interval. */
export async function scans(
  ctx: Ctx,
  { period }: ParsedInputOf<typeof contract.scansOverTime>,
): Promise<ResultOf<typeof contract.scansOverTime>> {
  const at = ends(ctx, period)
  const { rows } = await sql<{ values: number }>`
    select count(scan.id)::int as values
    from (select *, coalesce(lag(at) over (order by number), at - make_interval(days => ${cuts[period].days})) as since from ${moments(at)}) as span
    left join scan
      on scan.account_id = ${ctx.account} and scan.status = 'STATUS_COMPLETED'
      and scan.completed_at > span.since and scan.completed_at <= span.at
    group by span.number
    order by span.number`.execute(ctx.tx)
  return { timestamps: at.map(iso), ...columns(rows, ['values']) }
}

/** The figures at the head of the overview. */
export async function summary(
  ctx: Ctx,
  { period, filter }: ParsedInputOf<typeof contract.statsSummary>,
): Promise<ResultOf<typeof contract.statsSummary>> {
  const since = ends(ctx, period)[0] ?? ctx.now
  const { rows } = await sql<{
    open: number
    regressive: number
    fresh: number
    resolved: number
    seconds: number | null
    targets: number
    hosts: number
    last_scan: Date | null
  }>`
    select count(*) filter (where standing.status = 'STATUS_OPEN')::int as open,
           count(*) filter (where standing.status = 'STATUS_REGRESSION')::int as regressive,
           count(*) filter (where issue.first_seen_at >= ${since})::int as fresh,
           count(*) filter (where standing.status = 'STATUS_RESOLVED' and issue.resolved_at >= ${since})::int as resolved,
           avg(extract(epoch from issue.resolved_at - issue.first_seen_at))
             filter (where standing.status = 'STATUS_RESOLVED' and issue.resolved_at >= ${since}) as seconds,
           (select count(*)::int from target where account_id = ${ctx.account} and deleted_at is null) as targets,
           (select count(*)::int from host join target on target.account_id = host.account_id and target.id = host.target_id
            where host.account_id = ${ctx.account} and target.deleted_at is null) as hosts,
           (select max(completed_at) from scan where account_id = ${ctx.account} and status = 'STATUS_COMPLETED') as last_scan
    from (select now() as at) as moment
    left join lateral (${standing(ctx, filter)}) as standing on true
    left join issue on issue.account_id = ${ctx.account} and issue.id = standing.issue_id`.execute(ctx.tx)
  const [row] = rows
  if (!row) throw new Error('an aggregate gives one row')
  return {
    open: row.open,
    regressive: row.regressive,
    newCount: row.fresh,
    resolvedCount: row.resolved,
    ...(row.seconds !== null && { meanTimeToResolve: `${Math.round(Number(row.seconds))}s` }),
    targetCount: row.targets,
    hostCount: row.hosts,
    ...(row.last_scan && { lastScanTime: row.last_scan.toISOString() }),
  }
}

const iso = (at: Date) => at.toISOString()

function moments(at: readonly Date[]): RawBuilder<unknown> {
  return sql`unnest(${at}::timestamptz[]) with ordinality as moment (at, number)`
}

/**
 * Where each issue stood at `moment.at`: what its last event until then says. Seen through a
 * target or a host, an issue stands where the worst of the hosts in sight stood.
 */
function standing(ctx: Ctx, filter: Filter): RawBuilder<unknown> {
  const isNarrow = filter?.affectedTargetId ?? filter?.affectedHostId
  const word = filter?.verification
  const wanted =
    word === 'VERIFICATION_FILTER_VERIFIED' || word === 'VERIFICATION_FILTER_UNVERIFIED'
      ? sql`verification = ${word.replace('FILTER_', '')}`
      : sql`true`
  if (!isNarrow) {
    return sql`
      select issue_id, status from (
        select distinct on (issue_id) issue_id, status, verification
        from issue_event
        where account_id = ${ctx.account} and host_id is null and at <= moment.at
        order by issue_id, at desc, id desc
      ) as last
      where ${wanted}`
  }
  const place = filter?.affectedHostId
    ? sql`host_id = ${filter.affectedHostId}::uuid`
    : sql`target_id = ${filter?.affectedTargetId}::uuid`
  const rank = sql`array_position('{STATUS_REGRESSION,STATUS_OPEN,STATUS_IGNORED,STATUS_RESOLVED}'::text[], status)`
  return sql`
    select distinct on (issue_id) issue_id, status from (
      select distinct on (issue_id, host_id) issue_id, status, verification
      from issue_event
      where account_id = ${ctx.account} and ${place} and at <= moment.at
      order by issue_id, host_id, at desc, id desc
    ) as last
    where ${wanted}
    order by issue_id, ${rank}`
}

function columns<Name extends string>(
  rows: readonly Record<Name, number>[],
  names: readonly Name[],
): Record<Name, number[]> {
  const entries = names.map((name) => [name, rows.map((row) => row[name])] as const)
  return Object.fromEntries(entries) as Record<Name, number[]> // one entry per name, just above
}
