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
  /** Host IDs by address, as recorded for this batch. */
  readonly hostByAddress: ReadonlyMap<string, string>
  /** IDs of known hosts in the batch, whether they responded or not. */
  readonly scannedHosts: ReadonlyMap<string, string>
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
  const confirmed = await findingsOf(ctx, input)
  const inferred = await matchInventory(ctx, input.targetId, [...input.hostByAddress.values()], input.knowledge)
  const findings = await ofIssue(ctx, input.onlyIssue, [...confirmed, ...inferred])
  const hostIds = [...new Set([...input.scannedHosts, ...input.hostByAddress].map(([, id]) => id))]
  const raised = await raise(ctx, findings, hostIds)
  // Even without findings the installed software may have changed.
  await linkProducts(ctx, [...new Set([...input.hostByAddress.values(), ...findings.map((finding) => finding.hostId)])])
  const resolved = await resolveUnseen(ctx, findings, negativeResultsOf(input), input.onlyIssue)
  // Resolved issues come first, grouped by reason; the others need no reason.
  for (const [reason, group] of Map.groupBy(resolved, (item) => item.reason)) {
    await rollUp(
      ctx,
      group.map((item) => item.issueId),
      { reason, scanId: input.scanId },
      hostIds,
    )
  }
  const isResolvedHere = new Set(resolved.map((item) => item.issueId))
  const others = raised.filter((item) => !isResolvedHere.has(item.issueId))
  await rollUpRaised(ctx, others, { reason: '', scanId: input.scanId }, hostIds)
  // On the same host, a detection takes precedence over a resolution elsewhere.
  await recordScanResults(ctx, input.scanId, [...resolved, ...raised])
}

/** A retest of one issue ignores findings of other issues. */
async function ofIssue(ctx: Ctx, issueId: string | null, findings: readonly Finding[]): Promise<readonly Finding[]> {
  if (issueId === null) return findings
  const issue = await ctx.tx
    .selectFrom('issue')
    .select('threat_id')
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', issueId)
    .executeTakeFirst()
  return findings.filter((item) => item.threat.id === issue?.threat_id)
}

async function findingsOf(ctx: Ctx, { observations, hostByAddress, targetId }: Assessment): Promise<Finding[]> {
  const checkFindings = observations.filter((item) => item.kind === 'finding')
  const threats = await threatsByKey(
    ctx,
    checkFindings.map((item) => item.threat),
  )
  return checkFindings.flatMap((item) => {
    const [threat, hostId] = [threats.get(item.threat), hostByAddress.get(item.address)]
    if (!threat) ctx.log.error({ check: item.check, threat: item.threat }, 'a check refers to an unknown threat')
    if (!threat || !hostId) return []
    return {
      threat,
      hostId,
      targetId,
      location: storable(item.location),
      port: item.port ?? null,
      method: item.check,
      quality: item.quality,
      evidence: {
        location: storable(item.location),
        ...(item.port && { port: item.port }),
        method: item.check,
        quality: item.quality,
        ...(item.request && { request: storable(item.request) }),
        text: storable(item.evidence),
        highlights: item.highlights.map(storable),
        ...(item.extracted && { extracted: item.extracted.map(storable) }),
        ...(item.reproduce && { reproduce: storable(item.reproduce) }),
      },
    }
  })
}

function negativeResultsOf({ observations, hostByAddress, scannedHosts }: Assessment): NegativeResults {
  const covered = new Set<string>()
  const closed = new Set<string>()
  const read = new Map<string, { names: Set<string>; evidence: string }>()
  for (const item of observations) {
    const host = 'address' in item && item.address ? hostByAddress.get(item.address) : undefined
    if (!host) continue
    if (item.kind === 'coverage') for (const check of item.checks) covered.add(`${host} ${item.port ?? 0} ${check}`)
    if (item.kind === 'closed') for (const port of item.ports) closed.add(`${host} ${port}`)
    if (item.kind === 'technology') {
      const detected = read.get(`${host} ${item.port}`) ?? { names: new Set<string>(), evidence: '' }
      detected.names.add(nameOf(item.wfn))
      read.set(`${host} ${item.port}`, {
        names: detected.names,
        evidence: [detected.evidence, item.evidence.split('\n')[0]].filter(Boolean).join('; '),
      })
    }
  }
  return { reached: new Set(hostByAddress.values()), scanned: new Set(scannedHosts.values()), covered, closed, read }
}

/** Records the scan's result per issue and host. A later batch never weakens an earlier result. */
async function recordScanResults(ctx: Ctx, scanId: string, changes: readonly Change[]): Promise<void> {
  if (changes.length === 0) return
  const rows = new Map(changes.map((item) => [`${item.issueId} ${item.hostId}`, item]))
  for (const item of changes)
    if (item.change === 'NEW' || item.change === 'REGRESSION') rows.set(`${item.issueId} ${item.hostId}`, item)
  const list = [...rows.values()]
  await sql`
    insert into scan_issue (account_id, scan_id, issue_id, host_id, change)
    select ${ctx.workspace}, ${scanId}, * from unnest(
      ${list.map((item) => item.issueId)}::uuid[], ${list.map((item) => item.hostId)}::uuid[], ${list.map((item) => item.change)}::text[])
    on conflict do nothing`.execute(ctx.tx)
}
