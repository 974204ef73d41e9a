import type { Ctx } from '#ctx.ts'
import { blockSize, emptyDay, slots } from '#stats/slots.ts'
import { type RawBuilder, sql } from 'kysely'

const severity: Readonly<Record<string, number>> = {
  CATEGORY_CRITICAL: slots.critical,
  CATEGORY_HIGH: slots.high,
  CATEGORY_MEDIUM: slots.medium,
  CATEGORY_LOW: slots.low,
}

/** A host and those that were merged into it, which lists show as one. */
export function machine(ctx: Ctx, host: string): RawBuilder<unknown> {
  return sql`(select id from host where account_id = ${ctx.account} and (id = ${host} or merged_into = ${host}))`
}

interface Standing {
  readonly issue_id: string
  readonly host_id: string
  readonly at: Date
  readonly rank: number
  readonly block: number
  readonly category: string
}
interface Rating {
  readonly at: Date
  readonly before: string
  readonly after: string
}

/** Where the issues of one host stood at each of these moments. A host has few events, so they are read as they are. */
export async function ofHost(
  ctx: Ctx,
  host: string,
  target: string | undefined,
  moments: readonly Date[],
): Promise<number[][]> {
  const inTarget = target ? sql`and event.target_id = ${target}` : sql``
  const { rows } = await sql<Standing>`
    select event.issue_id, event.host_id, event.at, status_rank(event.status) as rank, issue.category,
           case when event.verification = 'VERIFICATION_VERIFIED' then 1 else 2 end as block
    from issue_event as event
    join issue on issue.account_id = event.account_id and issue.id = event.issue_id
    where event.account_id = ${ctx.account} and event.host_id in ${machine(ctx, host)} ${inTarget}
    order by event.at, event.id`.execute(ctx.tx)
  const ratings = await ratingsOf(ctx, [...new Set(rows.map((row) => row.issue_id))])
  const standing = new Map<string, Standing>()
  let next = 0
  return moments.map((moment) => {
    for (let row = rows[next]; row && row.at <= moment; row = rows[++next])
      standing.set(`${row.issue_id} ${row.host_id}`, row)
    const then = (row: Standing) => ({ ...row, category: categoryAt(row, ratings.get(row.issue_id) ?? [], moment) })
    return countOf([...standing.values()].map(then))
  })
}

async function ratingsOf(ctx: Ctx, issues: readonly string[]): Promise<ReadonlyMap<string, readonly Rating[]>> {
  const { rows } = await sql<Rating & { issue_id: string }>`
    select issue_id, at, before, after from issue_rating
    where account_id = ${ctx.account} and issue_id = any(${issues}::uuid[])
    order by at, id`.execute(ctx.tx)
  return Map.groupBy(rows, (row) => row.issue_id)
}

function categoryAt({ category }: Standing, ratings: readonly Rating[], moment: Date): string {
  return ratings.findLast((one) => one.at <= moment)?.after ?? ratings[0]?.before ?? category
}

/** An issue stands where the worst of its places does, and so among those where it is proven or inferred. */
function countOf(standing: readonly Standing[]): number[] {
  const counts = emptyDay()
  const raise = (at: number) => {
    counts[at] = (counts[at] ?? 0) + 1
  }
  for (const places of Map.groupBy(standing, (row) => row.issue_id).values()) {
    for (const block of [0, 1, 2]) {
      const here = places.filter((row) => block === 0 || row.block === block)
      const rank = Math.min(...here.map((row) => row.rank))
      if (here.length === 0) continue
      raise(block * blockSize + rank - 1)
      if (rank <= 2) raise(block * blockSize + (severity[here[0]?.category ?? ''] ?? slots.unrated))
    }
  }
  for (const block of [0, 1, 2]) {
    const active = (counts[block * blockSize] ?? 0) + (counts[block * blockSize + 1] ?? 0)
    counts[block * blockSize + slots.hosts] = Math.min(1, active)
  }
  return counts
}
