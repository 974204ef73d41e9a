import type { Observation, ScanHost } from '@glacis/contract/runner'
import type { Knowledge } from '@glacis/intelligence'
import type { Ctx } from '#ctx.ts'
import { recordInventory } from '#inventory/index.ts'
import { assess } from '#issues/index.ts'
import type { Jobs } from '#jobs.ts'
import { countHosts } from '#scans/watch.ts'
import { countSometimes } from '#scans/counts.ts'
import { advance, lockActive, say } from '#scans/lifecycle.ts'

/** Everything that one batch has to say. */
export interface BatchResult {
  readonly scanId: string
  readonly number: number
  readonly hosts: readonly ScanHost[]
  readonly observations: readonly Observation[]
  /** What is known beside the records of threats. */
  readonly knowledge: Knowledge
}

/** Problems beyond this many per batch are counted, not listed. */
const problemsMax = 20

/**
 * Writes a batch: inventory, issues, the scan's own rows, and what comes next, in the caller's one
 * transaction. A batch that is done, or whose scan has ended, changes nothing, so that a result
 * that arrives twice is counted once.
 */
export async function ingest(
  ctx: Ctx,
  jobs: Jobs,
  { scanId, number, hosts, observations, knowledge }: BatchResult,
): Promise<void> {
  const scan = await lockActive(ctx, scanId)
  if (!scan) return
  const done = await ctx.tx
    .updateTable('scan_batch')
    .set({ state: 'DONE', hosts_done: hosts.length })
    .where('account_id', '=', ctx.account)
    .where('scan_id', '=', scanId)
    .where('number', '=', number)
    .where('state', '!=', 'DONE')
    .returning('number')
    .executeTakeFirst()
  if (!done) return
  const { hostByAddress } = await recordInventory(ctx, scan.target_id, observations)
  const askedHosts = await knownHosts(ctx, scan.target_id, hosts)
  await assess(ctx, {
    scanId,
    targetId: scan.target_id,
    observations,
    hostByAddress,
    askedHosts,
    knowledge,
    onlyIssue: scan.retest_of,
  })
  await noteHosts(ctx, scanId, observations, hostByAddress)
  await noteProblems(ctx, scanId, observations)
  await countSometimes(ctx, scanId, number)
  await countHosts(ctx, scanId)
  await advance(ctx, jobs, scanId)
}

async function knownHosts(
  ctx: Ctx,
  targetId: string,
  hosts: readonly ScanHost[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await ctx.tx
    .selectFrom('host')
    .select(['id', 'address'])
    .where('account_id', '=', ctx.account)
    .where('target_id', '=', targetId)
    .where(
      'address',
      'in',
      hosts.map((host) => host.address),
    )
    .execute()
  return new Map(rows.map((row) => [row.address, row.id]))
}

async function noteHosts(
  ctx: Ctx,
  scanId: string,
  observations: readonly Observation[],
  hostByAddress: ReadonlyMap<string, string>,
): Promise<void> {
  const seen = new Map(observations.filter((one) => one.kind === 'host').map((one) => [one.address, one]))
  if (seen.size === 0) return
  await ctx.tx
    .insertInto('scan_host')
    .values(
      [...seen.values()].map((one) => ({
        account_id: ctx.account,
        scan_id: scanId,
        address: one.address,
        host_id: hostByAddress.get(one.address) ?? null,
        reached: one.reached,
        reason: one.reason,
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

async function noteProblems(ctx: Ctx, scanId: string, observations: readonly Observation[]): Promise<void> {
  const problems = observations.filter((one) => one.kind === 'problem')
  for (const one of problems.slice(0, problemsMax)) {
    const level = one.level === 'info' ? 'LEVEL_INFO' : one.level === 'warn' ? 'LEVEL_WARN' : 'LEVEL_ERROR'
    await say(
      ctx,
      scanId,
      level,
      one.address && !one.message.includes(one.address) ? `${one.address}: ${one.message}` : one.message,
    )
  }
  const more = problems.length - problemsMax
  if (more > 0) await say(ctx, scanId, 'LEVEL_WARN', `${more} more notes of this batch are not listed`)
}
