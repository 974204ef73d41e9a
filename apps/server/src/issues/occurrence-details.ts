/** Details of occurrences: affected hosts, times, and history. */
import type { AffectedHost, Evidence, HistoryEntry, Ignoring, IssueStatus } from '@glacis/contract/issue'
import type { Ctx } from '#ctx.ts'
import { toIso } from '#database/timestamps.ts'
import type { StoredEvidence } from '#database/tables.ts'
import {
  affectedHosts,
  type Event,
  history,
  type AffectedHostRow,
  type Terms,
  type AffectedHostQuery,
} from '#issues/affected-hosts.ts'

/** The occurrences of one issue. */
export interface OccurrenceDetails {
  /** Issue-level history. */
  readonly history: HistoryEntry[]
  /** The hosts to show, in order. */
  readonly hosts: readonly {
    readonly hostId: string
    readonly targetId: string
    readonly shown: Omit<AffectedHost, 'host' | 'target'>
  }[]
}

/** The occurrence details of each of these issues. */
export async function readOccurrenceDetails(
  ctx: Ctx,
  ids: readonly string[],
  query: AffectedHostQuery,
): Promise<ReadonlyMap<string, OccurrenceDetails>> {
  const [occurrences, events] = await Promise.all([affectedHosts(ctx, ids, query), history(ctx, ids)])
  const occurrencesByIssue = Map.groupBy(occurrences, (item) => item.issue_id)
  return new Map(
    ids.map((id) => [
      id,
      {
        history: (events.get(id) ?? []).map(toEntry),
        hosts: (occurrencesByIssue.get(id) ?? []).map((item) => ({
          hostId: item.host_id,
          targetId: item.target_id,
          shown: toShown(item, query.evidence),
        })),
      },
    ]),
  )
}

function toShown(item: AffectedHostRow, withEvidence: boolean): OccurrenceDetails['hosts'][number]['shown'] {
  return {
    status: item.status,
    history: item.events.map(toEntry),
    firstSeenTime: toIso(item.first_seen_at),
    lastSeenTime: toIso(item.last_seen_at),
    ...times(item),
    ...terms(item),
    ...(withEvidence && { evidence: item.evidence.map(toEvidence) }),
    ...(item.not_checked_since && { notCheckedSinceTime: item.not_checked_since.toISOString() }),
  }
}

function toEvidence({ seen, ...evidence }: StoredEvidence & { seen: string }): Evidence {
  return { ...evidence, time: new Date(seen).toISOString() }
}

function toEntry([status, at, actor, reason]: Event): HistoryEntry {
  return { status, timestamp: toIso(at), actor, ...(reason && { reason }) }
}

/** When an issue or occurrence was ignored and resolved. */
export function times(row: { readonly ignored_at: Date | null; readonly resolved_at: Date | null }) {
  return {
    ...(row.ignored_at && { ignoreTime: row.ignored_at.toISOString() }),
    ...(row.resolved_at && { resolveTime: row.resolved_at.toISOString() }),
  }
}

/** The ignore terms of an issue or occurrence. */
export function terms(row: Terms & { readonly status: IssueStatus }): { ignored?: Ignoring } {
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
