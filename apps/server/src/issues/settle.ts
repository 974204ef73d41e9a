import type { Ctx } from '#ctx.ts'
import type { Change, Finding } from '#issues/raise.ts'
import { sql } from 'kysely'

/** What a batch can say about what it did not find. */
export interface Verdicts {
  /** Hosts that answered. */
  readonly reached: ReadonlySet<string>
  /** Hosts that were looked at; those that did not answer say nothing. */
  readonly asked: ReadonlySet<string>
  /** `host port check` (port 0: the whole host) of every check that ran to its end. */
  readonly covered: ReadonlySet<string>
  /** `host port` that refused twice while the host answered. */
  readonly closed: ReadonlySet<string>
  /** `host port` → what was read there, as `vendor:product` names and the versions in words. */
  readonly read: ReadonlyMap<string, { readonly names: ReadonlySet<string>; readonly words: string }>
}

/** An occurrence that was disproved, and how. */
export interface Settled extends Change {
  readonly reason: string
}

interface Open {
  readonly id: string
  readonly issue_id: string
  readonly host_id: string
  readonly threat_id: string
  readonly location: string
  readonly port: number | null
  readonly method: string
}

/**
 * Resolves the active occurrences on these hosts that the scan disproved, and notes on the others
 * since when nothing is known. Only proof resolves: the same check ran to its end there, or the
 * port refuses while the host answers, or the product was read again outside the range. A host
 * that does not answer, a lost packet or a spent budget changes no status.
 *
 * @param onlyIssue the one issue that was looked for; null for all
 */
export async function settle(
  ctx: Ctx,
  findings: readonly Finding[],
  verdicts: Verdicts,
  onlyIssue: string | null,
): Promise<Settled[]> {
  const found = new Set(findings.map((one) => key(one.threat.id, one.hostId, one.location, one.method)))
  const open = (await activeOn(ctx, [...verdicts.asked], onlyIssue)).filter(
    (one) => !found.has(key(one.threat_id, one.host_id, one.location, one.method)),
  )
  const resolved = open.flatMap((one) => {
    const reason = refutation(one, verdicts)
    return reason ? { ...one, reason } : []
  })
  const isResolved = new Set(resolved.map((one) => one.id))
  await resolve(
    ctx,
    resolved.map((one) => one.id),
  )
  await noteUnchecked(
    ctx,
    open.filter((one) => !isResolved.has(one.id)).map((one) => one.id),
  )
  return resolved.map((one) => ({
    issueId: one.issue_id,
    hostId: one.host_id,
    change: 'RESOLVED' as const,
    reason: one.reason,
  }))
}

const key = (...parts: readonly string[]) => JSON.stringify(parts)

function refutation(one: Open, verdicts: Verdicts): string | null {
  if (!verdicts.reached.has(one.host_id)) return null
  const place = `${one.host_id} ${one.port ?? 0}`
  if (one.port !== null && verdicts.closed.has(place)) return `Port ${one.port} refuses connections`
  if (one.method !== 'version') {
    return verdicts.covered.has(`${place} ${one.method}`) ? 'The same check ran to its end and found nothing' : null
  }
  const read = verdicts.read.get(place)
  const name = one.location.split(' ')[1] ?? ''
  return read?.names.has(name) ? `Read again: ${read.words}` : null
}

async function activeOn(ctx: Ctx, hosts: readonly string[], onlyIssue: string | null): Promise<Open[]> {
  if (hosts.length === 0) return []
  const { rows } = await sql<Open>`
    select occurrence.id, occurrence.issue_id, occurrence.host_id, issue.threat_id,
           occurrence.location, occurrence.port, occurrence.method
    from occurrence
    join issue on issue.account_id = occurrence.account_id and issue.id = occurrence.issue_id
    where occurrence.account_id = ${ctx.account}
      and occurrence.host_id = any(${hosts}::uuid[])
      and (${onlyIssue}::uuid is null or occurrence.issue_id = ${onlyIssue})
      and occurrence.status in ('STATUS_OPEN', 'STATUS_REGRESSION')
    order by issue.id
    for update of occurrence`.execute(ctx.tx)
  return rows
}

/** Marks occurrences as disproved by what a scan or a feed says now. */
export async function resolve(ctx: Ctx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await ctx.tx
    .updateTable('occurrence')
    .set({ status: 'STATUS_RESOLVED', resolved_at: ctx.now, decided_by: 'scan', not_checked_since: null })
    .where('account_id', '=', ctx.account)
    .where((where) => where('id', '=', where.fn.any(where.val(ids))))
    .execute()
}

/** The rows of the issues are written too: what is kept of their places is kept under those (`createPlaces`). */
async function noteUnchecked(ctx: Ctx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await sql`
    with noted as (
      update occurrence set not_checked_since = last_seen_at
      -- What was noted before stays, and is not written again by every scan.
      where account_id = ${ctx.account} and id = any(${ids}::uuid[]) and not_checked_since is null
      returning issue_id
    )
    update issue set updated_at = ${ctx.now}
    where account_id = ${ctx.account} and id in (select issue_id from noted)`.execute(ctx.tx)
}
