import type { Ctx } from '#ctx.ts'
import { blockSize, emptyDay, slots, wholeAccount } from '#stats/slots.ts'
import { sql } from 'kysely'

interface Row {
  /** 0 all, 1 verified, 2 potential. */
  readonly block: number
  readonly rank: number
  readonly category: string
  readonly total: number
}

const severity: Readonly<Record<string, number>> = {
  CATEGORY_CRITICAL: slots.critical,
  CATEGORY_HIGH: slots.high,
  CATEGORY_MEDIUM: slots.medium,
  CATEGORY_LOW: slots.low,
}

/** Where a scope stands now, in the shape of a closed day. */
export async function liveCounts(ctx: Ctx, scope: string): Promise<number[]> {
  const counts = emptyDay()
  const [rows, hosts] = await Promise.all([
    scope === wholeAccount ? ofAccount(ctx) : ofTarget(ctx, scope),
    hostsOf(ctx, scope),
  ])
  for (const row of rows) {
    add(counts, row.block, row.rank - 1, row.total)
    if (row.rank <= 2) add(counts, row.block, severity[row.category] ?? slots.unrated, row.total)
  }
  for (const [block, total] of hosts.entries()) add(counts, block, slots.hosts, total)
  return counts
}

function add(counts: number[], block: number, slot: number, total: number): void {
  const at = block * blockSize + slot
  counts[at] = (counts[at] ?? 0) + total
}

/** Every issue of the account is either verified or potential. */
async function ofAccount(ctx: Ctx): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select block, status_rank(status) as rank, category, sum(total)::int as total
    from (
      select status, verification, category, count(*) as total
      from issue
      where account_id = ${ctx.account}
      group by status, verification, category
    ) as counted
    cross join lateral (values (0), (case when verification = 'VERIFICATION_VERIFIED' then 1 else 2 end)) as side (block)
    group by block, status, category`.execute(ctx.tx)
  return rows
}

/** Seen through a target an issue may be proven on one host and inferred on another. */
async function ofTarget(ctx: Ctx, target: string): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select block, status_rank(side.status) as rank, category, sum(total)::int as total
    from (
      select status, verified_status, potential_status, category, count(*) as total
      from issue_target
      where account_id = ${ctx.account} and target_id = ${target}
      group by status, verified_status, potential_status, category
    ) as counted
    cross join lateral (values (0, counted.status), (1, verified_status), (2, potential_status)) as side (block, status)
    where side.status is not null
    group by block, side.status, category`.execute(ctx.tx)
  return rows
}

async function hostsOf(ctx: Ctx, scope: string): Promise<readonly number[]> {
  const here = scope === wholeAccount ? sql`` : sql`and target_id = ${scope}`
  const { rows } = await sql<{ all: number; verified: number; potential: number }>`
    select coalesce(sum(hosts), 0)::int as all, coalesce(sum(hosts_verified), 0)::int as verified,
           coalesce(sum(hosts_potential), 0)::int as potential
    from target_count
    where account_id = ${ctx.account} ${here}`.execute(ctx.tx)
  const [row] = rows
  return row ? [row.all, row.verified, row.potential] : []
}
