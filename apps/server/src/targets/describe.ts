import type { Target } from '@glacis/contract/target'
import type { Ctx } from '#ctx.ts'
import { activeIssues, noIssues } from '#database/severity.ts'
import { sql } from 'kysely'

interface LastScan {
  readonly target_id: string
  readonly id: string
  readonly status: string
  readonly created_at: Date
  readonly completed_at: Date | null
}

/** The targets of these ids as the contract shows them, deleted ones too, in a fixed number of statements. */
export async function describeTargets(ctx: Ctx, ids: readonly string[]): Promise<ReadonlyMap<string, Target>> {
  const wanted = [...new Set(ids)]
  if (wanted.length === 0) return new Map()
  const rows = await ctx.tx
    .selectFrom('target')
    .selectAll()
    .where('account_id', '=', ctx.account)
    .where('id', 'in', wanted)
    .execute()
  const [counts, tags, hosts, scans] = [
    await activeIssues(ctx, 'target_id', wanted),
    await tagsOf(ctx, wanted),
    await hostsOf(ctx, wanted),
    await lastScans(ctx, wanted),
  ]
  return new Map(
    rows.map((row) => {
      const scan = scans.get(row.id)
      return [
        row.id,
        {
          id: row.id,
          name: row.name,
          address: row.address,
          tags: tags.get(row.id) ?? [],
          schedule: { period: row.schedule_period },
          issueCount: counts.get(row.id) ?? noIssues,
          createTime: row.created_at.toISOString(),
          updateTime: row.updated_at.toISOString(),
          hostCount: hosts.get(row.id) ?? 0,
          ...(row.next_scan_at && !row.deleted_at && { nextScanTime: row.next_scan_at.toISOString() }),
          ...(scan && { lastScan: toLastScan(scan) }),
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

async function hostsOf(ctx: Ctx, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await ctx.tx
    .selectFrom('host')
    .select(['target_id', ({ fn }) => fn.countAll<number>().as('hosts')])
    .where('account_id', '=', ctx.account)
    .where('target_id', 'in', ids)
    .groupBy('target_id')
    .execute()
  return new Map(rows.map((row) => [row.target_id, Number(row.hosts)]))
}

async function lastScans(ctx: Ctx, ids: readonly string[]): Promise<ReadonlyMap<string, LastScan>> {
  const { rows } = await sql<LastScan>`
    select wanted.id as target_id, scan.id, scan.status, scan.created_at, scan.completed_at
    from unnest(${ids}::uuid[]) as wanted (id)
    join lateral (
      select id, status, created_at, completed_at from scan
      where account_id = ${ctx.account} and target_id = wanted.id
      order by id desc
      limit 1
    ) as scan on true`.execute(ctx.tx)
  return new Map(rows.map((row) => [row.target_id, row]))
}
