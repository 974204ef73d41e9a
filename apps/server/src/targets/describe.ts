import type { SeverityCount } from '@glacis/contract/primitives'
import type { Target } from '@glacis/contract/target'
import { agentNames } from '#agents/index.ts'
import type { Ctx } from '#ctx.ts'
import { activeIssues, noIssues } from '#database/severity.ts'
import { sql } from 'kysely'

interface LastScan {
  readonly target_id: string
  readonly id: string
  readonly status: string
  readonly created_at: Date
  readonly completed_at: Date | null
  readonly reason: string
}

/** What is counted of targets. */
export interface Counts {
  readonly issues: SeverityCount
  readonly hosts: number
}
type Count = (ctx: Ctx, ids: readonly string[]) => Promise<ReadonlyMap<string, Counts>>

/** Counts over every host and occurrence of these targets. */
export async function countTargets(ctx: Ctx, ids: readonly string[]): Promise<ReadonlyMap<string, Counts>> {
  if (ids.length === 0) return new Map()
  const [issues, hosts] = [await activeIssues(ctx, 'target_id', ids), await hostsOf(ctx, ids)]
  return new Map(ids.map((id) => [id, { issues: issues.get(id) ?? noIssues, hosts: hosts.get(id) ?? 0 }]))
}

/** The targets of these ids as the contract shows them, deleted ones too, in a fixed number of statements. */
export async function describeTargets(
  ctx: Ctx,
  ids: readonly string[],
  count: Count = countTargets,
): Promise<ReadonlyMap<string, Target>> {
  const wanted = [...new Set(ids)]
  if (wanted.length === 0) return new Map()
  const rows = await ctx.tx
    .selectFrom('target')
    .selectAll()
    .where('account_id', '=', ctx.account)
    .where('id', 'in', wanted)
    .execute()
  const [counts, tags, scans, agents] = [
    await count(ctx, wanted),
    await tagsOf(ctx, wanted),
    await lastScans(ctx, wanted),
    await agentNames(
      ctx,
      rows.flatMap((row) => row.agent_id ?? []),
    ),
  ]
  return new Map(
    rows.map((row) => {
      const scan = scans.get(row.id)
      const agent = row.agent_id ? agents.get(row.agent_id) : undefined
      return [
        row.id,
        {
          id: row.id,
          name: row.name,
          address: row.address,
          tags: tags.get(row.id) ?? [],
          schedule: { period: row.schedule_period, ...(row.allowed_hours && { allowedHours: row.allowed_hours }) },
          issueCount: counts.get(row.id)?.issues ?? noIssues,
          ...(agent && { agent }),
          ...(row.former_agent !== null && { formerAgent: { name: row.former_agent } }),
          createTime: row.created_at.toISOString(),
          updateTime: row.updated_at.toISOString(),
          hostCount: counts.get(row.id)?.hosts ?? 0,
          ...(row.next_scan_at && !row.deleted_at && { nextScanTime: row.next_scan_at.toISOString() }),
          ...(scan && { lastScan: toLastScan(scan) }),
          exclusions: row.exclusions,
          profile: row.profile,
          ports: row.ports,
          ...(row.rate_per_host !== null && { ratePerHost: row.rate_per_host }),
          ...(row.paused_at && { pauseTime: row.paused_at.toISOString() }),
          ...(row.unresolved_since && { unresolvedSinceTime: row.unresolved_since.toISOString() }),
        },
      ]
    }),
  )
}

function toLastScan(scan: LastScan): NonNullable<Target['lastScan']> {
  return {
    id: scan.id,
    status: scan.status,
    createTime: scan.created_at.toISOString(),
    ...(scan.completed_at && { completeTime: scan.completed_at.toISOString() }),
    ...(scan.reason && { reason: scan.reason }),
  }
}

async function tagsOf(ctx: Ctx, ids: readonly string[]): Promise<ReadonlyMap<string, Target['tags']>> {
  const rows = await ctx.tx
    .selectFrom('target_tag')
    .innerJoin('tag', (join) =>
      join.onRef('tag.account_id', '=', 'target_tag.account_id').onRef('tag.id', '=', 'target_tag.tag_id'),
    )
    .select(['target_tag.target_id', 'tag.id', 'tag.name', 'tag.color'])
    .where('target_tag.account_id', '=', ctx.account)
    .where('target_tag.target_id', 'in', ids)
    .orderBy('tag.name')
    .execute()
  const tags = new Map<string, Target['tags']>()
  for (const { target_id, ...tag } of rows) tags.set(target_id, [...(tags.get(target_id) ?? []), tag])
  return tags
}

/** Each target's hosts are counted on the index: one target at a time, however many there are beside it. */
async function hostsOf(ctx: Ctx, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ id: string; hosts: number }>`
    select wanted.id, (
      select count(*) from host
      where account_id = ${ctx.account} and target_id = wanted.id and merged_into is null) as hosts
    from unnest(${ids}::uuid[]) as wanted (id)`.execute(ctx.tx)
  return new Map(rows.map((row) => [row.id, row.hosts]))
}

async function lastScans(ctx: Ctx, ids: readonly string[]): Promise<ReadonlyMap<string, LastScan>> {
  const { rows } = await sql<LastScan>`
    select wanted.id as target_id, scan.id, scan.status, scan.created_at, scan.completed_at, scan.reason
    from unnest(${ids}::uuid[]) as wanted (id)
    join lateral (
      select id, status, created_at, completed_at, reason from scan
      -- A retest looks for one issue: it is no scan of the target.
      where account_id = ${ctx.account} and target_id = wanted.id and retest_of is null
      order by id desc
      limit 1
    ) as scan on true`.execute(ctx.tx)
  return new Map(rows.map((row) => [row.target_id, row]))
}
