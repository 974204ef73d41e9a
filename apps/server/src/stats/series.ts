import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/insights'
import type { StatsPeriod } from '@glacis/contract/insights'
import type { Ctx } from '#ctx.ts'
import { intervals, pastPoints, type Point } from '#stats/calendar.ts'
import { currentCounts } from '#stats/counts.ts'
import { countsOfHost } from '#stats/host.ts'
import { blockOf, readSlot, type Slot, wholeWorkspace } from '#stats/slots.ts'
import { sql } from 'kysely'

type Filter = ParsedInputOf<typeof contract.issuesByStatus>['filter']

/** The counts of a scope at the end of each interval; the last one is now. */
interface Samples {
  readonly timestamps: string[]
  readonly counts: readonly (readonly number[] | null)[]
}

/** Active issues by severity at the end of each interval. */
export async function issuesBySeverity(
  ctx: Ctx,
  { period, filter }: ParsedInputOf<typeof contract.issuesBySeverity>,
): Promise<ResultOf<typeof contract.issuesBySeverity>> {
  const { timestamps, counts } = await readSamples(ctx, period, filter)
  return { timestamps, ...columns(counts, filter, ['critical', 'high', 'medium', 'low']) }
}

/** Issues by status at the end of each interval. */
export async function issuesByStatus(
  ctx: Ctx,
  { period, filter }: ParsedInputOf<typeof contract.issuesByStatus>,
): Promise<ResultOf<typeof contract.issuesByStatus>> {
  const { timestamps, counts } = await readSamples(ctx, period, filter)
  return { timestamps, ...columns(counts, filter, ['open', 'resolved', 'ignored', 'regressive']) }
}

/** Hosts with at least one active issue at the end of each interval. */
export async function affectedHosts(
  ctx: Ctx,
  { period, filter }: ParsedInputOf<typeof contract.affectedHostsOverTime>,
): Promise<ResultOf<typeof contract.affectedHostsOverTime>> {
  const { timestamps, counts } = await readSamples(ctx, period, filter)
  return { timestamps, values: columns(counts, filter, ['hosts']).hosts }
}

/** Scans completed in each interval, without retests of one issue. */
export async function scans(
  ctx: Ctx,
  { period, filter }: ParsedInputOf<typeof contract.scansOverTime>,
): Promise<ResultOf<typeof contract.scansOverTime>> {
  const points = await pastPoints(ctx, period)
  const at = [...points.map((point) => point.at), ctx.now]
  const ofTarget = filter?.affectedTargetId ? sql`and target_id = ${filter.affectedTargetId}` : sql``
  const { rows } = await sql<{ values: number }>`
    with point as (
      select at, number, coalesce(lag(at) over (order by number), at - make_interval(days => ${intervals[period].days})) as since
      from unnest(${at}::timestamptz[]) with ordinality as point (at, number)
    )
    select (
      select count(*)::int from scan
      where account_id = ${ctx.workspace} and status = 'STATUS_COMPLETED' and retest_of is null ${ofTarget}
        and completed_at > point.since and completed_at <= point.at) as values
    from point
    order by number`.execute(ctx.tx)
  return { timestamps: at.map((time) => time.toISOString()), values: rows.map((row) => row.values) }
}

async function readSamples(ctx: Ctx, period: StatsPeriod, filter: Filter): Promise<Samples> {
  const points = await pastPoints(ctx, period)
  const timestamps = [...points.map((point) => point.at), ctx.now].map((time) => time.toISOString())
  if (filter?.affectedHostId) {
    const counts = await countsOfHost(ctx, filter.affectedHostId, filter.affectedTargetId, [
      ...points.map((point) => point.at),
      ctx.now,
    ])
    return { timestamps, counts }
  }
  const scope = filter?.affectedTargetId ?? wholeWorkspace
  const [past, now] = await Promise.all([closedDays(ctx, points, scope), currentCounts(ctx, scope)])
  return { timestamps, counts: [...past, now] }
}

async function closedDays(ctx: Ctx, points: readonly Point[], scope: string): Promise<(readonly number[] | null)[]> {
  const { rows } = await sql<{ counts: number[] | null }>`
    select last.counts
    from unnest(${points.map((point) => point.day)}::date[]) as point (day)
    left join lateral (
      select counts from stats_day
      where account_id = ${ctx.workspace} and target_id = ${scope} and stats_day.day <= point.day
      order by stats_day.day desc
      limit 1
    ) as last on true
    order by point.day`.execute(ctx.tx)
  return rows.map((row) => row.counts)
}

function columns<Name extends Slot>(
  counts: Samples['counts'],
  filter: Filter,
  names: readonly Name[],
): Record<Name, number[]> {
  const block = blockOf(filter?.verification)
  const entries = names.map((name) => [name, counts.map((each) => readSlot(each, block, name))] as const)
  return Object.fromEntries(entries) as Record<Name, number[]> // one entry per name, just above
}
