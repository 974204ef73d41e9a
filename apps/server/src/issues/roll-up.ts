import type { IssueStatus, Verification } from '@glacis/contract/issue'
import type { Ctx } from '#ctx.ts'
import { priorityOf as priority } from '@glacis/intelligence'
import { worstFirst } from '#issues/status.ts'
import { sql } from 'kysely'

/** Below this quality of detection nothing counts as proven (see ARCHITECTURE.md). */
export const verifiedQualityMin = 95

interface Aggregate {
  readonly id: string
  readonly status: IssueStatus
  readonly quality: number
  readonly proven: boolean
  readonly hosts: number
  readonly last_seen_at: Date
  readonly score: number
  readonly epss_score: number | null
  readonly known_exploited_at: Date | null
}

const worst = sql`(${sql.lit(`{${worstFirst.join(',')}}`)}::text[])[min(array_position(${sql.lit(`{${worstFirst.join(',')}}`)}::text[], occurrence.status))]`

/**
 * Brings issues in line with their occurrences: status (the worst of their hosts), verification
 * (the best evidence), priority, times. What changed, on a host or on the whole, is written to
 * the history with who did it and why. Running it again changes nothing.
 */
export async function rollUp(
  ctx: Ctx,
  issueIds: readonly string[],
  why: { reason: string; scanId: string | null },
): Promise<void> {
  const ids = [...new Set(issueIds)]
  if (ids.length === 0) return
  await noteHosts(ctx, ids, why)
  const aggregates = await aggregate(ctx, ids)
  await write(ctx, aggregates)
  await noteIssues(ctx, ids, why)
}

async function aggregate(ctx: Ctx, ids: readonly string[]): Promise<Aggregate[]> {
  // Proof that was withdrawn does not keep an issue verified while others of it are still inferred.
  const { rows } = await sql<Aggregate>`
    select issue.id,
           ${worst} as status,
           coalesce(max(occurrence.quality) filter (where occurrence.status <> 'STATUS_RESOLVED'), max(occurrence.quality))::int as quality,
           coalesce(
             bool_or(occurrence.method <> 'version' and occurrence.quality >= ${verifiedQualityMin}) filter (where occurrence.status <> 'STATUS_RESOLVED'),
             bool_or(occurrence.method <> 'version' and occurrence.quality >= ${verifiedQualityMin})) as proven,
           count(distinct occurrence.host_id)::int as hosts,
           max(occurrence.last_seen_at) as last_seen_at,
           threat.score, threat.epss_score, threat.known_exploited_at
    from issue
    join occurrence on occurrence.account_id = issue.account_id and occurrence.issue_id = issue.id
    join threat on threat.id = issue.threat_id
    where issue.account_id = ${ctx.account} and issue.id = any(${ids}::uuid[])
    group by issue.id, threat.id`.execute(ctx.tx)
  return rows
}

async function write(ctx: Ctx, rows: readonly Aggregate[]): Promise<void> {
  const verifications = rows.map((row): Verification =>
    row.proven ? 'VERIFICATION_VERIFIED' : 'VERIFICATION_UNVERIFIED',
  )
  await sql`
    update issue set
      status = next.status,
      verification = next.verification,
      quality = next.quality,
      priority = next.priority,
      host_count = next.hosts,
      last_seen_at = next.last_seen_at,
      ignored_at = case when next.status <> 'STATUS_IGNORED' then null when issue.status = next.status then issue.ignored_at else ${ctx.now} end,
      ignore_until = case when next.status = 'STATUS_IGNORED' then issue.ignore_until end,
      resolved_at = case when next.status = 'STATUS_OPEN' then null when next.status = 'STATUS_RESOLVED' and issue.status <> next.status then ${ctx.now} else issue.resolved_at end,
      updated_at = ${ctx.now}
    from unnest(
      ${rows.map((row) => row.id)}::uuid[], ${rows.map((row) => row.status)}::text[], ${verifications}::text[],
      ${rows.map((row) => row.quality)}::int[], ${rows.map((row) => priorityOf(row))}::int[], ${rows.map((row) => row.hosts)}::int[],
      ${rows.map((row) => row.last_seen_at)}::timestamptz[]
    ) as next (id, status, verification, quality, priority, hosts, last_seen_at)
    where issue.account_id = ${ctx.account} and issue.id = next.id`.execute(ctx.tx)
}

function priorityOf(row: Aggregate): number {
  return priority({
    score: row.score,
    epss: row.epss_score ?? undefined,
    isKnownExploited: row.known_exploited_at !== null,
    isVerified: row.proven,
  }).value
}

async function noteHosts(
  ctx: Ctx,
  ids: readonly string[],
  why: { reason: string; scanId: string | null },
): Promise<void> {
  await sql`
    insert into issue_event (account_id, id, issue_id, host_id, target_id, status, verification, at, actor, reason, scan_id)
    select ${ctx.account}, new_id(), standing.issue_id, standing.host_id, standing.target_id, standing.status,
           case when standing.proven then 'VERIFICATION_VERIFIED' else 'VERIFICATION_UNVERIFIED' end,
           ${ctx.now}, ${ctx.actor.name}, ${why.reason}, ${why.scanId}
    from (
      select occurrence.issue_id, occurrence.host_id, min(occurrence.target_id::text)::uuid as target_id, ${worst} as status,
             bool_or(occurrence.method <> 'version' and occurrence.quality >= ${verifiedQualityMin}) as proven
      from occurrence
      where occurrence.account_id = ${ctx.account} and occurrence.issue_id = any(${ids}::uuid[])
      group by occurrence.issue_id, occurrence.host_id
    ) as standing
    left join lateral (
      select status from issue_event as event
      where event.account_id = ${ctx.account} and event.issue_id = standing.issue_id and event.host_id = standing.host_id
      order by at desc, id desc
      limit 1
    ) as last on true
    where last.status is distinct from standing.status`.execute(ctx.tx)
}

async function noteIssues(
  ctx: Ctx,
  ids: readonly string[],
  why: { reason: string; scanId: string | null },
): Promise<void> {
  await sql`
    insert into issue_event (account_id, id, issue_id, status, verification, at, actor, reason, scan_id)
    select ${ctx.account}, new_id(), issue.id, issue.status, issue.verification, ${ctx.now}, ${ctx.actor.name}, ${why.reason}, ${why.scanId}
    from issue
    left join lateral (
      select status, verification from issue_event as event
      where event.account_id = ${ctx.account} and event.issue_id = issue.id and event.host_id is null
      order by at desc, id desc
      limit 1
    ) as last on true
    where issue.account_id = ${ctx.account} and issue.id = any(${ids}::uuid[])
      and (last.status, last.verification) is distinct from (issue.status, issue.verification)`.execute(ctx.tx)
}
