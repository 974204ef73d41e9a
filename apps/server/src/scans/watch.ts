/** Signs of life of a running batch, and of its scan: a cancelled one must stop within two seconds. */
import type { Observation, ScanHost } from '@glacis/contract/runner'
import { type Ctx, scanActor } from '#ctx.ts'
import { inAccount } from '#database/index.ts'
import type { Queues } from '#jobs.ts'
import type { Scanning } from '#scans/run.ts'
import { sql } from 'kysely'

const lookMs = 1000

/** Looks every second whether the scan is still wanted. `ended` aborts when it is not. */
export function watch(
  scanning: Scanning,
  { account, scanId }: Queues['scan-batch'],
): AsyncDisposable & { readonly ended: AbortSignal } {
  const ended = new AbortController()
  let looking = Promise.resolve()
  const timer = setInterval(() => {
    looking = looking.then(look)
  }, lookMs)
  async function look(): Promise<void> {
    try {
      const as = { account, actor: scanActor, log: scanning.log }
      const active = await inAccount(scanning.database, as, (ctx) =>
        ctx.tx
          .updateTable('scan')
          .set({ last_activity_at: ctx.now })
          .where('account_id', '=', account)
          .where('id', '=', scanId)
          .where('status', '=', 'STATUS_RUNNING')
          .returning('id')
          .executeTakeFirst(),
      )
      if (!active) ended.abort(new Error('the scan has ended'))
    } catch (error) {
      scanning.log.warn({ scanId, err: error }, 'could not look after a scan')
    }
  }
  return {
    ended: ended.signal,
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await looking
    },
  }
}

/** Notes how far a batch is. */
export async function beat(
  scanning: Scanning,
  { account, scanId, number }: Queues['scan-batch'],
  progress: Extract<Observation, { kind: 'progress' }>,
): Promise<void> {
  try {
    await inAccount(scanning.database, { account, actor: scanActor, log: scanning.log }, async (ctx) => {
      await ctx.tx
        .updateTable('scan_batch')
        .set({ hosts_done: progress.hostsDone })
        .where('account_id', '=', account)
        .where('scan_id', '=', scanId)
        .where('number', '=', number)
        .where('state', '!=', 'DONE')
        .execute()
      await sql`
        update scan set
          phase = ${progress.phase}, last_activity_at = ${ctx.now}, updated_at = ${ctx.now},
          hosts_done = (select sum(hosts_done) from scan_batch where account_id = ${account} and scan_id = ${scanId})
        where account_id = ${account} and id = ${scanId} and status = 'STATUS_RUNNING'`.execute(ctx.tx)
    })
  } catch (error) {
    scanning.log.warn({ scanId, err: error }, 'could not note progress')
  }
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
