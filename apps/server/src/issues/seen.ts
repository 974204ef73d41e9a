/** Where issues stand, on which hosts, and what happened there: the rows that they are described from. */
import type { IgnoreReason, IssueStatus } from '@glacis/contract/issue'
import type { Ctx } from '#ctx.ts'
import { anyOf } from '#database/any.ts'
import type { StoredEvidence } from '#database/tables.ts'
import { worstFirst } from '#issues/status.ts'
import { type RawBuilder, sql } from 'kysely'

/** On which terms a row is ignored. */
export interface Terms {
  readonly ignore_until: Date | null
  readonly ignore_reason: IgnoreReason | ''
  readonly ignore_comment: string
  readonly ignored_by: string
}

/** What to tell of each issue. */
export interface Wanted {
  /** Null for all. */
  readonly hostsMax: number | null
  readonly evidence: boolean
  /** The hosts that stand before the others, whatever their status. */
  readonly first?: { readonly hostId?: string | undefined; readonly targetId?: string | undefined }
}

export interface Seen extends Terms {
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

export interface Event {
  readonly issue_id: string
  readonly host_id: string | null
  readonly status: IssueStatus
  readonly at: Date
  readonly actor: string
  readonly reason: string
}

/**
 * The occurrences to look at: those of the issues, or, where a few hosts of each are enough, those of
 * the hosts that come first. An index hands them out in order, so that an issue on ten thousand hosts
 * costs what one on ten costs.
 */
function chosen(ctx: Ctx, ids: readonly string[], { hostsMax, first = {} }: Wanted) {
  if (hostsMax === null) return sql`occurrence.issue_id = any(${ids}::uuid[])`
  const some = (rank: number, condition: RawBuilder<unknown>) => sql`
    (select host_id, ${sql.lit(rank)} as rank from occurrence
     where account_id = ${ctx.account} and issue_id = wanted.id and ${condition}
     order by host_id
     limit ${hostsMax * placesMax})`
  const asked = [
    ...(first.hostId ? [some(0, sql`host_id = ${first.hostId}`)] : []),
    ...(first.targetId ? [some(1, sql`target_id = ${first.targetId}`)] : []),
  ]
  const byStatus = worstFirst.map((status, rank) => some(rank + 2, sql`status = ${status}`))
  return sql`(occurrence.issue_id, occurrence.host_id) in (
    select wanted.id, few.host_id
    from unnest(${ids}::uuid[]) as wanted (id)
    cross join lateral (
      select host_id from (${sql.join([...asked, ...byStatus], sql` union all `)}) as found
      group by host_id
      order by min(rank), host_id
      limit ${hostsMax}
    ) as few)`
}

/** An issue is seldom in more places than this on one host. */
const placesMax = 4

/** Each issue on each host, worst first, cut to `hostsMax` hosts per issue where the caller wants a list. */
export async function affected(ctx: Ctx, ids: readonly string[], want: Wanted): Promise<Seen[]> {
  const { hostId = null, targetId = null } = want.first ?? {}
  const ranks = sql`${`{${worstFirst.join(',')}}`}::text[]`
  const evidence = want.evidence
    ? sql`jsonb_agg(occurrence.evidence || jsonb_build_object('seen', occurrence.last_seen_at) order by occurrence.quality desc, occurrence.location)`
    : sql`'[]'::jsonb`
  const { rows } = await sql<Seen>`
    select * from (
      select grouped.*, row_number() over (
        partition by issue_id
        order by host_id is not distinct from ${hostId}::uuid desc, target_id is not distinct from ${targetId}::uuid desc,
                 array_position(${ranks}, status), last_seen_at desc, host_id) as place
      from (
        select occurrence.issue_id, occurrence.host_id, min(occurrence.target_id::text)::uuid as target_id,
               (${ranks})[min(array_position(${ranks}, occurrence.status))] as status,
               min(occurrence.first_seen_at) as first_seen_at, max(occurrence.last_seen_at) as last_seen_at,
               max(occurrence.ignored_at) as ignored_at, max(occurrence.resolved_at) as resolved_at,
               min(occurrence.ignore_until) filter (where ${isIgnored}) as ignore_until,
               coalesce(max(occurrence.ignore_reason) filter (where ${isIgnored}), '') as ignore_reason,
               coalesce(max(occurrence.ignore_comment) filter (where ${isIgnored}), '') as ignore_comment,
               coalesce(max(occurrence.ignored_by) filter (where ${isIgnored}), '') as ignored_by,
               min(occurrence.not_checked_since) filter (where occurrence.status in ('STATUS_OPEN', 'STATUS_REGRESSION')) as not_checked_since,
               ${evidence} as evidence
        from occurrence
        where occurrence.account_id = ${ctx.account} and ${chosen(ctx, ids, want)}
        group by occurrence.issue_id, occurrence.host_id
      ) as grouped
    ) as placed
    where ${want.hostsMax}::int is null or place <= ${want.hostsMax}
    order by issue_id, place`.execute(ctx.tx)
  return rows
}

const isIgnored = sql`occurrence.status = 'STATUS_IGNORED'`

/** What happened to the issues as a whole, and on these hosts. */
export async function history(ctx: Ctx, ids: readonly string[], hostIds: readonly string[]): Promise<Event[]> {
  return ctx.tx
    .selectFrom('issue_event')
    .select(['issue_id', 'host_id', 'status', 'at', 'actor', 'reason'])
    .where('account_id', '=', ctx.account)
    .where('issue_id', '=', anyOf(ids))
    .where((where) => where.or([where('host_id', 'is', null), where('host_id', '=', anyOf([...new Set(hostIds)]))]))
    .orderBy('at')
    .orderBy('id')
    .execute()
}

/** Names of the people whom issues are assigned to. */
export async function assignees(
  ctx: Ctx,
  rows: readonly { readonly assignee_id: string | null }[],
): Promise<ReadonlyMap<string, string>> {
  if (rows.every((row) => row.assignee_id === null)) return new Map()
  const people = await ctx.tx
    .selectFrom('account')
    .select(['identity_id', 'name'])
    .where('id', '=', ctx.account)
    .execute()
  return new Map(people.map((one) => [one.identity_id, one.name]))
}
