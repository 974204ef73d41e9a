import type { Observation } from '@glacis/contract/runner'
import type { Knowledge } from '@glacis/intelligence'
import type { Ctx } from '#ctx.ts'
import { storable } from '#database/text.ts'
import { matchInventory, nameOf } from '#issues/potential.ts'
import { type Change, type Finding, raise } from '#issues/raise.ts'
import { rollUpRaised } from '#issues/grow.ts'
import { rollUp } from '#issues/roll-up.ts'
import { settle, type Verdicts } from '#issues/settle.ts'
import { linkProducts } from '#issues/link-products.ts'
import { lockCounts } from '#issues/host-counts.ts'
import { threatsByKey } from '#threats/index.ts'
import { sql } from 'kysely'

export interface Assessment {
  readonly scanId: string
  readonly targetId: string
  readonly observations: readonly Observation[]
  /** Hosts of the inventory, as this batch wrote them. */
  readonly hostByAddress: ReadonlyMap<string, string>
  /** Hosts of the inventory that the batch was about, whether they answered or not. */
  readonly askedHosts: ReadonlyMap<string, string>
  /** What is known beside the records of threats. */
  readonly knowledge: Knowledge
  /** The one issue that the scan is about; null where it looked for everything. */
  readonly onlyIssue: string | null
}

/** Turns what a batch saw into issues: raises, settles, matches versions, and writes the history once. */
export async function assess(ctx: Ctx, input: Assessment): Promise<void> {
  const proven = await findingsOf(ctx, input)
  const inferred = await matchInventory(ctx, input.targetId, [...input.hostByAddress.values()], input.knowledge)
  const findings = await about(ctx, input.onlyIssue, [...proven, ...inferred])
  const place = {
    targetId: input.targetId,
    hostIds: [...new Set([...input.askedHosts, ...input.hostByAddress].map(([, id]) => id))],
  }
  const raised = await raise(ctx, findings, place.hostIds)
  // Where nothing was found, what runs there may be another thing all the same.
  await linkProducts(ctx, [...new Set([...input.hostByAddress.values(), ...findings.map((finding) => finding.hostId)])])
  const settled = await settle(ctx, findings, verdictsOf(input), input.onlyIssue)
  // Each roll-up ends with what is counted of targets: all hosts are locked before the first does.
  await lockCounts(ctx, place.hostIds)
  // What was settled comes first, each with its reason; the rest needs none.
  for (const [reason, group] of Map.groupBy(settled, (one) => one.reason)) {
    await rollUp(
      ctx,
      group.map((one) => one.issueId),
      { reason, scanId: input.scanId },
      { place },
    )
  }
  const isSettled = new Set(settled.map((one) => one.issueId))
  const others = raised.filter((one) => !isSettled.has(one.issueId))
  await rollUpRaised(ctx, others, { reason: '', scanId: input.scanId }, place)
  // What was seen at one place of a host stands there, whatever was settled at another.
  await noteInScan(ctx, input.scanId, [...settled, ...raised])
}

/** Whoever checks one issue again says nothing about the others. */
async function about(ctx: Ctx, issueId: string | null, findings: readonly Finding[]): Promise<readonly Finding[]> {
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
    if (!threat) ctx.log.error({ check: one.check, threat: one.threat }, 'a check names a threat that no pack holds')
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

function verdictsOf({ observations, hostByAddress, askedHosts }: Assessment): Verdicts {
  const covered = new Set<string>()
  const closed = new Set<string>()
  const read = new Map<string, { names: Set<string>; words: string }>()
  for (const one of observations) {
    const host = 'address' in one && one.address ? hostByAddress.get(one.address) : undefined
    if (!host) continue
    if (one.kind === 'coverage') for (const check of one.checks) covered.add(`${host} ${one.port ?? 0} ${check}`)
    if (one.kind === 'closed') for (const port of one.ports) closed.add(`${host} ${port}`)
    if (one.kind === 'technology') {
      const place = read.get(`${host} ${one.port}`) ?? { names: new Set<string>(), words: '' }
      place.names.add(nameOf(one.wfn))
      read.set(`${host} ${one.port}`, {
        names: place.names,
        words: [place.words, one.evidence.split('\n')[0]].filter(Boolean).join('; '),
      })
    }
  }
  return { reached: new Set(hostByAddress.values()), asked: new Set(askedHosts.values()), covered, closed, read }
}

/** What the scan's own page shows, one row per issue and host; a later batch never weakens what an earlier one said. */
async function noteInScan(ctx: Ctx, scanId: string, changes: readonly Change[]): Promise<void> {
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
