import type { Ctx } from '#ctx.ts'
import { recordHostHistory, type ChangeReason } from '#issues/history.ts'
import { isVerified } from '#issues/occurrence-sql.ts'
import type { Raised } from '#issues/raise.ts'
import { type Aggregate, privateNetworks, rollUp, weights, writeAggregates } from '#issues/rollup.ts'
import { sql } from 'kysely'

/**
 * Incremental rollup: updates issues from the changes of a batch alone, so that its cost is independent of how many
 * hosts an issue already affects. Falls back to a full rollup if the batch did more than add occurrences or see known
 * ones again. The caller has locked the issues, and their aggregates were up to date before.
 *
 * @param raised all changes to these issues in this transaction
 * @param hostIds the hosts of the batch
 */
export async function rollUpRaised(
  ctx: Ctx,
  raised: readonly Raised[],
  why: ChangeReason,
  hostIds: readonly string[],
): Promise<void> {
  const byIssue = [...Map.groupBy(raised, (item) => item.issueId)]
  const isSeen = (changes: readonly Raised[]) => changes.every((item) => item.isSame)
  const isGrown = (changes: readonly Raised[]) => changes.every((item) => item.isSame || item.change === 'NEW')
  const seen = byIssue.filter(([, changes]) => isSeen(changes))
  const grown = byIssue.filter(([, changes]) => !isSeen(changes) && isGrown(changes))
  const newHosts = grown.map(([, changes]) => changes.filter((item) => item.change === 'NEW').length)
  await touchIssues(ctx, idsOf(seen))
  const sums = await addOccurrences(ctx, { ids: idsOf(grown), newHosts, hostIds })
  if (sums.length > 0) {
    await recordHostHistory(
      ctx,
      sums.map((row) => row.id),
      why,
      hostIds,
    )
    await writeAggregates(ctx, sums, why, { hostIds, isAdditive: true })
  }
  const isDone = new Set([...idsOf(seen), ...sums.map((row) => row.id)])
  const rest = idsOf(byIssue).filter((id) => !isDone.has(id))
  await rollUp(ctx, rest, why, hostIds)
}

function idsOf(groups: readonly (readonly [string, unknown])[]): string[] {
  return groups.map(([id]) => id)
}

async function touchIssues(ctx: Ctx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await sql`
    update issue set last_seen_at = greatest(last_seen_at, ${ctx.now}), updated_at = ${ctx.now}
    where account_id = ${ctx.workspace} and id = any(${ids}::uuid[])`.execute(ctx.tx)
}

interface NewOccurrences {
  readonly ids: readonly string[]
  /** The number of new hosts of each issue. */
  readonly newHosts: readonly number[]
  readonly hostIds: readonly string[]
}

/**
 * Adds new occurrences to the aggregates of issues. Skips resolved issues, whose aggregates are those of resolved
 * occurrences, and issues with a decision that isn't applied to all occurrences yet.
 */
async function addOccurrences(ctx: Ctx, { ids, newHosts, hostIds }: NewOccurrences): Promise<Aggregate[]> {
  if (ids.length === 0) return []
  const weight = sql`
    case host.criticality when 'CRITICALITY_LOW' then ${sql.lit(weights.CRITICALITY_LOW)} when 'CRITICALITY_HIGH' then ${sql.lit(weights.CRITICALITY_HIGH)} else ${sql.lit(weights.CRITICALITY_NORMAL)} end`
  const isActive = sql`occurrence.status <> 'STATUS_RESOLVED'`
  const { rows } = await sql<Aggregate>`
    select issue.id, status_of(least(status_rank(issue.status), here.rank)) as status,
           greatest(issue.quality, here.quality) as quality,
           issue.verification = 'VERIFICATION_VERIFIED' or coalesce(here.proven, false) as proven,
           issue.host_count + grown.hosts as hosts,
           issue.is_reachable or here.is_reachable as is_reachable,
           greatest(issue.last_seen_at, here.last_seen_at) as last_seen_at,
           greatest(issue.weight, here.weight) as weight,
           -- New occurrences are open, and so is the issue.
           null as ignore_until, null as ignore_reason, null as ignore_comment, null as ignored_by,
           lower(threat.name || ' ' || threat.key) as title, threat.score, threat.epss_score, threat.known_exploited_at
    from unnest(${ids}::uuid[], ${newHosts}::int[]) as grown (id, hosts)
    join issue on issue.account_id = ${ctx.workspace} and issue.id = grown.id
    join threat on threat.id = issue.threat_id
    join (
      select occurrence.issue_id, min(status_rank(occurrence.status)) as rank,
             (max(occurrence.quality) filter (where ${isActive}))::int as quality,
             bool_or(${isVerified}) filter (where ${isActive}) as proven,
             bool_or(not (host.address::inet <<= any (${sql.lit(privateNetworks)}::inet[]))) as is_reachable,
             max(occurrence.last_seen_at) as last_seen_at,
             max(${weight}) filter (where ${isActive}) as weight
      from occurrence
      join host on host.account_id = ${ctx.workspace} and host.id = occurrence.host_id
      where occurrence.account_id = ${ctx.workspace} and occurrence.issue_id = any(${ids}::uuid[])
        and occurrence.host_id = any(${hostIds}::uuid[]) and host.id = any(${hostIds}::uuid[])
      group by occurrence.issue_id
    ) as here on here.issue_id = issue.id
    where issue.status <> 'STATUS_RESOLVED' and issue.host_count > 0
      and not exists (
        select from issue_decision as coming
        where coming.account_id = ${ctx.workspace} and coming.issue_id = issue.id)`.execute(ctx.tx)
  return rows
}
