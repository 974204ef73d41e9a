import type {
  AffectedHost,
  Evidence,
  HistoryEntry,
  Ignoring,
  Issue,
  IssueStatus,
  Verification,
} from '@glacis/contract/issue'
import type { SeverityCategory } from '@glacis/contract/threat'
import type { Ctx } from '#ctx.ts'
import { isoOf } from '#database/moment.ts'
import type { StoredEvidence } from '#database/tables.ts'
import { describeHosts, type Targets } from '#inventory/index.ts'
import { affected, assignees, type Event, history, type Seen, type Terms, type Wanted } from '#issues/seen.ts'
import { tagsOf } from '#issues/tags.ts'
import { threatsById, toThreat } from '#threats/index.ts'

export interface IssueRow extends Terms {
  readonly id: string
  readonly threat_id: string
  readonly status: IssueStatus
  readonly verification: Verification
  readonly quality: number
  readonly priority: number
  readonly is_reachable: boolean
  readonly weight: number
  readonly score: number
  readonly category: SeverityCategory
  readonly host_count: number
  readonly first_seen_at: Date
  readonly last_seen_at: Date
  readonly ignored_at: Date | null
  readonly resolved_at: Date | null
  readonly assignee_id: string | null
  readonly due_at: Date | null
}

/** Issues as the contract shows them, in a fixed number of statements however many there are. */
export async function describeIssues(
  ctx: Ctx,
  rows: readonly IssueRow[],
  targets: Targets,
  want: Wanted,
): Promise<Issue[]> {
  if (rows.length === 0) return []
  const ids = rows.map((row) => row.id)
  const [threats, seen, people, tags] = await Promise.all([
    threatsById(
      ctx,
      rows.map((row) => row.threat_id),
    ),
    affected(ctx, ids, want),
    assignees(ctx, rows),
    tagsOf(ctx, ids),
  ])
  const hostIds = seen.map((one) => one.host_id)
  const [targetById, hosts, events] = await Promise.all([
    targets(
      ctx,
      seen.map((one) => one.target_id),
    ),
    // A host belongs to the target of its occurrences: what is known of it need not be asked for twice.
    describeHosts(ctx, hostIds, async () => new Map(), { isBrief: true }),
    history(ctx, ids, seen),
  ])
  const seenByIssue = Map.groupBy(seen, (one) => one.issue_id)
  const entries = entriesByPlace(events)
  return rows.flatMap((row) => {
    const threat = threats.get(row.threat_id)
    if (!threat) return []
    const affectedHosts = (seenByIssue.get(row.id) ?? []).flatMap((one): AffectedHost[] => {
      const [host, target] = [hosts.get(one.host_id), targetById.get(one.target_id)]
      if (!host || !target) return []
      return [toAffectedHost(one, { host, target }, entries.get(placeOf(one)) ?? [], want.evidence)]
    })
    return {
      id: row.id,
      name: threat.name,
      status: row.status,
      threat: toThreat(threat),
      affectedHosts,
      affectedHostCount: row.host_count,
      history: entries.get(placeOf({ issue_id: row.id, host_id: null })) ?? [],
      firstSeenTime: row.first_seen_at.toISOString(),
      lastSeenTime: row.last_seen_at.toISOString(),
      ...times(row),
      verification: row.verification,
      priority: row.priority,
      quality: row.quality,
      ...terms(row),
      ...(row.assignee_id && { assignee: { id: row.assignee_id, name: people.get(row.assignee_id) ?? '' } }),
      ...(row.due_at && { dueTime: row.due_at.toISOString() }),
      tags: tags.get(row.id) ?? [],
    }
  })
}

function toAffectedHost(
  one: Seen,
  where: Pick<AffectedHost, 'target' | 'host'>,
  history: HistoryEntry[],
  withEvidence: boolean,
): AffectedHost {
  return {
    ...where,
    status: one.status,
    history,
    firstSeenTime: isoOf(one.first_seen_at),
    lastSeenTime: isoOf(one.last_seen_at),
    ...times(one),
    ...terms(one),
    ...(withEvidence && { evidence: one.evidence.map(toEvidence) }),
    ...(one.not_checked_since && { notCheckedSinceTime: one.not_checked_since.toISOString() }),
  }
}

/** What happened in each place: to an issue on a host, or to the issue as a whole. */
function entriesByPlace(events: readonly Event[]): ReadonlyMap<string, HistoryEntry[]> {
  const entries = new Map<string, HistoryEntry[]>()
  for (const event of events) {
    const [place, entry] = [placeOf(event), toEntry(event)]
    const before = entries.get(place)
    if (before) before.push(entry)
    else entries.set(place, [entry])
  }
  return entries
}

function placeOf({ issue_id, host_id }: { readonly issue_id: string; readonly host_id: string | null }): string {
  return host_id === null ? issue_id : issue_id + host_id
}

function toEvidence({ seen, ...evidence }: StoredEvidence & { seen: string }): Evidence {
  return { ...evidence, time: new Date(seen).toISOString() }
}

function toEntry(event: Event): HistoryEntry {
  return {
    status: event.status,
    timestamp: isoOf(event.at),
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

function terms(row: Terms & { readonly status: IssueStatus }): { ignored?: Ignoring } {
  if (row.status !== 'STATUS_IGNORED') return {}
  return {
    ignored: {
      ...(row.ignore_reason && { reason: row.ignore_reason }),
      ...(row.ignore_comment && { comment: row.ignore_comment }),
      ...(row.ignored_by && { actor: row.ignored_by }),
      ...(row.ignore_until && { untilTime: row.ignore_until.toISOString() }),
    },
  }
}
