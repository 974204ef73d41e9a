import type { Observation } from '@glacis/contract/runner'
import type { Knowledge } from '@glacis/intelligence'
import type { Ctx } from '#ctx.ts'
import { storable } from '#database/text.ts'
import { matchInventory, nameOf } from '#issues/potential.ts'
import { type Change, type Finding, raise } from '#issues/raise.ts'
import { rollUpRaised } from '#issues/incremental-rollup.ts'
import { rollUp } from '#issues/rollup.ts'
import { resolveUnseen, type NegativeResults } from '#issues/resolve-unseen.ts'
import { linkProducts } from '#issues/link-products.ts'
import { threatsByKey } from '#threats/index.ts'
import { sql } from 'kysely'

export interface Assessment {
  readonly scanId: string
  readonly targetId: string
  readonly observations: readonly Observation[]
  /** Host ids by address, as recorded for this batch. */
  readonly hostByAddress: ReadonlyMap<string, string>
  /** Ids of known hosts in the batch, whether they responded or not. */
  readonly askedHosts: ReadonlyMap<string, string>
  /** Knowledge beyond the threat records. */
  readonly knowledge: Knowledge
  /** The only issue to retest; null for a full scan. */
  readonly onlyIssue: string | null
}

/**
 * Turns the observations of a batch into issues: raises findings, resolves unseen issues, matches
 * versions, and writes the history once.
 */
export async function assess(ctx: Ctx, input: Assessment): Promise<void> {
  const proven = await findingsOf(ctx, input)
  const inferred = await matchInventory(ctx, input.targetId, [...input.hostByAddress.values()], input.knowledge)
  const findings = await ofIssue(ctx, input.onlyIssue, [...proven, ...inferred])
  const hostIds = [...new Set([...input.askedHosts, ...input.hostByAddress].map(([, id]) => id))]
  const raised = await raise(ctx, findings, hostIds)
  // Even without findings the installed software may have changed.
  await linkProducts(ctx, [...new Set([...input.hostByAddress.values(), ...findings.map((finding) => finding.hostId)])])
  const settled = await resolveUnseen(ctx, findings, negativeResultsOf(input), input.onlyIssue)
  // Resolved issues come first, grouped by reason; the others need no reason.
  for (const [reason, group] of Map.groupBy(settled, (one) => one.reason)) {
    await rollUp(
      ctx,
      group.map((one) => one.issueId),
      { reason, scanId: input.scanId },
      hostIds,
    )
  }
  const isSettled = new Set(settled.map((one) => one.issueId))
  const others = raised.filter((one) => !isSettled.has(one.issueId))
  await rollUpRaised(ctx, others, { reason: '', scanId: input.scanId }, hostIds)
  // On the same host, a detection takes precedence over a resolution elsewhere.
  await recordScanResults(ctx, input.scanId, [...settled, ...raised])
}

/** A retest of one issue ignores findings of other issues. */
async function ofIssue(ctx: Ctx, issueId: string | null, findings: readonly Finding[]): Promise<readonly Finding[]> {
  if (issueId === null) return findings
  const issue = await ctx.tx
    .selectFrom('issue')
    .select('threat_id')
    .where('account_id', '=', ctx.account)
    .where('id', '=', issueId)
    .executeTakeFirst()
  return findings.filter((one) => one.threat.id === issue?.threat_id)
}

async function findingsOf(ctx: Ctx, { observations, hostByAddress, targetId }: Assessment): Promise<Finding[]> {
  const seen = observations.filter((one) => one.kind === 'finding')
  const threats = await threatsByKey(
    ctx,
    seen.map((one) => one.threat),
  )
  return seen.flatMap((one) => {
    const [threat, hostId] = [threats.get(one.threat), hostByAddress.get(one.address)]
    if (!threat) ctx.log.error({ check: one.check, threat: one.threat }, 'a check refers to an unknown threat')
    if (!threat || !hostId) return []
    return {
      threat,
      hostId,
      targetId,
      location: storable(one.location),
      port: one.port ?? null,
      method: one.check,
      quality: one.quality,
      evidence: {
        location: storable(one.location),
        ...(one.port && { port: one.port }),
        method: one.check,
        quality: one.quality,
        ...(one.request && { request: storable(one.request) }),
        text: storable(one.evidence),
        highlights: one.highlights.map(storable),
      },
    }
  })
}

function negativeResultsOf({ observations, hostByAddress, askedHosts }: Assessment): NegativeResults {
  const covered = new Set<string>()
  const closed = new Set<string>()
  const read = new Map<string, { names: Set<string>; words: string }>()
  for (const one of observations) {
    const host = 'address' in one && one.address ? hostByAddress.get(one.address) : undefined
    if (!host) continue
    if (one.kind === 'coverage') for (const check of one.checks) covered.add(`${host} ${one.port ?? 0} ${check}`)
    if (one.kind === 'closed') for (const port of one.ports) closed.add(`${host} ${port}`)
    if (one.kind === 'technology') {
      const detected = read.get(`${host} ${one.port}`) ?? { names: new Set<string>(), words: '' }
      detected.names.add(nameOf(one.wfn))
      read.set(`${host} ${one.port}`, {
        names: detected.names,
        words: [detected.words, one.evidence.split('\n')[0]].filter(Boolean).join('; '),
      })
    }
  }
  return { reached: new Set(hostByAddress.values()), asked: new Set(askedHosts.values()), covered, closed, read }
}

/** Records the scan's result per issue and host. A later batch never weakens an earlier result. */
async function recordScanResults(ctx: Ctx, scanId: string, changes: readonly Change[]): Promise<void> {
  if (changes.length === 0) return
  const rows = new Map(changes.map((one) => [`${one.issueId} ${one.hostId}`, one]))
  for (const one of changes)
    if (one.change === 'NEW' || one.change === 'REGRESSION') rows.set(`${one.issueId} ${one.hostId}`, one)
  const list = [...rows.values()]
  await sql`
    insert into scan_issue (account_id, scan_id, issue_id, host_id, change)
    select ${ctx.account}, ${scanId}, * from unnest(
      ${list.map((one) => one.issueId)}::uuid[], ${list.map((one) => one.hostId)}::uuid[], ${list.map((one) => one.change)}::text[])
    on conflict do nothing`.execute(ctx.tx)
}
