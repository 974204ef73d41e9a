import type { IssueStatus, Verification } from '@glacis/contract/issue'
import type { Ctx } from '#ctx.ts'
import { priorityOf } from '@glacis/intelligence'
import { recordIssueHistory, recordHostHistory, type ChangeReason } from '#issues/history.ts'
import { isVerified, worstStatus } from '#issues/occurrence-sql.ts'
import { type ChangedPart, refreshCounts } from '#issues/status-counts.ts'
import { factsOf } from '#issues/reprioritize.ts'
import { type RawBuilder, sql } from 'kysely'

export interface Aggregate {
  readonly id: string
  readonly status: IssueStatus
  readonly quality: number
  readonly proven: boolean
  readonly hosts: number
  readonly is_reachable: boolean
  readonly last_seen_at: Date
  readonly ignore_until: Date | null
  readonly ignore_reason: string | null
  readonly ignore_comment: string | null
  readonly ignored_by: string | null
  readonly title: string
  readonly score: number
  readonly epss_score: number | null
  readonly known_exploited_at: Date | null
  /** Highest criticality of the affected hosts: 0 low, 1 normal, 2 high. */
  readonly weight: number
}

/**
 * Networks not reachable from the internet (RFC 1918, 4193, 6598, 3927). Loopback is not listed,
 * because it doesn't show how others reach the host.
 */
export const privateNetworks =
  '{10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,100.64.0.0/10,169.254.0.0/16,fc00::/7,fe80::/10}'

/**
 * Full rollup: updates issues from all of their occurrences: status (the worst), verification (the
 * best evidence), priority, times. Records changes, per host or of the whole issue, in the history
 * with actor and reason. Idempotent. The caller has locked the issues.
 *
 * @param hostIds the only hosts on which their occurrences can have changed; null for all
 */
export async function rollUp(
  ctx: Ctx,
  issueIds: readonly string[],
  why: ChangeReason,
  hostIds: readonly string[] | null = null,
): Promise<void> {
  const ids = [...new Set(issueIds)]
  if (ids.length === 0) return
  await recordHostHistory(ctx, ids, why, hostIds)
  await writeAggregates(ctx, await aggregate(ctx, ids), why, { hostIds })
}

/**
 * Writes the new state to the issues, then to the rollups by host and target, then to the history.
 */
export async function writeAggregates(
  ctx: Ctx,
  aggregates: readonly Aggregate[],
  why: ChangeReason,
  changedPart: ChangedPart,
): Promise<void> {
  const ids = aggregates.map((row) => row.id)
  await write(ctx, aggregates)
  await refreshCounts(ctx, ids, changedPart)
  await recordIssueHistory(ctx, ids, why)
}

const isIgnored = sql`occurrence.status = 'STATUS_IGNORED'`

/**
 * Reads only the few exceptional hosts from partial indexes: those that are internet-facing or have
 * a non-default criticality. The cost is independent of the number of affected hosts.
 */
