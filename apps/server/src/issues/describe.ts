import type { AffectedHost, Evidence, HistoryEntry, Issue, IssueStatus, Verification } from '@glacis/contract/issue'
import type { SeverityCategory } from '@glacis/contract/threat'
import type { Ctx } from '#ctx.ts'
import type { StoredEvidence } from '#database/tables.ts'
import { describeHosts, type Targets } from '#inventory/index.ts'
import { worstFirst } from '#issues/status.ts'
import { threatsById, toThreat } from '#threats.ts'
import { sql } from 'kysely'

export interface IssueRow {
  readonly id: string
  readonly threat_id: string
  readonly status: IssueStatus
  readonly verification: Verification
  readonly quality: number
  readonly priority: number
  readonly score: number
  readonly category: SeverityCategory
  readonly host_count: number
  readonly first_seen_at: Date
  readonly last_seen_at: Date
  /** To the microsecond, as the database orders it. */
  readonly last_seen_exact: string
  readonly ignored_at: Date | null
  readonly resolved_at: Date | null
}

interface Seen {
  readonly issue_id: string
  readonly host_id: string
  readonly target_id: string
  readonly status: IssueStatus
  readonly first_seen_at: Date
  readonly last_seen_at: Date
  readonly ignored_at: Date | null
  readonly resolved_at: Date | null
  readonly not_checked_since: Date | null
  readonly evidence: readonly (StoredEvidence & { seen: string })[]
}

interface Event {
  readonly issue_id: string
  readonly host_id: string | null
  readonly status: IssueStatus
  readonly at: Date
  readonly actor: string
  readonly reason: string
}

/** Issues as the contract shows them, in a fixed number of statements however many there are. */
export async function describeIssues(
  ctx: Ctx,
  rows: readonly IssueRow[],
  targets: Targets,
  want: { readonly hostsMax: number | null; readonly evidence: boolean },
): Promise<Issue[]> {
  if (rows.length === 0) return []
  const ids = rows.map((row) => row.id)
  const threats = await threatsById(
    ctx,
    rows.map((row) => row.threat_id),
  )
  const seen = await affected(ctx, ids, want)
  const hosts = await describeHosts(
    ctx,
    seen.map((one) => one.host_id),
    targets,
  )
  const targetById = await targets(
    ctx,
    seen.map((one) => one.target_id),
  )
  const events = await history(ctx, ids)
  return rows.flatMap((row) => {
    const threat = threats.get(row.threat_id)
    if (!threat) return []
    const affectedHosts = seen
      .filter((one) => one.issue_id === row.id)
      .flatMap((one): AffectedHost[] => {
        const [host, target] = [hosts.get(one.host_id), targetById.get(one.target_id)]
        return host && target ? [toAffectedHost(one, host, target, events, want.evidence)] : []
      })
    return {
      id: row.id,
      name: threat.name,
      status: row.status,
      threat: toThreat(threat),
      affectedHosts,
      affectedHostCount: row.host_count,
      history: events.filter((event) => event.issue_id === row.id && event.host_id === null).map(toEntry),
      firstSeenTime: row.first_seen_at.toISOString(),
      lastSeenTime: row.last_seen_at.toISOString(),
      ...times(row),
      verification: row.verification,
      priority: row.priority,
      quality: row.quality,
    }
  })
}

function toAffectedHost(
  one: Seen,
  host: AffectedHost['host'],
  target: AffectedHost['target'],
  events: readonly Event[],
  withEvidence: boolean,
): AffectedHost {
  return {
    target,
    host,
    status: one.status,
    history: events.filter((event) => event.issue_id === one.issue_id && event.host_id === one.host_id).map(toEntry),
    firstSeenTime: one.first_seen_at.toISOString(),
    lastSeenTime: one.last_seen_at.toISOString(),
    ...times(one),
    ...(withEvidence && { evidence: one.evidence.map(toEvidence) }),
    ...(one.not_checked_since && { notCheckedSinceTime: one.not_checked_since.toISOString() }),
  }
}

function toEvidence({ seen, ...evidence }: StoredEvidence & { seen: string }): Evidence {
  return { ...evidence, time: new Date(seen).toISOString() }
}

function toEntry(event: Event): HistoryEntry {
  return {
    status: event.status,
    timestamp: event.at.toISOString(),
    actor: event.actor,
    ...(event.reason && { reason: event.reason }),
  }
}

function times(row: { ignored_at: Date | null; resolved_at: Date | null }) {
  return {
    ...(row.ignored_at && { ignoreTime: row.ignored_at.toISOString() }),
    ...(row.resolved_at && { resolveTime: row.resolved_at.toISOString() }),
  }
}

/** Each issue on each host, worst first, cut to `hostsMax` hosts per issue where the caller wants a list. */
async function affected(
  ctx: Ctx,
  ids: readonly string[],
  want: { readonly hostsMax: number | null; readonly evidence: boolean },
): Promise<Seen[]> {
  const ranks = sql`${`{${worstFirst.join(',')}}`}::text[]`
  const evidence = want.evidence
    ? sql`jsonb_agg(occurrence.evidence || jsonb_build_object('seen', occurrence.last_seen_at) order by occurrence.quality desc, occurrence.location)`
    : sql`'[]'::jsonb`
  const { rows } = await sql<Seen>`
    select * from (
      select grouped.*, row_number() over (partition by issue_id order by array_position(${ranks}, status), last_seen_at desc, host_id) as place
      from (
        select occurrence.issue_id, occurrence.host_id, min(occurrence.target_id::text)::uuid as target_id,
               (${ranks})[min(array_position(${ranks}, occurrence.status))] as status,
               min(occurrence.first_seen_at) as first_seen_at, max(occurrence.last_seen_at) as last_seen_at,
               max(occurrence.ignored_at) as ignored_at, max(occurrence.resolved_at) as resolved_at,
               min(occurrence.not_checked_since) filter (where occurrence.status in ('STATUS_OPEN', 'STATUS_REGRESSION')) as not_checked_since,
               ${evidence} as evidence
        from occurrence
        where occurrence.account_id = ${ctx.account} and occurrence.issue_id = any(${ids}::uuid[])
        group by occurrence.issue_id, occurrence.host_id
      ) as grouped
    ) as placed
    where ${want.hostsMax}::int is null or place <= ${want.hostsMax}
    order by issue_id, place`.execute(ctx.tx)
  return rows
}

async function history(ctx: Ctx, ids: readonly string[]): Promise<Event[]> {
  return ctx.tx
    .selectFrom('issue_event')
    .select(['issue_id', 'host_id', 'status', 'at', 'actor', 'reason'])
    .where('account_id', '=', ctx.account)
    .where('issue_id', 'in', ids)
    .orderBy('at')
    .orderBy('id')
    .execute()
}
