/** Signs of life of a running batch, and of its scan: a cancelled one must stop within two seconds. */
import type { Observation, ScanHost } from '@glacis/contract/runner'
import { type Ctx, scanActor } from '#ctx.ts'
import { inAccount } from '#database/index.ts'
import type { Queues } from '#jobs.ts'
import type { Scanning } from '#scans/run.ts'
import { announceScan } from '#scans/lifecycle.ts'
import { sql } from 'kysely'

type Progress = Extract<Observation, { kind: 'progress' }>

export interface Watch extends AsyncDisposable {
  /** Aborts when the scan is wanted no more. */
  readonly ended: AbortSignal
  /** Notes how far the batch is; written with the next look. */
  note(progress: Progress): void
}

const lookMs = 1000

/**
 * Looks every second whether the scan is still wanted, and writes how far the batch is. One look
 * follows the other, so a batch never holds more than one connection for it.
 */
export function watch(scanning: Scanning, batch: Queues['scan-batch']): Watch {
  const ended = new AbortController()
  let latest: Progress | null = null
  let looking: Promise<void> | null = null
  const timer = setInterval(() => {
    looking ??= look().finally(() => (looking = null))
  }, lookMs)
  async function look(): Promise<void> {
    try {
      const as = { account: batch.account, actor: scanActor, log: scanning.log }
      const isActive = await inAccount(scanning.database, as, (ctx) => beat(ctx, batch, latest))
      if (!isActive) ended.abort(new Error('the scan has ended'))
    } catch (error) {
      scanning.log.warn({ scanId: batch.scanId, err: error }, 'could not look after a scan')
    }
  }
  return {
    ended: ended.signal,
    note(progress) {
      latest = progress
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await looking
    },
  }
}

/** False when the scan has ended. The scan's row is locked before its batch, as everywhere, so that none waits for the other. */
async function beat(ctx: Ctx, { scanId, number }: Queues['scan-batch'], progress: Progress | null): Promise<boolean> {
  const active = await ctx.tx
    .updateTable('scan')
    .set({ last_activity_at: ctx.now, ...(progress && { phase: progress.phase }) })
    .where('account_id', '=', ctx.account)
    .where('id', '=', scanId)
    .where('status', '=', 'STATUS_RUNNING')
    .returning('id')
    .executeTakeFirst()
  if (!active || !progress) return active !== undefined
  const moved = await ctx.tx
    .updateTable('scan_batch')
    .set({ hosts_done: progress.hostsDone })
    .where('account_id', '=', ctx.account)
    .where('scan_id', '=', scanId)
    .where('number', '=', number)
    .where('state', '!=', 'DONE')
    .where('hosts_done', '!=', progress.hostsDone)
    .returning('number')
    .executeTakeFirst()
  if (moved) await countHosts(ctx, scanId)
  return true
}

/** Brings the number of finished hosts of a scan in line with its batches. */
export async function countHosts(ctx: Ctx, scanId: string): Promise<void> {
  await sql`
    update scan set
      updated_at = ${ctx.now}, last_activity_at = ${ctx.now},
      hosts_done = (select sum(hosts_done) from scan_batch where account_id = ${ctx.account} and scan_id = ${scanId})
    where account_id = ${ctx.account} and id = ${scanId}`.execute(ctx.tx)
  await announceScan(ctx, scanId, 'EVENT_SCAN_CHANGED')
}

/** Ports that were open before, by address: the scanner asks them again, and says which refuse now. */
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
    .where('host.account_id', '=', ctx.account)
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
