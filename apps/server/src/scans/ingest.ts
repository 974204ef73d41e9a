import { coverageNotes } from '#scans/coverage-notes.ts'
import type { Observation, ScanHost } from '@glacis/contract/runner'
import type { Knowledge } from '@glacis/intelligence'
import type { Ctx } from '#ctx.ts'
import { recordInventory } from '#inventory/index.ts'
import { assess, assessMachinesOn } from '#issues/index.ts'
import type { Jobs } from '#jobs.ts'
import { countHosts } from '#scans/batch-monitor.ts'
import { countIssuesPeriodically } from '#scans/counts.ts'
import { queueNextBatches, lockActive, logScanEvent, pluralize } from '#scans/lifecycle.ts'

/** The complete result of one batch. */
export interface BatchResult {
  readonly scanId: string
  readonly number: number
  readonly hosts: readonly ScanHost[]
  readonly observations: readonly Observation[]
  /** Knowledge beyond the threat records. */
  readonly knowledge: Knowledge
}

/** Further problems of a batch are counted but not listed. */
const problemsMax = 20

/**
 * Writes a batch in the caller's transaction: inventory, issues, scan results, and the next jobs.
 * Has no effect if the batch is done or the scan has ended, so duplicate results are counted once.
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
    .where('account_id', '=', ctx.workspace)
    .where('scan_id', '=', scanId)
    .where('number', '=', number)
    .where('state', '!=', 'DONE')
    .returning('number')
    .executeTakeFirst()
  if (!done) return
  const { hostByAddress } = await recordInventory(ctx, scan.target_id, observations)
  const scannedHosts = await knownHosts(ctx, scan.target_id, hosts)
  await assess(ctx, {
    scanId,
    targetId: scan.target_id,
    observations,
    hostByAddress,
    scannedHosts,
    knowledge,
    onlyIssue: scan.retest_of,
  })
  await assessMachinesOn(ctx, [...hostByAddress.values()], knowledge)
  await recordHosts(ctx, scanId, observations, hostByAddress)
  await logProblems(ctx, scanId, observations)
  await countIssuesPeriodically(ctx, scanId, number)
  await countHosts(ctx, scanId)
  await queueNextBatches(ctx, jobs, scanId)
}

async function knownHosts(
  ctx: Ctx,
  targetId: string,
  hosts: readonly ScanHost[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await ctx.tx
    .selectFrom('host')
    .select(['id', 'address'])
    .where('account_id', '=', ctx.workspace)
    .where('target_id', '=', targetId)
    .where(
      'address',
      'in',
      hosts.map((host) => host.address),
    )
    .execute()
  return new Map(rows.map((row) => [row.address, row.id]))
}

async function recordHosts(
  ctx: Ctx,
  scanId: string,
  observations: readonly Observation[],
  hostByAddress: ReadonlyMap<string, string>,
): Promise<void> {
  const hostObservations = new Map(
    observations.filter((item) => item.kind === 'host').map((item) => [item.address, item]),
  )
  if (hostObservations.size === 0) return
  await ctx.tx
    .insertInto('scan_host')
    .values(
      [...hostObservations.values()].map((item) => ({
        account_id: ctx.workspace,
        scan_id: scanId,
        address: item.address,
        host_id: hostByAddress.get(item.address) ?? null,
        reached: item.reached,
        reason: item.reason,
        stopped: JSON.stringify(stoppedOn(item.address, observations)),
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Further stopped checks of a host are counted in the log only. */
const stoppedMax = 100

function stoppedOn(address: string, observations: readonly Observation[]) {
  const coverages = observations.filter((item) => item.kind === 'coverage').filter((item) => item.address === address)
  return coverages
    .flatMap(({ port, stopped = [] }) => stopped.map((check) => ({ port, ...check })))
    .slice(0, stoppedMax)
}

/** One line per host with stopped checks. */
function stopProblems(observations: readonly Observation[]) {
  const coverages = observations.filter((item) => item.kind === 'coverage')
  return [...Map.groupBy(coverages, ({ address }) => address)].flatMap(([address, items]) => {
    const [first, ...others] = items.flatMap(({ stopped = [] }) => stopped)
    if (!first) return []
    const more = others.length > 0 ? ` and ${others.length} more` : ''
    return { address, level: 'warn' as const, message: `stopped ${first.check}: ${first.reason}${more}` }
  })
}

async function logProblems(ctx: Ctx, scanId: string, observations: readonly Observation[]): Promise<void> {
  for (const line of coverageNotes(observations, true)) await logScanEvent(ctx, scanId, 'LEVEL_INFO', line)
  const problems = [...observations.filter((item) => item.kind === 'problem'), ...stopProblems(observations)]
  for (const item of problems.slice(0, problemsMax)) {
    const level = item.level === 'info' ? 'LEVEL_INFO' : item.level === 'warn' ? 'LEVEL_WARN' : 'LEVEL_ERROR'
    await logScanEvent(
      ctx,
      scanId,
      level,
      item.address && !item.message.includes(item.address) ? `${item.address}: ${item.message}` : item.message,
    )
  }
  const more = problems.length - problemsMax
  const unlisted = pluralize(more, 'more problem in this batch is', 'more problems in this batch are')
  if (more > 0) await logScanEvent(ctx, scanId, 'LEVEL_WARN', `${unlisted} not listed`)
}
