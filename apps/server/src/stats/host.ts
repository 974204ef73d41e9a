import type { Ctx } from '#ctx.ts'
import { blockSize, emptyDay, severitySlots, slots } from '#stats/slots.ts'
import { type RawBuilder, sql } from 'kysely'

/** A host and the hosts merged into it, which lists show as one. */
export function withMergedHosts(ctx: Ctx, host: string): RawBuilder<unknown> {
  return sql`(select id from host where account_id = ${ctx.workspace} and (id = ${host} or merged_into = ${host}))`
}

interface OccurrenceState {
  readonly issue_id: string
  readonly host_id: string
  readonly at: Date
  readonly rank: number
  readonly block: number
  readonly category: string
}

/**
 * Counts of one host at each of these times, replayed from its events. A host has few events.
 * Severities are the current ones.
 */
export async function countsOfHost(
  ctx: Ctx,
  host: string,
  target: string | undefined,
  moments: readonly Date[],
): Promise<number[][]> {
  const inTarget = target ? sql`and event.target_id = ${target}` : sql``
  const { rows } = await sql<OccurrenceState>`
    select event.issue_id, event.host_id, event.at, status_rank(event.status) as rank, issue.category,
           case when event.verification = 'VERIFICATION_VERIFIED' then 1 else 2 end as block
    from issue_event as event
    join issue on issue.account_id = event.account_id and issue.id = event.issue_id
    where event.account_id = ${ctx.workspace} and event.host_id in ${withMergedHosts(ctx, host)} ${inTarget}
    order by event.at, event.id`.execute(ctx.tx)
  const states = new Map<string, OccurrenceState>()
  let next = 0
  return moments.map((moment) => {
    for (let row = rows[next]; row && row.at <= moment; row = rows[++next])
      states.set(`${row.issue_id} ${row.host_id}`, row)
    return countOf([...states.values()])
  })
}

/** An issue has the worst status of its occurrences, separately for verified and potential ones. */
function countOf(states: readonly OccurrenceState[]): number[] {
  const counts = emptyDay()
  const raise = (at: number) => {
    counts[at] = (counts[at] ?? 0) + 1
  }
  for (const occurrences of Map.groupBy(states, (row) => row.issue_id).values()) {
    for (const block of [0, 1, 2]) {
      const inBlock = occurrences.filter((row) => block === 0 || row.block === block)
      const rank = Math.min(...inBlock.map((row) => row.rank))
      if (inBlock.length === 0) continue
      raise(block * blockSize + rank - 1)
      if (rank <= 2) raise(block * blockSize + (severitySlots[inBlock[0]?.category ?? ''] ?? slots.unrated))
    }
  }
  for (const block of [0, 1, 2]) {
    const active = (counts[block * blockSize] ?? 0) + (counts[block * blockSize + 1] ?? 0)
    counts[block * blockSize + slots.hosts] = Math.min(1, active)
  }
  return counts
}
