/** Current counts of issues and affected hosts, in the shape of a closed day. */
import type { Ctx } from '#ctx.ts'
import { blockSize, emptyDay, severitySlots, slots, wholeWorkspace } from '#stats/slots.ts'
import { type RawBuilder, sql } from 'kysely'

interface Row {
  readonly scope: string
  /** 0 all, 1 verified, 2 potential. */
  readonly block: number
  readonly rank: number
  readonly category: string
  readonly total: number
}

/** The current counts of one scope. */
export async function currentCounts(ctx: Ctx, scope: string): Promise<readonly number[]> {
  const isTarget = scope !== wholeWorkspace
  const [issues, hosts] = await Promise.all([
    isTarget ? issuesByTarget(ctx, sql`and target_id = ${scope}`) : issuesOfWorkspace(ctx),
    isTarget ? hostsByTarget(ctx, sql`and target_id = ${scope}`) : hostsOfWorkspace(ctx),
  ])
  return collect(issues, hosts).get(scope) ?? emptyDay()
}

/** The current counts of the workspace and of each of its targets that has issues, by scope. */
export async function allCurrentCounts(ctx: Ctx): Promise<ReadonlyMap<string, readonly number[]>> {
  const rows = await Promise.all([
    issuesOfWorkspace(ctx),
    hostsOfWorkspace(ctx),
    issuesByTarget(ctx, sql``),
    hostsByTarget(ctx, sql``),
  ])
  const [workspace, accountHosts, targets, targetHosts] = rows
  const counts = collect([...workspace, ...targets], [...accountHosts, ...targetHosts])
  return new Map([[wholeWorkspace, emptyDay()], ...counts])
}

function collect(issues: readonly Row[], hosts: readonly HostRow[]): ReadonlyMap<string, readonly number[]> {
  const byScope = new Map<string, number[]>()
  const add = (scope: string, block: number, slot: number, total: number) => {
    const counts = byScope.get(scope) ?? emptyDay()
    byScope.set(scope, counts)
    const index = block * blockSize + slot
    counts[index] = (counts[index] ?? 0) + total
  }
  for (const { scope, block, rank, category, total } of issues) {
    add(scope, block, rank - 1, total)
    if (rank <= 2) add(scope, block, severitySlots[category] ?? slots.unrated, total)
  }
  for (const { scope, hosts: totals } of hosts) {
    for (const [block, total] of totals.entries()) add(scope, block, slots.hosts, total)
  }
  return byScope
}

/** Every issue of the workspace is either verified or potential. */
async function issuesOfWorkspace(ctx: Ctx): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select ${wholeWorkspace} as scope, block, status_rank(status) as rank, category, sum(total)::int as total
    from (
      select status, verification, category, count(*) as total
      from issue
      where account_id = ${ctx.workspace}
      group by status, verification, category
    ) as counted
    cross join lateral (values (0), (case when verification = 'VERIFICATION_VERIFIED' then 1 else 2 end)) as side (block)
    group by block, status, category`.execute(ctx.tx)
  return rows
}

/** Within a target, an issue may be verified on one host and potential on another. */
async function issuesByTarget(ctx: Ctx, condition: RawBuilder<unknown>): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select target_id as scope, block, status_rank(side.status) as rank, category, sum(total)::int as total
    from (
      select target_id, status, verified_status, potential_status, category, count(*) as total
      from issue_target
      where account_id = ${ctx.workspace} ${condition}
      group by target_id, status, verified_status, potential_status, category
    ) as counted
    cross join lateral (values (0, counted.status), (1, verified_status), (2, potential_status)) as side (block, status)
    where side.status is not null
    group by target_id, block, side.status, category`.execute(ctx.tx)
  return rows
}

interface HostRow {
  readonly scope: string
  /** All, verified, potential. */
  readonly hosts: readonly number[]
}

async function hostsOfWorkspace(ctx: Ctx): Promise<HostRow[]> {
  const { rows } = await sql<HostRow>`
    select ${wholeWorkspace} as scope, ${affected} as hosts from target_count
    where account_id = ${ctx.workspace}`.execute(ctx.tx)
  return rows
}

async function hostsByTarget(ctx: Ctx, condition: RawBuilder<unknown>): Promise<HostRow[]> {
  const { rows } = await sql<HostRow>`
    select target_id as scope, ${affected} as hosts from target_count
    where account_id = ${ctx.workspace} ${condition}
    group by target_id`.execute(ctx.tx)
  return rows
}

const affected = sql`
  array[coalesce(sum(hosts), 0)::int, coalesce(sum(hosts_verified), 0)::int, coalesce(sum(hosts_potential), 0)::int]`
