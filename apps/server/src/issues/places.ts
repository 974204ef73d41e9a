/** What is told of the places of issues: on which hosts they stand, since when, and what happened there. */
import type { AffectedHost, Evidence, HistoryEntry, Ignoring, IssueStatus } from '@glacis/contract/issue'
import type { Ctx } from '#ctx.ts'
import { isoOf } from '#database/moment.ts'
import type { StoredEvidence } from '#database/tables.ts'
import { affected, type Event, history, type Seen, type Terms, type Wanted } from '#issues/seen.ts'
import { LRUCache } from 'lru-cache'

/** Of one issue. */
export interface Places {
  /** Of the issue as a whole. */
  readonly history: HistoryEntry[]
  /** The hosts that are told of, in their order. */
  readonly hosts: readonly {
    readonly hostId: string
    readonly targetId: string
    readonly shown: Omit<AffectedHost, 'host' | 'target'>
  }[]
}

/** An issue whose row names its version: another one for each transaction that changed it. */
export interface Versioned {
  readonly id: string
  readonly version: string
}

/** How the places of issues are found, by issue. */
export type ReadPlaces = (ctx: Ctx, issues: readonly Versioned[], want: Wanted) => Promise<ReadonlyMap<string, Places>>

/** Asks the database for all of them. */
export async function readPlaces(
  ctx: Ctx,
  issues: readonly Pick<Versioned, 'id'>[],
  want: Wanted,
): Promise<ReadonlyMap<string, Places>> {
  if (issues.length === 0) return new Map()
  const ids = issues.map(({ id }) => id)
  const [seen, events] = await Promise.all([affected(ctx, ids, want), history(ctx, ids)])
  const seenByIssue = Map.groupBy(seen, (one) => one.issue_id)
  return new Map(
    ids.map((id) => [
      id,
      {
        history: (events.get(id) ?? []).map(toEntry),
        hosts: (seenByIssue.get(id) ?? []).map((one) => ({
          hostId: one.host_id,
          targetId: one.target_id,
          shown: toShown(one, want.evidence),
        })),
      },
    ]),
  )
}

/** Of all lists together, counted in hosts and entries of histories: some hundred bytes each. */
const keptMax = 100_000
/** Retention takes from histories what is older than a year, and leaves the issues as they are. */
const keptMs = 60_000

/**
 * Keeps what was told of an issue for as long as its row is as it was: whatever changes one of its places or its
 * history writes the row in the same transaction. For transactions that only read: one that writes would keep what it
 * may still change, or take back.
 */
export function createPlaces(): ReadPlaces {
  const kept = new LRUCache<string, Places>({
    maxSize: keptMax,
    sizeCalculation: ({ history, hosts }) =>
      hosts.reduce((sum, { shown }) => sum + 1 + shown.history.length, 1 + history.length),
    ttl: keptMs,
  })
  return async (ctx, issues, want) => {
    const question = JSON.stringify([ctx.account, want])
    const keyOf = ({ id, version }: Versioned) => `${id} ${version} ${question}`
    const known = new Map<string, Places>()
    for (const issue of issues) {
      const places = kept.get(keyOf(issue))
      if (places) known.set(issue.id, places)
    }
    const missing = issues.filter(({ id }) => !known.has(id))
    const read = await readPlaces(ctx, missing, want)
    for (const issue of missing) {
      const places = read.get(issue.id)
      if (!places) continue
      kept.set(keyOf(issue), places)
      known.set(issue.id, places)
    }
    return known
  }
}

function toShown(one: Seen, withEvidence: boolean): Places['hosts'][number]['shown'] {
  return {
    status: one.status,
    history: one.events.map(toEntry),
    firstSeenTime: isoOf(one.first_seen_at),
    lastSeenTime: isoOf(one.last_seen_at),
    ...times(one),
    ...terms(one),
    ...(withEvidence && { evidence: one.evidence.map(toEvidence) }),
    ...(one.not_checked_since && { notCheckedSinceTime: one.not_checked_since.toISOString() }),
  }
}

function toEvidence({ seen, ...evidence }: StoredEvidence & { seen: string }): Evidence {
  return { ...evidence, time: new Date(seen).toISOString() }
}

function toEntry([status, at, actor, reason]: Event): HistoryEntry {
  return { status, timestamp: isoOf(at), actor, ...(reason && { reason }) }
}

/** When an issue, or one of its places, was ignored and resolved. */
export function times(row: { readonly ignored_at: Date | null; readonly resolved_at: Date | null }) {
  return {
    ...(row.ignored_at && { ignoreTime: row.ignored_at.toISOString() }),
    ...(row.resolved_at && { resolveTime: row.resolved_at.toISOString() }),
  }
}

/** On which terms an issue, or one of its places, is ignored. */
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
