import type { SeverityCount } from '@glacis/contract/primitives'
import type { Target } from '@glacis/contract/target'
import { describeAgentsBriefly } from '#agents/index.ts'
import { readableAddress } from '@glacis/scanner'
import type { Ctx } from '#ctx.ts'
import { anyOf } from '#database/any-of.ts'
import { timestampText, toIso } from '#database/timestamps.ts'
import { severityCountColumns } from '#database/severity.ts'
import type { TargetTable } from '#database/tables.ts'
import { ownersOf } from '#targets/ownership.ts'
import { type Selectable, sql } from 'kysely'

interface LastScan {
  readonly target_id: string
  readonly id: string
  readonly status: string
  readonly created_at: Date
  readonly completed_at: Date | null
  readonly reason: string
}

type Row = Pick<Selectable<TargetTable>, (typeof nestedColumns)[number]> &
  SeverityCount & { readonly created: string; readonly updated: string }
/** Columns of a target nested in another resource. */
const nestedColumns = ['id', 'name', 'address', 'schedule_period', 'allowed_hours', 'agent_id', 'former_agent'] as const
/** Additional columns of a target shown on its own. */
const ownColumns = [
  'next_scan_at',
  'deleted_at',
  'exclusions',
  'profile',
  'permissions',
  'ports',
  'rate_per_host',
  'paused_at',
  'unresolved_since',
] as const
type FullRow = Row & Pick<Selectable<TargetTable>, (typeof ownColumns)[number]>

/**
 * The targets with these IDs in their API representation, including deleted ones, in a fixed number
 * of statements.
 */
export async function describeTargets(ctx: Ctx, ids: readonly string[]): Promise<ReadonlyMap<string, Target>> {
  const uniqueIds = [...new Set(ids)]
  if (uniqueIds.length === 0) return new Map()
  const [described, hosts, scans, owners] = await Promise.all([
    describeRows<FullRow>(ctx, uniqueIds, [...nestedColumns, ...ownColumns]),
    hostsOf(ctx, uniqueIds),
    lastScans(ctx, uniqueIds),
    ownersOf(ctx, uniqueIds),
  ])
  return new Map(
    described.map(({ row, target }) => {
      const scan = scans.get(row.id)
      const owner = owners.get(row.id)
      return [
        row.id,
        {
          ...target,
          ...(owner && { owner }),
          hostCount: hosts.get(row.id) ?? 0,
          ...(row.next_scan_at && !row.deleted_at && { nextScanTime: row.next_scan_at.toISOString() }),
          ...(scan && { lastScan: toLastScan(scan) }),
          exclusions: row.exclusions,
          profile: row.profile,
          permissions: row.permissions,
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
 * The same for targets nested in other resources: identity and risk, without settings and schedule.
 */
export async function describeTargetsBriefly(ctx: Ctx, ids: readonly string[]): Promise<ReadonlyMap<string, Target>> {
  const uniqueIds = [...new Set(ids)]
  if (uniqueIds.length === 0) return new Map()
  const described = await describeRows<Row>(ctx, uniqueIds, nestedColumns)
  return new Map(described.map(({ row, target }) => [row.id, target]))
}

async function describeRows<R extends Row>(ctx: Ctx, ids: readonly string[], columns: readonly string[]) {
  const [rows, tags] = await Promise.all([rowsOf<R>(ctx, ids, columns), tagsOf(ctx, ids)])
  const agents = await describeAgentsBriefly(
    ctx,
    rows.flatMap((row) => row.agent_id ?? []),
  )
  return rows.map((row) => {
    const agent = row.agent_id ? agents.get(row.agent_id) : undefined
    const readable = readableAddress(row.address)
    const target: Target = {
      id: row.id,
      name: row.name,
      address: row.address,
      ...(readable !== null && { readableAddress: readable }),
      tags: tags.get(row.id) ?? [],
      schedule: { period: row.schedule_period, ...(row.allowed_hours && { allowedHours: row.allowed_hours }) },
      issueCount: { critical: row.critical, high: row.high, medium: row.medium, low: row.low },
      createTime: toIso(row.created),
      updateTime: toIso(row.updated),
      ...(agent && { agent }),
      ...(row.former_agent !== null && { formerAgent: { name: row.former_agent } }),
    }
    return { row, target }
  })
}

async function rowsOf<R extends Row>(ctx: Ctx, ids: readonly string[], columns: readonly string[]): Promise<R[]> {
  const { rows } = await sql<R>`
    select ${sql.join(columns.map((column) => sql.ref(`target.${column}`)))}, ${severityCountColumns('target_count')},
           ${timestampText('target.created_at')} as created, ${timestampText('target.updated_at')} as updated
    from target
    left join target_count on target_count.account_id = target.account_id and target_count.target_id = target.id
    where target.account_id = ${ctx.workspace} and target.id = any(${ids}::uuid[])`.execute(ctx.tx)
  return rows
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
    .where('target_tag.account_id', '=', ctx.workspace)
    .where('target_tag.target_id', '=', anyOf(ids))
    .orderBy('tag.name')
    .execute()
  const tags = new Map<string, Target['tags']>()
  for (const { target_id, ...tag } of rows) tags.set(target_id, [...(tags.get(target_id) ?? []), tag])
  return tags
}

/** The number of hosts of each target, without merged ones. */
async function hostsOf(ctx: Ctx, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await ctx.tx
    .selectFrom('host')
    .select((select) => ['target_id', select.fn.countAll<number>().as('hosts')])
    .where('account_id', '=', ctx.workspace)
    .where('target_id', '=', anyOf(ids))
    .where('merged_into', 'is', null)
    .groupBy('target_id')
    .execute()
  return new Map(rows.map((row) => [row.target_id, row.hosts]))
}

async function lastScans(ctx: Ctx, ids: readonly string[]): Promise<ReadonlyMap<string, LastScan>> {
  const { rows } = await sql<LastScan>`
    select wanted.id as target_id, scan.id, scan.status, scan.created_at, scan.completed_at, scan.reason
    from unnest(${ids}::uuid[]) as wanted (id)
    join lateral (
      select id, status, created_at, completed_at, reason from scan
      -- A retest of one issue doesn't count as a scan of the target.
      where account_id = ${ctx.workspace} and target_id = wanted.id and retest_of is null
      order by id desc
      limit 1
    ) as scan on true`.execute(ctx.tx)
  return new Map(rows.map((row) => [row.target_id, row]))
}
