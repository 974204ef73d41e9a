/** Leases batches to agents. */
import { type RunnerJob, ScanJob } from '@glacis/contract/runner'
import type { Ctx } from '#ctx.ts'
import { newId } from '#database/index.ts'
import { jobOf } from '#scans/job.ts'
import { expiryOf, leaseSeconds, returnExpiredBatches } from '#scans/lease.ts'
import { lockActive, mustWait, logScanEvent } from '#scans/lifecycle.ts'
import { narrowJob } from '#scans/retest.ts'
import type { Scanning } from '#scans/run.ts'
import { knownPorts } from '#scans/batch-monitor.ts'

/**
 * Leases the next batch of the scans waiting for this agent; null if there is none.
 *
 * @param packs digest of the packs the agent has to scan with
 */
export async function leaseBatch(
  ctx: Ctx,
  scanning: Scanning,
  agentId: string,
  packs: string,
): Promise<RunnerJob | null> {
  await returnExpiredBatches(ctx, agentId)
  const claimed = await claim(ctx, agentId)
  if (!claimed) return null
  const { id, scan, batch } = claimed
  if (scan.status === 'STATUS_CREATED') await markRunning(ctx, scan)
  const target = await ctx.tx
    .selectFrom('target')
    .selectAll()
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', scan.target_id)
    .executeTakeFirstOrThrow()
  const knownOpen = await knownPorts(ctx, target.id, batch.hosts)
  const job = narrowJob(jobOf(scanning, batch.hosts, target), { checks: scan.checks, known: knownOpen })
  const { hosts, allow: _, ...settings } = ScanJob.parse(job)
  const { networks } = scanning
  return {
    id,
    scanId: scan.id,
    hosts,
    settings,
    knownOpen,
    packs,
    leaseDuration: `${leaseSeconds}s`,
    // `public` refers to the server's own network position; agents exist to scan private networks.
    ...(typeof networks !== 'string' && { networks: [...networks] }),
  }
}

/** Attempts when concurrent requests take the batch first. */
const attemptsMax = 5

async function claim(ctx: Ctx, agentId: string) {
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const next = await nextBatch(ctx, agentId)
    if (!next) return null
    const scan = await lockActive(ctx, next.scan_id)
    // Outside its allowed hours a scan pauses between batches, on the server and on agents.
    if (!scan || (await mustWait(ctx, scan))) continue
    const batch = await markBatchRunning(ctx, next)
    if (!batch) continue
    const id = newId()
    await ctx.tx
      .insertInto('scan_lease')
      .values({
        account_id: ctx.workspace,
        id,
        agent_id: agentId,
        ...next,
        state: 'STATE_RUNNING',
        expires_at: expiryOf(ctx),
        started_at: ctx.now,
        ended_at: null,
      })
      .execute()
    return { id, scan, batch }
  }
  return null
}

/** Selected without a lock; the transaction that locks the scan first gets the batch. */
function nextBatch(ctx: Ctx, agentId: string): Promise<{ scan_id: string; number: number } | undefined> {
  return ctx.tx
    .selectFrom('scan_batch')
    .innerJoin('scan', (join) =>
      join.onRef('scan.account_id', '=', 'scan_batch.account_id').onRef('scan.id', '=', 'scan_batch.scan_id'),
    )
    .select(['scan_batch.scan_id', 'scan_batch.number'])
    .where('scan.account_id', '=', ctx.workspace)
    .where('scan.agent_id', '=', agentId)
    .where('scan.status', 'in', ['STATUS_CREATED', 'STATUS_RUNNING'])
    .where('scan.resume_at', 'is', null)
    .where('scan_batch.state', '=', 'WAITING')
    .orderBy('scan.id')
    .orderBy('scan_batch.number')
    .limit(1)
    .executeTakeFirst()
}

function markBatchRunning(ctx: Ctx, { scan_id, number }: { scan_id: string; number: number }) {
  return ctx.tx
    .updateTable('scan_batch')
    .set((set) => ({ state: 'QUEUED', attempt: set('attempt', '+', 1) }))
    .where('account_id', '=', ctx.workspace)
    .where('scan_id', '=', scan_id)
    .where('number', '=', number)
    .where('state', '=', 'WAITING')
    .returning('hosts')
    .executeTakeFirst()
}

async function markRunning(ctx: Ctx, scan: { id: string; agent_name: string }): Promise<void> {
  await ctx.tx
    .updateTable('scan')
    .set({
      status: 'STATUS_RUNNING',
      phase: 'PHASE_DISCOVERY',
      started_at: ctx.now,
      last_activity_at: ctx.now,
      updated_at: ctx.now,
    })
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', scan.id)
    .execute()
  await logScanEvent(ctx, scan.id, 'LEVEL_INFO', `Picked up by agent ${scan.agent_name}`)
}
