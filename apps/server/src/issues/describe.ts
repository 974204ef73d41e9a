import type { AffectedHost, Issue, IssueStatus, Verification } from '@glacis/contract/issue'
import type { SeverityCategory } from '@glacis/contract/threat'
import type { Ctx } from '#ctx.ts'
import { keepPlans } from '#database/plans.ts'
import { describeHosts, type Targets } from '#inventory/index.ts'
import { type ReadPlaces, readPlaces, terms, times } from '#issues/places.ts'
import { assignees, type Terms, type Wanted } from '#issues/seen.ts'
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
export async function describeIssues<Row extends IssueRow>(
  ctx: Ctx,
  rows: readonly Row[],
  targets: Targets,
  want: Wanted,
  read: (ctx: Ctx, rows: readonly Row[], want: Wanted) => ReturnType<ReadPlaces> = readPlaces,
): Promise<Issue[]> {
  if (rows.length === 0) return []
  const ids = rows.map((row) => row.id)
  const [, threats, places, people, tags] = await Promise.all([
    keepPlans(ctx),
    threatsById(
      ctx,
      rows.map((row) => row.threat_id),
    ),
    read(ctx, rows, want),
    assignees(ctx, rows),
    tagsOf(ctx, ids),
  ])
  const seen = [...places.values()].flatMap((one) => one.hosts)
  const [targetById, hosts] = await Promise.all([
    targets(
      ctx,
      seen.map((one) => one.targetId),
    ),
    // A host belongs to the target of its occurrences: what is known of it need not be asked for twice.
    describeHosts(
      ctx,
      seen.map((one) => one.hostId),
      async () => new Map(),
      { isBrief: true },
    ),
  ])
  return rows.flatMap((row) => {
    const threat = threats.get(row.threat_id)
    if (!threat) return []
    const affectedHosts = (places.get(row.id)?.hosts ?? []).flatMap(({ hostId, targetId, shown }): AffectedHost[] => {
      const [host, target] = [hosts.get(hostId), targetById.get(targetId)]
      return host && target ? [{ target, host, ...shown }] : []
    })
    return {
      id: row.id,
      name: threat.name,
      status: row.status,
      threat: toThreat(threat),
      affectedHosts,
      affectedHostCount: row.host_count,
      history: places.get(row.id)?.history ?? [],
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
