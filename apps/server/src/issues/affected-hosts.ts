/** Reads the rows from which affected hosts and history are described. */
import type { IgnoreReason, IssueStatus } from '@glacis/contract/issue'
import type { Ctx } from '#ctx.ts'
import type { StoredEvidence } from '#database/tables.ts'
import { worstFirst } from '#issues/status.ts'
import { type RawBuilder, sql } from 'kysely'

/** Ignore terms of a row. */
export interface Terms {
  readonly ignore_until: Date | null
  readonly ignore_reason: IgnoreReason | ''
  readonly ignore_comment: string
  readonly ignored_by: string
}

/** What to read for each issue. */
export interface AffectedHostQuery {
  /** Maximum number of hosts per issue; null for all. */
  readonly hostsMax: number | null
  /** Restricts the hosts to this target when all hosts are read. */
  readonly within?: string
  readonly evidence: boolean
  /** Hosts to list first, regardless of status. */
  readonly first?: { readonly hostId?: string | undefined; readonly targetId?: string | undefined }
}

export interface AffectedHostRow extends Terms {
  readonly issue_id: string
  readonly host_id: string
  readonly target_id: string
  readonly status: IssueStatus
  /** Times are text as formatted by the database. */
  readonly first_seen_at: string
  readonly last_seen_at: string
  readonly ignored_at: Date | null
  readonly resolved_at: Date | null
  readonly not_checked_since: Date | null
  readonly evidence: readonly (StoredEvidence & { seen: string })[]
  /** The history on this host, oldest first. */
  readonly events: readonly Event[]
}

/** A history entry: status, time as text, actor, and reason. */
export type Event = readonly [status: IssueStatus, at: string, actor: string, reason: string]

/**
 * The hosts to read per issue: all, or the first few from an index, so that the cost is independent
 * of the number of affected hosts.
 */
function selectedHosts(ctx: Ctx, { hostsMax, within, first = {} }: AffectedHostQuery): RawBuilder<unknown> {
  const of = sql`from occurrence where account_id = ${ctx.workspace} and issue_id = wanted.id`
  if (hostsMax === null) return sql`select distinct host_id ${of} ${within ? sql`and target_id = ${within}` : sql``}`
  const some = (rank: number, condition: RawBuilder<unknown>) => sql`
    (select distinct host_id, ${sql.lit(rank)} as rank ${of} and ${condition}
     order by host_id
     limit ${sql.lit(hostsMax)})`
  const requested = [
    ...(first.hostId ? [some(0, sql`host_id = ${first.hostId}`)] : []),
    ...(first.targetId ? [some(1, sql`target_id = ${first.targetId}`)] : []),
  ]
  const byStatus = worstFirst.map((status, rank) => some(rank + 2, sql`status = ${sql.lit(status)}`))
  return sql`
    select host_id from (${sql.join([...requested, ...byStatus], sql` union all `)}) as found
    group by host_id
    order by min(rank), host_id
    limit ${sql.lit(hostsMax)}`
}

