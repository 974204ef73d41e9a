import type { IssueStatus, Verification } from '@glacis/contract/issue'
import type { Ctx } from '#ctx.ts'
import { priorityOf } from '@glacis/intelligence'
import { announce, type Announcement } from '#notifications/index.ts'
import { type Place, refreshStandings, verifiedQualityMin } from '#issues/standings.ts'
import { factsOf } from '#issues/reprioritise.ts'
import { worstFirst } from '#issues/status.ts'
import { sql } from 'kysely'

interface Aggregate {
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
  /** 0 low, 1 normal, 2 high: the host that matters most of those where it stands. */
  readonly weight: number
}

/**
 * Networks that nobody reaches from the internet (RFC 1918, 4193, 6598, 3927). Loopback is not among
 * them: it says nothing of how others reach the machine.
 */
const inside = '{10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,100.64.0.0/10,169.254.0.0/16,fc00::/7,fe80::/10}'

const worst = sql`(${sql.lit(`{${worstFirst.join(',')}}`)}::text[])[min(array_position(${sql.lit(`{${worstFirst.join(',')}}`)}::text[], occurrence.status))]`

/**
 * Brings issues in line with their occurrences: status (the worst of their hosts), verification
 * (the best evidence), priority, times. What changed, on a host or on the whole, is written to
 * the history with who did it and why. Running it again changes nothing.
 *
 * @param place where alone their occurrences can have changed; the rest is then not looked at
 */
export async function rollUp(
  ctx: Ctx,
  issueIds: readonly string[],
  why: { reason: string; scanId: string | null },
  place: Place | null = null,
): Promise<void> {
  const ids = [...new Set(issueIds)]
  if (ids.length === 0) return
  // What does not wait for an answer travels together: statements run in the order in which they are asked.
  const [aggregates] = await Promise.all([aggregate(ctx, ids), noteHosts(ctx, ids, why, place)])
  const [, turned] = await Promise.all([
    write(ctx, aggregates),
    noteIssues(ctx, ids, why),
    refreshStandings(ctx, ids, place),
  ])
  await announce(ctx, turned.map(toAnnouncement))
}

const isIgnored = sql`occurrence.status = 'STATUS_IGNORED'`

/**
 * Of hosts only the few that differ are read, from indexes that hold no others: those that can be reached
 * from outside, and those that matter less or more. An issue on ten thousand hosts looks at none of the rest.
 */
async function aggregate(ctx: Ctx, ids: readonly string[]): Promise<Aggregate[]> {
  const here = sql`occurrence.account_id = ${ctx.account} and occurrence.issue_id = any(${ids}::uuid[])`
  const weight = sql`coalesce(weighed.weight, ${sql.lit(weights.CRITICALITY_NORMAL)})`
  // Proof that was withdrawn does not keep an issue verified while others of it are still inferred.
  const { rows } = await sql<Aggregate>`
    select seen.*, lower(threat.name || ' ' || threat.key) as title, threat.score, threat.epss_score,
           threat.known_exploited_at, decided.ignore_reason, decided.ignore_comment, decided.ignored_by,
           exists (
             select from occurrence
             join host on host.account_id = ${ctx.account} and host.id = occurrence.host_id
             where occurrence.account_id = ${ctx.account} and occurrence.issue_id = seen.id
               and not (host.address::inet <<= any (${sql.lit(inside)}::inet[]))) as is_reachable
    from (
      select occurrence.issue_id as id,
             ${worst} as status,
             coalesce(max(occurrence.quality) filter (where occurrence.status <> 'STATUS_RESOLVED'), max(occurrence.quality))::int as quality,
             coalesce(
               bool_or(occurrence.method <> 'version' and occurrence.quality >= ${verifiedQualityMin}) filter (where occurrence.status <> 'STATUS_RESOLVED'),
               bool_or(occurrence.method <> 'version' and occurrence.quality >= ${verifiedQualityMin})) as proven,
             count(distinct occurrence.host_id)::int as hosts,
             max(occurrence.last_seen_at) as last_seen_at,
             -- An issue opens again when the first of its hosts does.
             min(occurrence.ignore_until) filter (where ${isIgnored}) as ignore_until,
             coalesce(max(${weight}) filter (where occurrence.status <> 'STATUS_RESOLVED'), max(${weight})) as weight
      from occurrence
      left join (
        select id, case criticality when 'CRITICALITY_LOW' then ${sql.lit(weights.CRITICALITY_LOW)} else ${sql.lit(weights.CRITICALITY_HIGH)} end as weight
        from host
        where account_id = ${ctx.account} and criticality <> 'CRITICALITY_NORMAL'
      ) as weighed on weighed.id = occurrence.host_id
      where ${here}
      group by occurrence.issue_id
    ) as seen
    join issue on issue.account_id = ${ctx.account} and issue.id = seen.id and issue.id = any(${ids}::uuid[])
    join threat on threat.id = issue.threat_id
    left join lateral (
      -- The latest decision speaks for the others.
      select ignore_reason, ignore_comment, ignored_by from occurrence
      where occurrence.account_id = ${ctx.account} and occurrence.issue_id = seen.id and ${isIgnored}
      order by ignored_at desc
      limit 1
    ) as decided on seen.status = 'STATUS_IGNORED'`.execute(ctx.tx)
  return rows
}

