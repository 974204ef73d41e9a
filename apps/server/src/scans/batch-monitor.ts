/** Progress of a running batch and cancellation: a canceled scan must stop within two seconds. */
import type { Observation, ScanHost } from '@glacis/contract/runner'
import { type Ctx, type Log, scanActor } from '#ctx.ts'
import { type Database, inWorkspace } from '#database/index.ts'
import type { Queues } from '#jobs.ts'
import { announceScan } from '#scans/lifecycle.ts'
import { sql } from 'kysely'

type Progress = Extract<Observation, { kind: 'progress' }>

export interface BatchMonitor extends AsyncDisposable {
  /** Aborts when the scan is canceled or has ended. */
  readonly ended: AbortSignal
  /** Stores the batch's progress; written with the next heartbeat. */
  record(progress: Progress): void
}

const intervalMs = 1000

/**
 * Checks every second whether the scan is still active, and writes the batch's progress. Checks run
 * one after the other, so a batch uses at most one connection for them.
 */
export function monitorBatch(scanning: { database: Database; log: Log }, batch: Queues['scan-batch']): BatchMonitor {
  const ended = new AbortController()
  let latest: Progress | null = null
  let checking: Promise<void> | null = null
  const timer = setInterval(() => {
    checking ??= check().finally(() => (checking = null))
  }, intervalMs)
  async function check(): Promise<void> {
    try {
      const as = { workspace: batch.account, actor: scanActor, log: scanning.log }
      const isActive = await inWorkspace(scanning.database, as, (ctx) => writeProgress(ctx, batch, latest))
      if (!isActive) ended.abort(new Error('the scan has ended'))
    } catch (error) {
      scanning.log.warn({ scanId: batch.scanId, err: error }, 'could not update the progress of a scan')
    }
  }
  return {
    ended: ended.signal,
    record(progress) {
      latest = progress
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await checking
    },
  }
}

/**
 * Returns false if the scan has ended. Locks the scan's row before its batch, as everywhere, to
 * prevent deadlocks.
 */
async function writeProgress(
  ctx: Ctx,
  { scanId, number }: Queues['scan-batch'],
  progress: Progress | null,
): Promise<boolean> {
  const active = await ctx.tx
    .updateTable('scan')
    .set({ last_activity_at: ctx.now, ...(progress && { phase: progress.phase }) })
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', scanId)
    .where('status', '=', 'STATUS_RUNNING')
    .returning('id')
    .executeTakeFirst()
  if (!active || !progress) return active !== undefined
  const moved = await ctx.tx
    .updateTable('scan_batch')
    .set({ hosts_done: progress.hostsDone })
    .where('account_id', '=', ctx.workspace)
    .where('scan_id', '=', scanId)
    .where('number', '=', number)
    .where('state', '!=', 'DONE')
    .where('hosts_done', '!=', progress.hostsDone)
    .returning('number')
    .executeTakeFirst()
  if (moved) await countHosts(ctx, scanId)
  return true
}

/** Updates a scan's number of finished hosts from its batches. */
export async function countHosts(ctx: Ctx, scanId: string): Promise<void> {
  await sql`
    update scan set
      updated_at = ${ctx.now}, last_activity_at = ${ctx.now},
      hosts_done = (select sum(hosts_done) from scan_batch where account_id = ${ctx.workspace} and scan_id = ${scanId})
    where account_id = ${ctx.workspace} and id = ${scanId}`.execute(ctx.tx)
  await announceScan(ctx, scanId, 'EVENT_SCAN_CHANGED')
}

/**
 * Previously open ports by address. The scanner checks them again and reports which ones refuse
 * connections now.
 */
export async function knownPorts(
  ctx: Ctx,
  targetId: string,
  hosts: readonly ScanHost[],
): Promise<Record<string, number[]>> {
  const rows = await ctx.tx
    .selectFrom('service')
    .innerJoin('host', (join) =>
      join.onRef('host.account_id', '=', 'service.account_id').onRef('host.id', '=', 'service.host_id'),
    )
    .select(['host.address', 'service.port'])
    .where('host.account_id', '=', ctx.workspace)
    .where('host.target_id', '=', targetId)
    .where(
      'host.address',
      'in',
      hosts.map((host) => host.address),
    )
    .where('service.transport', '=', 'tcp')
    .where('service.gone_at', 'is', null)
    .execute()
  const ports: Record<string, number[]> = {}
  for (const row of rows) (ports[row.address] ??= []).push(row.port)
  return ports
}