/** Each issue on each host, worst first, limited to `hostsMax` hosts per issue. */
export async function affectedHosts(
  ctx: Ctx,
  ids: readonly string[],
  want: AffectedHostQuery,
): Promise<AffectedHostRow[]> {
  const { hostId = null, targetId = null } = want.first ?? {}
  const ranks = sql`${sql.lit(`{${worstFirst.join(',')}}`)}::text[]`
  const evidence = want.evidence
    ? sql`jsonb_agg(evidence || jsonb_build_object('seen', last_seen_at) order by quality desc, location)`
    : sql`'[]'::jsonb`
  const { rows } = await sql<AffectedHostRow>`
    select wanted.id as issue_id, few.host_id, target_id, coalesce(coming.status, places.status) as status,
           places.first_seen_at::text as first_seen_at, places.last_seen_at::text as last_seen_at,
           case coming.status when 'STATUS_IGNORED' then coming.at else ignored_at end as ignored_at,
           case coming.status when 'STATUS_RESOLVED' then coming.at else resolved_at end as resolved_at,
           case when coming.issue_id is null then places.ignore_until else coming.ignore_until end as ignore_until,
           coalesce(coming.ignore_reason, places.ignore_reason) as ignore_reason,
           coalesce(coming.ignore_comment, places.ignore_comment) as ignore_comment,
           coalesce(coming.actor, ignored_by) as ignored_by, not_checked_since, evidence, happened.events
    from unnest(${ids}::uuid[]) as wanted (id)
    -- A pending decision applies to all occurrences.
    left join issue_decision as coming on coming.account_id = ${ctx.workspace} and coming.issue_id = wanted.id
    cross join lateral (${selectedHosts(ctx, want)}) as few
    cross join lateral (
      select min(target_id::text)::uuid as target_id, (${ranks})[min(array_position(${ranks}, status))] as status,
             min(first_seen_at) as first_seen_at, max(last_seen_at) as last_seen_at,
             max(ignored_at) as ignored_at, max(resolved_at) as resolved_at,
             min(ignore_until) filter (where ${isIgnored}) as ignore_until,
             coalesce(max(ignore_reason) filter (where ${isIgnored}), '') as ignore_reason,
             coalesce(max(ignore_comment) filter (where ${isIgnored}), '') as ignore_comment,
             coalesce(max(ignored_by) filter (where ${isIgnored}), '') as ignored_by,
             -- Only if no open occurrence was checked: one that was just seen proves that the risk is still there.
             case when bool_and(not_checked_since is not null) filter (where ${isOpen}) then
               min(not_checked_since) filter (where ${isOpen})
             end as not_checked_since,
             ${evidence} as evidence
      from occurrence
      where account_id = ${ctx.workspace} and issue_id = wanted.id and host_id = few.host_id
      -- Without it, the planner would start with all occurrences of the host.
      offset 0
    ) as places
    cross join lateral (
      select ${eventList} as events from issue_event
      where account_id = ${ctx.workspace} and issue_id = wanted.id and host_id = few.host_id
      -- Lateral per host: an issue may have events on thousands of hosts that are not shown.
      offset 0
    ) as happened
    order by wanted.id, few.host_id is not distinct from ${hostId}::uuid desc,
             places.target_id is not distinct from ${targetId}::uuid desc,
             array_position(${ranks}, places.status), places.last_seen_at desc, few.host_id`.execute(ctx.tx)
  return rows
}

const isIgnored = sql`status = 'STATUS_IGNORED'`
const isOpen = sql`status in ('STATUS_OPEN', 'STATUS_REGRESSION')`

/** Aggregates rows of `issue_event` into a list of `Event`. */
const eventList = sql<readonly Event[]>`
  coalesce(json_agg(json_build_array(status, at::text, actor, reason) order by at, id), '[]'::json)`

/** Issue-level history, oldest first. */
export async function history(ctx: Ctx, ids: readonly string[]): Promise<ReadonlyMap<string, readonly Event[]>> {
  const { rows } = await sql<{ issue_id: string; events: readonly Event[] }>`
    select issue_id, ${eventList} as events from issue_event
    where account_id = ${ctx.workspace} and issue_id = any(${ids}::uuid[]) and host_id is null
    group by issue_id`.execute(ctx.tx)
  return new Map(rows.map((row) => [row.issue_id, row.events]))
}

/** Names of the assignees. */
export async function assignees(
  ctx: Ctx,
  rows: readonly { readonly assignee_id: string | null }[],
): Promise<ReadonlyMap<string, string>> {
  if (rows.every((row) => row.assignee_id === null)) return new Map()
  const people = await ctx.tx
    .selectFrom('member')
    .select(['identity_id', 'name'])
    .where('account_id', '=', ctx.workspace)
    .execute()
  return new Map(people.map((item) => [item.identity_id, item.name]))
}