/** How much the hosts matter, as the priority counts it. */
const weights = { CRITICALITY_LOW: 0, CRITICALITY_NORMAL: 1, CRITICALITY_HIGH: 2 } as const

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
      ignored_at = case when next.status <> 'STATUS_IGNORED' then null when issue.status = next.status then issue.ignored_at else ${ctx.now} end,
      ignore_until = case when next.status = 'STATUS_IGNORED' then next.ignore_until end,
      ignore_reason = case when next.status = 'STATUS_IGNORED' then coalesce(next.ignore_reason, '') else '' end,
      ignore_comment = case when next.status = 'STATUS_IGNORED' then coalesce(next.ignore_comment, '') else '' end,
      ignored_by = case when next.status = 'STATUS_IGNORED' then coalesce(next.ignored_by, '') else '' end,
      title = next.title,
      epss = next.epss,
      resolved_at = case when next.status = 'STATUS_OPEN' then null when next.status = 'STATUS_RESOLVED' and issue.status <> next.status then ${ctx.now} else issue.resolved_at end,
      updated_at = ${ctx.now}
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
    where issue.account_id = ${ctx.account} and issue.id = next.id`.execute(ctx.tx)
}

async function noteHosts(
  ctx: Ctx,
  ids: readonly string[],
  why: { reason: string; scanId: string | null },
  place: Place | null,
): Promise<void> {
  const here = place ? sql`and occurrence.host_id = any(${place.hostIds}::uuid[])` : sql``
  await sql`
    insert into issue_event (account_id, id, issue_id, host_id, target_id, status, verification, at, actor, reason, scan_id)
    select ${ctx.account}, new_id(), standing.issue_id, standing.host_id, standing.target_id, standing.status,
           case when standing.proven then 'VERIFICATION_VERIFIED' else 'VERIFICATION_UNVERIFIED' end,
           ${ctx.now}, ${ctx.actor.name}, ${why.reason}, ${why.scanId}
    from (
      select occurrence.issue_id, occurrence.host_id, min(occurrence.target_id::text)::uuid as target_id, ${worst} as status,
             bool_or(occurrence.method <> 'version' and occurrence.quality >= ${verifiedQualityMin}) as proven
      from occurrence
      where occurrence.account_id = ${ctx.account} and occurrence.issue_id = any(${ids}::uuid[]) ${here}
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
): Promise<Turned[]> {
  const { rows } = await sql<Turned>`
    with turned as (
      select issue.id, issue.status, issue.verification, issue.score, issue.threat_id, last.status as before
      from issue
      left join lateral (
        select status, verification from issue_event as event
        where event.account_id = ${ctx.account} and event.issue_id = issue.id and event.host_id is null
        order by at desc, id desc
        limit 1
      ) as last on true
      where issue.account_id = ${ctx.account} and issue.id = any(${ids}::uuid[])
        and (last.status, last.verification) is distinct from (issue.status, issue.verification)
    ), noted as (
      insert into issue_event (account_id, id, issue_id, status, verification, at, actor, reason, scan_id)
      select ${ctx.account}, new_id(), id, status, verification, ${ctx.now}, ${ctx.actor.name}, ${why.reason}, ${why.scanId}
      from turned
    )
    select turned.*, threat.name,
           array(select distinct target_id from occurrence
                 where occurrence.account_id = ${ctx.account} and occurrence.issue_id = turned.id) as target_ids
    from turned join threat on threat.id = turned.threat_id`.execute(ctx.tx)
  return rows
}

/** An issue that stands elsewhere than its history said. */
interface Turned {
  readonly id: string
  readonly status: IssueStatus
  readonly before: IssueStatus | null
  readonly score: number
  readonly name: string
  readonly target_ids: string[]
}

function toAnnouncement(row: Turned): Announcement {
  return {
    kind: kindOf(row),
    title: row.name,
    score: row.score,
    resource: { kind: 'issue', id: row.id },
    targetIds: row.target_ids,
  }
}

function kindOf({ status, before }: Turned): Announcement['kind'] {
  if (before === null && status === 'STATUS_OPEN') return 'EVENT_ISSUE_OPENED'
  if (before === status) return 'EVENT_ISSUE_CHANGED'
  if (status === 'STATUS_REGRESSION') return 'EVENT_ISSUE_REGRESSED'
  if (status === 'STATUS_RESOLVED') return 'EVENT_ISSUE_RESOLVED'
  return status === 'STATUS_IGNORED' ? 'EVENT_ISSUE_IGNORED' : 'EVENT_ISSUE_CHANGED'
}

/** Writes to the history that a person changed the terms on which something is ignored; its status is as before. */
export async function noteTerms(
  ctx: Ctx,
  { id, hostId }: { readonly id: string; readonly hostId: string | null },
  reason: string,
): Promise<void> {
  await sql`
    insert into issue_event (account_id, id, issue_id, host_id, target_id, status, verification, at, actor, reason, scan_id)
    select ${ctx.account}, new_id(), last.issue_id, last.host_id, last.target_id, last.status, last.verification,
           ${ctx.now}, ${ctx.actor.name}, ${reason}, null
    from issue_event as last
    where account_id = ${ctx.account} and issue_id = ${id} and host_id is not distinct from ${hostId}::uuid
    order by at desc, id desc
    limit 1`.execute(ctx.tx)
}
