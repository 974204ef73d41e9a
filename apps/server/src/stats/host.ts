import type { Ctx } from '#ctx.ts'
import { blockSize, emptyDay, slots } from '#stats/slots.ts'
import { sql } from 'kysely'

const severity: Readonly<Record<string, number>> = {
  CATEGORY_CRITICAL: slots.critical,
  CATEGORY_HIGH: slots.high,
  CATEGORY_MEDIUM: slots.medium,
  CATEGORY_LOW: slots.low,
}

/** Where the issues of one host stood at each of these moments. A host has few events, so they are read as they are. */
export async function ofHost(
  ctx: Ctx,
  host: string,
  target: string | undefined,
  moments: readonly Date[],
): Promise<number[][]> {
  const inTarget = target ? sql`and event.target_id = ${target}` : sql``
  const { rows } = await sql<{ issue_id: string; at: Date; rank: number; block: number; category: string }>`
    select event.issue_id, event.at, status_rank(event.status) as rank, issue.category,
           case when event.verification = 'VERIFICATION_VERIFIED' then 1 else 2 end as block
    from issue_event as event
    join issue on issue.account_id = event.account_id and issue.id = event.issue_id
    where event.account_id = ${ctx.account} and event.host_id = ${host} ${inTarget}
    order by event.at, event.id`.execute(ctx.tx)
  const standing = new Map<string, (typeof rows)[number]>()
  let next = 0
  return moments.map((moment) => {
    for (let row = rows[next]; row && row.at <= moment; row = rows[++next]) standing.set(row.issue_id, row)
    return countOf([...standing.values()])
  })
}

function countOf(standing: readonly { rank: number; block: number; category: string }[]): number[] {
  const counts = emptyDay()
  const raise = (at: number) => {
    counts[at] = (counts[at] ?? 0) + 1
  }
  for (const { rank, block, category } of standing) {
    for (const each of [0, block]) {
      raise(each * blockSize + rank - 1)
      if (rank <= 2) raise(each * blockSize + (severity[category] ?? slots.unrated))
    }
  }
  for (const block of [0, 1, 2]) {
    const active = (counts[block * blockSize] ?? 0) + (counts[block * blockSize + 1] ?? 0)
    counts[block * blockSize + slots.hosts] = Math.min(1, active)
  }
  return counts
}
