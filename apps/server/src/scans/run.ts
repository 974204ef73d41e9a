import type { Observation, ScanJob } from '@glacis/contract/runner'
import type { Knowledge } from '@glacis/intelligence'
import { type CallbackServer, scanInProcess } from '@glacis/scanner'
import { type Ctx, type Log, scanActor } from '#ctx.ts'
import { type Database, inWorkspace } from '#database/index.ts'
import type { ScanTable } from '#database/tables.ts'
import type { Jobs, Work } from '#jobs.ts'
import { jobOf, type ScanLimits } from '#scans/job.ts'
import { failScan, lockActive, logScanEvent, mustWait } from '#scans/lifecycle.ts'
import { ingest } from '#scans/ingest.ts'
import { narrowJob } from '#scans/retest.ts'
import { knownPorts, monitorBatch } from '#scans/batch-monitor.ts'
import type { PackFolders } from '#packs/index.ts'
import type { Selectable } from 'kysely'

/** The dependencies of workers that run scans. */
export interface Scanning extends ScanLimits {
  readonly database: Database
  readonly jobs: Jobs
  readonly log: Log
  readonly packs: PackFolders
  readonly knowledge: Knowledge
  /** When this process started to take batches. */
  readonly startTime: Date
  /**
   * Receives out-of-band callbacks from targets. If null or absent, checks that need one don't run.
   */
  readonly callbacks?: CallbackServer | null
}

/** The abort reason of a scan that was canceled or has ended. */
class Stopped extends Error {}

/**
 * Runs one batch and writes its results in one transaction. Skips batches that are done or whose
 * scan has ended. A failed batch is retried by the queue; the last failure fails the scan.
 */
export async function runBatch(scanning: Scanning, work: Work<'scan-batch'>): Promise<void> {
  const { account: workspace, scanId, number } = work.data
  const as = { workspace, actor: scanActor, log: scanning.log }
  const batch = await inWorkspace(scanning.database, as, async (ctx) => {
    const scan = await lockActive(ctx, scanId)
    if (!scan) return null
    if (await mustWait(ctx, scan)) return requeueBatch(ctx, work.data)
    if (await wasInterrupted(ctx, scan, scanning.startTime)) await logContinuation(ctx, scanId)
    const row = await ctx.tx
      .updateTable('scan_batch')
      .set((set) => ({ attempt: set('attempt', '+', 1) }))
      .where('account_id', '=', workspace)
      .where('scan_id', '=', scanId)
      .where('number', '=', number)
      .where('state', '!=', 'DONE')
      .returning(['hosts'])
      .executeTakeFirst()
    if (!row) return null
    const target = await ctx.tx
      .selectFrom('target')
      .selectAll()
      .where('account_id', '=', workspace)
      .where('id', '=', scan.target_id)
      .executeTakeFirstOrThrow()
    const openPorts = await knownPorts(ctx, target.id, row.hosts)
    return { hosts: row.hosts, target, known: openPorts, checks: scan.checks }
  })
  if (!batch) return
  try {
    const job = narrowJob(jobOf(scanning, batch.hosts, batch.target), batch)
    const observations = await observe(scanning, work, job, batch.known)
    await inWorkspace(scanning.database, as, (ctx) =>
      ingest(ctx, scanning.jobs, { scanId, number, hosts: batch.hosts, observations, knowledge: scanning.knowledge }),
    )
  } catch (error) {
    if (error instanceof Stopped) return
    // Another process continues with the batch.
    if (work.signal.aborted) throw error
    scanning.log.error({ scanId, batch: number, err: error }, 'batch failed')
    if (work.isLastAttempt) {
      await inWorkspace(scanning.database, as, (ctx) =>
        failScan(
          ctx,
          scanId,
          `Batch ${number + 1} failed three times: ${error instanceof Error ? error.message : String(error)}`,
        ),
      )
    }
    throw error
  }
}

/**
 * Whether an earlier process stopped in the middle of the scan, and no process has worked on it since this one started.
 * The attempts of a batch don't tell: one that failed is retried too, and other workers may have continued meanwhile.
 */
async function wasInterrupted(ctx: Ctx, scan: Selectable<ScanTable>, startTime: Date): Promise<boolean> {
  if (scan.last_activity_at === null || scan.last_activity_at >= startTime) return false
  const begun = await ctx.tx
    .selectFrom('scan_batch')
    .select('number')
    .where('account_id', '=', ctx.workspace)
    .where('scan_id', '=', scan.id)
    .where('state', '!=', 'DONE')
    .where('attempt', '>', 0)
    .limit(1)
    .executeTakeFirst()
  return begun !== undefined
}

/** Records the activity too, so that the scan's other batches don't log the same. The scan must be locked. */
async function logContinuation(ctx: Ctx, scanId: string): Promise<void> {
  await ctx.tx
    .updateTable('scan')
    .set({ last_activity_at: ctx.now })
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', scanId)
    .execute()
  await logScanEvent(ctx, scanId, 'LEVEL_INFO', 'Continued after a restart of the server')
}

/** Requeues a batch that came up outside the allowed hours. */
async function requeueBatch(ctx: Ctx, { scanId, number }: Work<'scan-batch'>['data']): Promise<null> {
  await ctx.tx
    .updateTable('scan_batch')
    .set({ state: 'WAITING' })
    .where('account_id', '=', ctx.workspace)
    .where('scan_id', '=', scanId)
    .where('number', '=', number)
    .where('state', '=', 'QUEUED')
    .execute()
  return null
}

/**
 * Runs the scanner in a child process, so that hostile input can't stall or end the process that
 * serves requests.
 */
async function observe(
  scanning: Scanning,
  work: Work<'scan-batch'>,
  job: ScanJob,
  knownOpen: Readonly<Record<string, number[]>>,
): Promise<Observation[]> {
  const observations: Observation[] = []
  await using watching = monitorBatch(scanning, work.data)
  const request = { job, knownOpen, packs: scanning.packs }
  try {
    await scanInProcess(request, {
      signal: AbortSignal.any([work.signal, watching.ended]),
      isBackground: true,
      callbacks: scanning.callbacks,
      withoutAccelerator(reason) {
        const { scanId, number } = work.data
        scanning.log.info({ scanId, batch: number, reason }, 'port sweep runs without the native accelerator')
      },
      restarted(reason) {
        const { scanId, number } = work.data
        scanning.log.warn({ scanId, batch: number, reason }, 'scanner process replaced')
      },
      observed(observation) {
        if (observation.kind === 'progress') watching.record(observation)
        else observations.push(observation)
      },
    })
  } catch (error) {
    if (watching.ended.aborted) throw new Stopped('the scan has ended', { cause: error })
    throw error
  }
  return observations
}
