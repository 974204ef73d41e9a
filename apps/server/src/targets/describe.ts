import type { Target } from '@glacis/contract/target'
import { agentNames } from '#agents/index.ts'
import type { Ctx } from '#ctx.ts'
import { anyOf } from '#database/any.ts'
import { activeIssues, noIssues } from '#database/severity.ts'
import type { Tables } from '#database/tables.ts'
import { type Selectable, sql } from 'kysely'

interface LastScan {
  readonly target_id: string
  readonly id: string
  readonly status: string
  readonly created_at: Date
  readonly completed_at: Date | null
  readonly reason: string
}

type Row = Selectable<Tables['target']>

/** The targets of these ids as the contract shows them, deleted ones too, in a fixed number of statements. */
export async function describeTargets(ctx: Ctx, ids: readonly string[]): Promise<ReadonlyMap<string, Target>> {
  const wanted = [...new Set(ids)]
  if (wanted.length === 0) return new Map()
  const [plain, issues, hosts, scans] = await Promise.all([
    plainTargets(ctx, wanted),
    activeIssues(ctx, 'target_id', wanted),
    hostsOf(ctx, wanted),
    lastScans(ctx, wanted),
  ])
  return new Map(
    plain.map(({ row, target }) => {
      const scan = scans.get(row.id)
      return [
        row.id,
        {
          ...target,
          issueCount: issues.get(row.id) ?? noIssues,
          hostCount: hosts.get(row.id) ?? 0,
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

/**
 * The same where targets stand beside something else: what they are and how bad it is there, without
 * what is set and planned for them.
 */
export async function nameTargets(ctx: Ctx, ids: readonly string[]): Promise<ReadonlyMap<string, Target>> {
  const wanted = [...new Set(ids)]
  if (wanted.length === 0) return new Map()
  const [plain, issues] = await Promise.all([plainTargets(ctx, wanted), activeIssues(ctx, 'target_id', wanted)])
  return new Map(plain.map(({ row, target }) => [row.id, { ...target, issueCount: issues.get(row.id) ?? noIssues }]))
}

async function plainTargets(ctx: Ctx, ids: readonly string[]) {
  const [rows, tags] = await Promise.all([rowsOf(ctx, ids), tagsOf(ctx, ids)])
  const agents = await agentNames(
    ctx,
    rows.flatMap((row) => row.agent_id ?? []),
  )
  return rows.map((row) => {
    const agent = row.agent_id ? agents.get(row.agent_id) : undefined
    const target = {
      id: row.id,
      name: row.name,
      address: row.address,
      tags: tags.get(row.id) ?? [],
      schedule: { period: row.schedule_period, ...(row.allowed_hours && { allowedHours: row.allowed_hours }) },
      ...(agent && { agent }),
      ...(row.former_agent !== null && { formerAgent: { name: row.former_agent } }),
      createTime: row.created_at.toISOString(),
      updateTime: row.updated_at.toISOString(),
    }
    return { row, target }
  })
}

async function rowsOf(ctx: Ctx, ids: readonly string[]): Promise<Row[]> {
  return ctx.tx
    .selectFrom('target')
    .selectAll()
    .where('account_id', '=', ctx.account)
    .where('id', '=', anyOf(ids))
    .execute()
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
    .where('target_tag.target_id', '=', anyOf(ids))
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
