import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/insights'
import type { Ctx } from '#ctx.ts'
import { intervals } from '#stats/calendar.ts'
import { currentCounts } from '#stats/counts.ts'
import { withMergedHosts, countsOfHost } from '#stats/host.ts'
import { blockOf, readSlot, wholeWorkspace } from '#stats/slots.ts'
import { type RawBuilder, sql } from 'kysely'

type Filter = ParsedInputOf<typeof contract.statsSummary>['filter']

interface Figures {
  readonly fresh: number
  readonly resolved: number
  readonly seconds: number | null
  readonly targets: number
  readonly hosts: number
  readonly last_scan: Date | null
}

/** The key figures of the overview. */
export async function summary(
  ctx: Ctx,
  { period, filter }: ParsedInputOf<typeof contract.statsSummary>,
): Promise<ResultOf<typeof contract.statsSummary>> {
  const { points, days } = intervals[period]
  const [figures, now = []] = await Promise.all([
    figuresOf(ctx, new Date(ctx.now.getTime() - points * days * 86_400_000), filter),
    currentCountsOf(ctx, filter),
  ])
  const block = blockOf(filter?.verification)
  return {
    open: readSlot(now, block, 'open'),
    regressive: readSlot(now, block, 'regressive'),
    newCount: figures.fresh,
    resolvedCount: figures.resolved,
    ...(figures.seconds !== null && { meanTimeToResolve: `${Math.round(Number(figures.seconds))}s` }),
    targetCount: figures.targets,
    hostCount: figures.hosts,
    ...(figures.last_scan && { lastScanTime: figures.last_scan.toISOString() }),
  }
}

async function currentCountsOf(ctx: Ctx, filter: Filter): Promise<readonly number[] | undefined> {
  if (!filter?.affectedHostId) return currentCounts(ctx, filter?.affectedTargetId ?? wholeWorkspace)
  const [now] = await countsOfHost(ctx, filter.affectedHostId, filter.affectedTargetId, [ctx.now])
  return now
}

async function figuresOf(ctx: Ctx, since: Date, filter: Filter): Promise<Figures> {
  const only = (column: string) =>
    filter?.affectedTargetId ? sql`and ${sql.ref(column)} = ${filter.affectedTargetId}` : sql``
  const { rows } = await sql<Figures>`
    select count(*) filter (where first_seen_at >= ${since})::int as fresh,
           count(*) filter (where status = 'STATUS_RESOLVED' and resolved_at >= ${since})::int as resolved,
           avg(extract(epoch from resolved_at - first_seen_at))
             filter (where status = 'STATUS_RESOLVED' and resolved_at >= ${since}) as seconds,
           (select count(*)::int from target where account_id = ${ctx.workspace} and deleted_at is null ${only('id')}) as targets,
           (select count(*)::int
            from host
            join target on target.account_id = host.account_id and target.id = host.target_id and target.deleted_at is null
            where host.account_id = ${ctx.workspace} and host.merged_into is null ${only('host.target_id')}) as hosts,
           (select max(completed_at) from scan where account_id = ${ctx.workspace} and status = 'STATUS_COMPLETED' and retest_of is null ${only('target_id')}) as last_scan
    from issue
    where account_id = ${ctx.workspace} and ${inScope(ctx, filter)}`.execute(ctx.tx)
  const [row] = rows
  if (!row) throw new Error('an aggregate returns one row')
  return row
}

function inScope(ctx: Ctx, filter: Filter): RawBuilder<unknown> {
  const parts = [sql`true`]
  if (filter?.verification === 'VERIFICATION_FILTER_VERIFIED') parts.push(sql`verification = 'VERIFICATION_VERIFIED'`)
  if (filter?.verification === 'VERIFICATION_FILTER_UNVERIFIED')
    parts.push(sql`verification = 'VERIFICATION_UNVERIFIED'`)
  if (filter?.affectedTargetId) {
    parts.push(sql`exists (
      select from issue_target
      where issue_target.account_id = ${ctx.workspace} and issue_target.target_id = ${filter.affectedTargetId} and issue_target.issue_id = issue.id)`)
  }
  if (filter?.affectedHostId) {
    parts.push(sql`exists (
      select from occurrence
      where occurrence.account_id = ${ctx.workspace} and occurrence.issue_id = issue.id and occurrence.host_id in ${withMergedHosts(ctx, filter.affectedHostId)})`)
  }
  return sql.join(parts, sql` and `)
}
