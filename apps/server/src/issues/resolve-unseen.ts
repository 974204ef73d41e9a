import type { Ctx } from '#ctx.ts'
import type { Change, Finding } from '#issues/raise.ts'
import { sql } from 'kysely'

/** What a batch implies about occurrences it did not find. */
export interface NegativeResults {
  /** Hosts that responded. */
  readonly reached: ReadonlySet<string>
  /** Hosts that were scanned. No conclusions are drawn from those that didn't respond. */
  readonly scanned: ReadonlySet<string>
  /** `host port check` (port 0: the whole host) of every check that completed. */
  readonly covered: ReadonlySet<string>
  /** `host port` that refused two connections while the host responded. */
  readonly closed: ReadonlySet<string>
  /**
   * `host port` → the software detected there: `vendor:product` names, and a text with versions.
   */
  readonly read: ReadonlyMap<string, { readonly names: ReadonlySet<string>; readonly evidence: string }>
}

/** An occurrence that was disproved, with the reason. */
export interface ResolvedOccurrence extends Change {
  readonly reason: string
}

interface ActiveOccurrence {
  readonly id: string
  readonly issue_id: string
  readonly host_id: string
  readonly threat_id: string
  readonly location: string
  readonly port: number | null
  readonly method: string
}

/**
 * Resolves the active occurrences on these hosts that the scan disproved, and records for the
 * others since when they have not been checked. Only evidence resolves: the same check completed,
 * the port refuses connections while the host responds, or the product was detected in an
 * unaffected version. An unresponsive host, a lost packet, or an exhausted budget changes no status.
 *
 * @param onlyIssue the only issue that was retested; null for all
 */
export async function resolveUnseen(
  ctx: Ctx,
  findings: readonly Finding[],
  verdicts: NegativeResults,
  onlyIssue: string | null,
): Promise<ResolvedOccurrence[]> {
  const found = new Set(findings.map((item) => key(item.threat.id, item.hostId, item.location, item.method)))
  const open = (await activeOn(ctx, [...verdicts.scanned], onlyIssue)).filter(
    (item) => !found.has(key(item.threat_id, item.host_id, item.location, item.method)),
  )
  const resolved = open.flatMap((item) => {
    const reason = resolutionReason(item, verdicts)
    return reason ? { ...item, reason } : []
  })
  const isResolved = new Set(resolved.map((item) => item.id))
  await markResolved(
    ctx,
    resolved.map((item) => item.id),
  )
  await recordUnchecked(
    ctx,
    open.filter((item) => !isResolved.has(item.id)).map((item) => item.id),
  )
  return resolved.map((item) => ({
    issueId: item.issue_id,
    hostId: item.host_id,
    change: 'RESOLVED' as const,
    reason: item.reason,
  }))
}

const key = (...parts: readonly string[]) => JSON.stringify(parts)

function resolutionReason(item: ActiveOccurrence, verdicts: NegativeResults): string | null {
  if (!verdicts.reached.has(item.host_id)) return null
  const hostPort = `${item.host_id} ${item.port ?? 0}`
  if (item.port !== null && verdicts.closed.has(hostPort)) return `Port ${item.port} refuses connections`
  if (item.method !== 'version') {
    return verdicts.covered.has(`${hostPort} ${item.method}`) ? 'The same check completed without a finding' : null
  }
  const read = verdicts.read.get(hostPort)
  const name = item.location.split(' ')[1] ?? ''
  return read?.names.has(name) ? `Detected again: ${read.evidence}` : null
}

async function activeOn(ctx: Ctx, hosts: readonly string[], onlyIssue: string | null): Promise<ActiveOccurrence[]> {
  if (hosts.length === 0) return []
  const { rows } = await sql<ActiveOccurrence>`
    select occurrence.id, occurrence.issue_id, occurrence.host_id, issue.threat_id,
           occurrence.location, occurrence.port, occurrence.method
    from occurrence
    join issue on issue.account_id = occurrence.account_id and issue.id = occurrence.issue_id
    where occurrence.account_id = ${ctx.workspace}
      and occurrence.host_id = any(${hosts}::uuid[])
      and (${onlyIssue}::uuid is null or occurrence.issue_id = ${onlyIssue})
      and occurrence.status in ('STATUS_OPEN', 'STATUS_REGRESSION')
      -- Packages are not visible to scans.
      and occurrence.method <> 'package'
    order by issue.id
    for update of occurrence`.execute(ctx.tx)
  return rows
}

/** Marks occurrences as resolved by a scan or feed. */
export async function markResolved(ctx: Ctx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await ctx.tx
    .updateTable('occurrence')
    .set({ status: 'STATUS_RESOLVED', resolved_at: ctx.now, decided_by: 'scan', not_checked_since: null })
    .where('account_id', '=', ctx.workspace)
    .where((where) => where('id', '=', where.fn.any(where.val(ids))))
    .execute()
}

async function recordUnchecked(ctx: Ctx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await sql`
    update occurrence set not_checked_since = last_seen_at
    -- Keeps the first time, and avoids a write on every scan.
    where account_id = ${ctx.workspace} and id = any(${ids}::uuid[]) and not_checked_since is null`.execute(ctx.tx)
}