async function aggregate(ctx: Ctx, ids: readonly string[]): Promise<Aggregate[]> {
  const ofIssues = sql`occurrence.account_id = ${ctx.workspace} and occurrence.issue_id = any(${ids}::uuid[])`
  const weight = sql`coalesce(weighed.weight, ${sql.lit(weights.CRITICALITY_NORMAL)})`
  // Withdrawn proof doesn't keep an issue verified while other occurrences are only inferred.
  const { rows } = await sql<Aggregate>`
    select seen.id, seen.quality, seen.proven, seen.hosts, seen.last_seen_at, seen.weight,
           lower(threat.name || ' ' || threat.key) as title, threat.score, threat.epss_score, threat.known_exploited_at,
           -- A decision that is still pending for some occurrences applies to the issue.
           coalesce(coming.status, seen.status) as status,
           case when coming.issue_id is null then seen.ignore_until else coming.ignore_until end as ignore_until,
           coalesce(coming.ignore_reason, decided.ignore_reason) as ignore_reason,
           coalesce(coming.ignore_comment, decided.ignore_comment) as ignore_comment,
           coalesce(coming.actor, decided.ignored_by) as ignored_by,
           exists (
             select from occurrence
             join host on host.account_id = ${ctx.workspace} and host.id = occurrence.host_id
             where occurrence.account_id = ${ctx.workspace} and occurrence.issue_id = seen.id
               and not (host.address::inet <<= any (${sql.lit(privateNetworks)}::inet[]))) as is_reachable
    from (
      select occurrence.issue_id as id,
             ${worstStatus} as status,
             coalesce(max(occurrence.quality) filter (where occurrence.status <> 'STATUS_RESOLVED'), max(occurrence.quality))::int as quality,
             coalesce(
               bool_or(${isVerified}) filter (where occurrence.status <> 'STATUS_RESOLVED'),
               bool_or(${isVerified})) as proven,
             count(distinct occurrence.host_id)::int as hosts,
             max(occurrence.last_seen_at) as last_seen_at,
             -- An issue reopens as soon as one of its hosts does.
             min(occurrence.ignore_until) filter (where ${isIgnored}) as ignore_until,
             coalesce(max(${weight}) filter (where occurrence.status <> 'STATUS_RESOLVED'), max(${weight})) as weight
      from occurrence
      left join (
        select id, case criticality when 'CRITICALITY_LOW' then ${sql.lit(weights.CRITICALITY_LOW)} else ${sql.lit(weights.CRITICALITY_HIGH)} end as weight
        from host
        where account_id = ${ctx.workspace} and criticality <> 'CRITICALITY_NORMAL'
      ) as weighed on weighed.id = occurrence.host_id
      where ${ofIssues}
      group by occurrence.issue_id
    ) as seen
    join issue on issue.account_id = ${ctx.workspace} and issue.id = seen.id and issue.id = any(${ids}::uuid[])
    join threat on threat.id = issue.threat_id
    left join issue_decision as coming on coming.account_id = ${ctx.workspace} and coming.issue_id = seen.id
    left join lateral (
      -- The latest decision determines the terms of the issue.
      select ignore_reason, ignore_comment, ignored_by from occurrence
      where occurrence.account_id = ${ctx.workspace} and occurrence.issue_id = seen.id and ${isIgnored}
      order by ignored_at desc
      limit 1
    ) as decided on seen.status = 'STATUS_IGNORED' and coming.issue_id is null`.execute(ctx.tx)
  return rows
}

/** Weight of the host criticality in the priority. */
export const weights = { CRITICALITY_LOW: 0, CRITICALITY_NORMAL: 1, CRITICALITY_HIGH: 2 } as const

/**
 * The times of ignoring, resolving, and changing, in an update of `issue` to the status of a row
 * `next`.
 */
export function transitionTimes(ctx: Ctx): RawBuilder<unknown> {
  return sql`
    ignored_at = case when next.status <> 'STATUS_IGNORED' then null when issue.status = next.status then issue.ignored_at else ${ctx.now} end,
    resolved_at = case when next.status = 'STATUS_OPEN' then null when next.status = 'STATUS_RESOLVED' and issue.status <> next.status then ${ctx.now} else issue.resolved_at end,
    updated_at = ${ctx.now}`
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
      is_reachable = next.is_reachable,
      weight = next.weight,
      host_count = next.hosts,
      last_seen_at = next.last_seen_at,
      ${transitionTimes(ctx)},
      ignore_until = case when next.status = 'STATUS_IGNORED' then next.ignore_until end,
      ignore_reason = case when next.status = 'STATUS_IGNORED' then coalesce(next.ignore_reason, '') else '' end,
      ignore_comment = case when next.status = 'STATUS_IGNORED' then coalesce(next.ignore_comment, '') else '' end,
      ignored_by = case when next.status = 'STATUS_IGNORED' then coalesce(next.ignored_by, '') else '' end,
      title = next.title,
      epss = next.epss
    from unnest(
      ${rows.map((row) => row.id)}::uuid[], ${rows.map((row) => row.status)}::text[], ${verifications}::text[],
      ${rows.map((row) => row.quality)}::int[], ${rows.map((row, index) => priorityOf(factsOf({ ...row, verification: verifications[index] ?? '' })).value)}::int[],
      ${rows.map((row) => row.hosts)}::int[],
      ${rows.map((row) => row.last_seen_at)}::timestamptz[], ${rows.map((row) => row.ignore_until)}::timestamptz[],
      ${rows.map((row) => row.ignore_reason)}::text[], ${rows.map((row) => row.ignore_comment)}::text[],
      ${rows.map((row) => row.ignored_by)}::text[], ${rows.map((row) => row.title)}::text[],
      ${rows.map((row) => row.epss_score ?? 0)}::real[], ${rows.map((row) => row.is_reachable)}::boolean[],
      ${rows.map((row) => row.weight)}::int[]
    ) as next (id, status, verification, quality, priority, hosts, last_seen_at, ignore_until,
               ignore_reason, ignore_comment, ignored_by, title, epss, is_reachable, weight)
    where issue.account_id = ${ctx.workspace} and issue.id = next.id`.execute(ctx.tx)
}
