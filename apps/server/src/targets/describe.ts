import type { Agent } from '@glacis/contract/agent'
import type { Target } from '@glacis/contract/target'
import { agentNames } from '#agents/index.ts'
import type { Ctx } from '#ctx.ts'
import { listOf, moment, objectOf, severityCount } from '#database/json.ts'
import { type RawBuilder, sql } from 'kysely'

/** A target in the words of the contract, and beside it what only some have. */
interface Named {
  readonly id: string
  readonly named: Target
  readonly allowed_hours: Target['schedule']['allowedHours'] | null
  readonly agent_id: string | null
  readonly former_agent: string | null
}

interface Row extends Named {
  readonly planned: Pick<Target, 'hostCount' | 'exclusions' | 'profile' | 'ports'>
  readonly last_scan: LastScan | null
  readonly next_scan: string | null
  readonly rate_per_host: number | null
  readonly paused: string | null
  readonly unresolved: string | null
}

interface LastScan {
  readonly id: string
  readonly status: string
  readonly createTime: string
  readonly completeTime: string | null
  readonly reason: string
}

/** The targets of these ids as the contract shows them, deleted ones too, in a fixed number of statements. */
export async function describeTargets(ctx: Ctx, ids: readonly string[]): Promise<ReadonlyMap<string, Target>> {
  const rows = await read<Row>(ctx, ids, { columns: sql`, ${planned(ctx)}`, joins: lastScan(ctx) })
  const agents = await agentsOf(ctx, rows)
  return new Map(
    rows.map((row) => [
      row.id,
      {
        ...toNamed(row, agents),
        ...row.planned,
        ...(row.next_scan && { nextScanTime: row.next_scan }),
        ...(row.last_scan && { lastScan: toLastScan(row.last_scan) }),
        ...(row.rate_per_host !== null && { ratePerHost: row.rate_per_host }),
        ...(row.paused && { pauseTime: row.paused }),
        ...(row.unresolved && { unresolvedSinceTime: row.unresolved }),
      },
    ]),
  )
}

/**
 * The same where targets stand beside something else: what they are and how bad it is there, without
 * what is set and planned for them.
 */
export async function nameTargets(ctx: Ctx, ids: readonly string[]): Promise<ReadonlyMap<string, Target>> {
  const rows = await read<Named>(ctx, ids)
  const agents = await agentsOf(ctx, rows)
  return new Map(rows.map((row) => [row.id, toNamed(row, agents)]))
}

async function read<R extends Named>(
  ctx: Ctx,
  ids: readonly string[],
  { columns, joins } = { columns: sql``, joins: sql`` },
): Promise<readonly R[]> {
  const wanted = [...new Set(ids)]
  if (wanted.length === 0) return []
  const tag = objectOf({ id: sql`tag.id`, name: sql`tag.name`, color: sql`tag.color` })
  const tags = sql`
    from target_tag
    join tag on tag.account_id = target_tag.account_id and tag.id = target_tag.tag_id
    where target_tag.account_id = ${ctx.account} and target_tag.target_id = target.id`
  const named = objectOf({
    id: sql`target.id`,
    name: sql`target.name`,
    address: sql`target.address`,
    tags: listOf(tag, sql`tag.name`, tags),
    schedule: objectOf({ period: sql`target.schedule_period` }),
    createTime: moment(sql`target.created_at`),
    updateTime: moment(sql`target.updated_at`),
    issueCount: severityCount,
  })
  const { rows } = await sql<R>`
    select target.id, ${named} as named, target.allowed_hours, target.agent_id, target.former_agent${columns}
    from target
    left join target_count on target_count.account_id = target.account_id and target_count.target_id = target.id
    ${joins}
    where target.account_id = ${ctx.account} and target.id = any(${wanted}::uuid[])`.execute(ctx.tx)
  return rows
}

async function agentsOf(ctx: Ctx, rows: readonly Named[]): Promise<ReadonlyMap<string, Agent>> {
  return agentNames(
    ctx,
    rows.flatMap((row) => row.agent_id ?? []),
  )
}

function toNamed({ named, ...row }: Named, agents: ReadonlyMap<string, Agent>): Target {
  const agent = row.agent_id ? agents.get(row.agent_id) : undefined
  if (!agent && row.former_agent === null && !row.allowed_hours) return named
  return {
    ...named,
    schedule: { ...named.schedule, ...(row.allowed_hours && { allowedHours: row.allowed_hours }) },
    ...(agent && { agent }),
    ...(row.former_agent !== null && { formerAgent: { name: row.former_agent } }),
  }
}

function planned(ctx: Ctx): RawBuilder<unknown> {
  const settings = objectOf({
    // Counted on the index: one target at a time, however many there are beside it.
    hostCount: sql`(
      select count(*) from host
      where host.account_id = ${ctx.account} and host.target_id = target.id and host.merged_into is null)`,
    exclusions: sql`target.exclusions`,
    profile: sql`target.profile`,
    ports: sql`target.ports`,
  })
  return sql`${settings} as planned, last_scan.shown as last_scan, target.rate_per_host,
    case when target.deleted_at is null then ${moment(sql`target.next_scan_at`)} end as next_scan,
    ${moment(sql`target.paused_at`)} as paused, ${moment(sql`target.unresolved_since`)} as unresolved`
}

function lastScan(ctx: Ctx): RawBuilder<unknown> {
  const shown = objectOf({
    id: sql`scan.id`,
    status: sql`scan.status`,
    createTime: moment(sql`scan.created_at`),
    completeTime: moment(sql`scan.completed_at`),
    reason: sql`scan.reason`,
  })
  return sql`
    left join lateral (
      select ${shown} as shown from scan
      -- A retest looks for one issue: it is no scan of the target.
      where scan.account_id = ${ctx.account} and scan.target_id = target.id and retest_of is null
      order by scan.id desc
      limit 1
    ) as last_scan on true`
}

function toLastScan({ id, status, createTime, completeTime, reason }: LastScan): NonNullable<Target['lastScan']> {
  return { id, status, createTime, ...(completeTime && { completeTime }), ...(reason && { reason }) }
}
