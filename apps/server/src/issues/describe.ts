import type { AffectedHost, Issue, IssueStatus, Verification } from '@glacis/contract/issue'
import type { SeverityCategory } from '@glacis/contract/threat'
import type { Ctx } from '#ctx.ts'
import { describeHosts, type Targets } from '#inventory/index.ts'
import { readOccurrenceDetails, terms, times } from '#issues/occurrence-details.ts'
import { assignees, type Terms, type AffectedHostQuery } from '#issues/affected-hosts.ts'
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

/** Issues in their API representation, in a fixed number of statements. */
export async function describeIssues(
  ctx: Ctx,
  rows: readonly IssueRow[],
  targets: Targets,
  want: AffectedHostQuery,
): Promise<Issue[]> {
  if (rows.length === 0) return []
  const ids = rows.map((row) => row.id)
  const [threats, occurrences, people, tags] = await Promise.all([
    threatsById(
      ctx,
      rows.map((row) => row.threat_id),
    ),
    readOccurrenceDetails(ctx, ids, want),
    assignees(ctx, rows),
    tagsOf(ctx, ids),
  ])
  const shownHosts = [...occurrences.values()].flatMap((item) => item.hosts)
  const [targetById, hosts] = await Promise.all([
    targets(
      ctx,
      shownHosts.map((item) => item.targetId),
    ),
    // Hosts belong to the target of their occurrences, so the target doesn't have to be loaded
    // again.
    describeHosts(
      ctx,
      shownHosts.map((item) => item.hostId),
      async () => new Map(),
      { isBrief: true },
    ),
  ])
  return rows.flatMap((row) => {
    const threat = threats.get(row.threat_id)
    if (!threat) return []
    const affectedHosts = (occurrences.get(row.id)?.hosts ?? []).flatMap(
      ({ hostId, targetId, shown }): AffectedHost[] => {
        const [host, target] = [hosts.get(hostId), targetById.get(targetId)]
        return host && target ? [{ target, host, ...shown }] : []
      },
    )
    return {
      id: row.id,
      name: threat.name,
      status: row.status,
      threat: toThreat(threat),
      affectedHosts,
      affectedHostCount: row.host_count,
      history: occurrences.get(row.id)?.history ?? [],
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
