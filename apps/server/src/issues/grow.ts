/** What a batch of a scan makes of issues, most of which it has only seen again or on one host more. */
import type { Ctx } from '#ctx.ts'
import { noteHosts, type Why } from '#issues/note.ts'
import type { Raised } from '#issues/raise.ts'
import { type Aggregate, inside, rollUp, weights, writeAll } from '#issues/roll-up.ts'
import { isProof } from '#issues/host-counts.ts'
import type { Place } from '#issues/standings.ts'
import { sql } from 'kysely'

/**
 * Brings issues in line with what was raised, as `rollUp` would, and looks at all of their places only where it has to:
 * an issue on ten thousand hosts that comes to one more costs what one on ten costs. The issues must be locked and have
 * been in line before.
 *
 * @param raised of whole issues: all that this transaction has changed of each
 */
export async function rollUpRaised(ctx: Ctx, raised: readonly Raised[], why: Why, place: Place): Promise<void> {
  const byIssue = [...Map.groupBy(raised, (one) => one.issueId)]
  const isSeen = (changes: readonly Raised[]) => changes.every((one) => one.isSame)
  const isGrown = (changes: readonly Raised[]) => changes.every((one) => one.isSame || one.change === 'NEW')
  const seen = byIssue.filter(([, changes]) => isSeen(changes))
  const grown = byIssue.filter(([, changes]) => !isSeen(changes) && isGrown(changes))
  const hosts = grown.map(([, changes]) => changes.filter((one) => one.change === 'NEW').length)
  await touch(ctx, idsOf(seen))
  const sums = await addUp(ctx, { ids: idsOf(grown), hosts, place })
  if (sums.length > 0) {
    const ids = sums.map((row) => row.id)
    await noteHosts(ctx, ids, why, place)
    await writeAll(ctx, sums, why, { place: { ...place, isGrowth: true } })
  }
  const isDone = new Set([...idsOf(seen), ...sums.map((row) => row.id)])
  const rest = idsOf(byIssue).filter((id) => !isDone.has(id))
  await rollUp(ctx, rest, why, { place })
}

function idsOf(groups: readonly (readonly [string, unknown])[]): string[] {
  return groups.map(([id]) => id)
}

async function touch(ctx: Ctx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await sql`
    update issue set last_seen_at = greatest(last_seen_at, ${ctx.now}), updated_at = ${ctx.now}
    where account_id = ${ctx.account} and id = any(${ids}::uuid[])`.execute(ctx.tx)
}

interface Growth {
  readonly ids: readonly string[]
  /** On how many hosts each of them is new. */
  readonly hosts: readonly number[]
  readonly place: Place
}

/**
 * What issues become by standing on more hosts. Not of those that were resolved, of which all that is kept speaks of
 * what is resolved, nor of those whose places a decision is still on its way to.
 */
async function addUp(ctx: Ctx, { ids, hosts, place }: Growth): Promise<Aggregate[]> {
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
           -- Where it is new it is open, and so is the whole.
           null as ignore_until, null as ignore_reason, null as ignore_comment, null as ignored_by,
           lower(threat.name || ' ' || threat.key) as title, threat.score, threat.epss_score, threat.known_exploited_at
    from unnest(${ids}::uuid[], ${hosts}::int[]) as grown (id, hosts)
    join issue on issue.account_id = ${ctx.account} and issue.id = grown.id
    join threat on threat.id = issue.threat_id
    join (
      select occurrence.issue_id, min(status_rank(occurrence.status)) as rank,
             (max(occurrence.quality) filter (where ${isActive}))::int as quality,
             bool_or(${isProof}) filter (where ${isActive}) as proven,
             bool_or(not (host.address::inet <<= any (${sql.lit(inside)}::inet[]))) as is_reachable,
             max(occurrence.last_seen_at) as last_seen_at,
             max(${weight}) filter (where ${isActive}) as weight
      from occurrence
      join host on host.account_id = ${ctx.account} and host.id = occurrence.host_id
      where occurrence.account_id = ${ctx.account} and occurrence.issue_id = any(${ids}::uuid[])
        and occurrence.host_id = any(${place.hostIds}::uuid[]) and host.id = any(${place.hostIds}::uuid[])
      group by occurrence.issue_id
    ) as here on here.issue_id = issue.id
    where issue.status <> 'STATUS_RESOLVED' and issue.host_count > 0
      and not exists (
        select from issue_decision as coming
        where coming.account_id = ${ctx.account} and coming.issue_id = issue.id)`.execute(ctx.tx)
  return rows
}
