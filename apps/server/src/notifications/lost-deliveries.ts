/** Fails deliveries whose last attempt died with its process. */
import { type Ctx, type Log, systemActor } from '#ctx.ts'
import { type Database, inWorkspace } from '#database/index.ts'
import { forEachSettled } from '#for-each-settled.ts'
import { countFailure } from '#notifications/deliver.ts'
import { sql } from 'kysely'

/** Deliveries per transaction. */
const batchSize = 1000

/**
 * Fails deliveries whose job the queue has given up, with a reason. Users can send them again.
 *
 * @param isThorough checks every delivery, including those whose job was already removed from the
 * queue
 */
export async function failLost(database: Database, log: Log, { isThorough = false } = {}): Promise<void> {
  const { rows } = await (isThorough ? ofNoJob : ofFailedJobs).execute(database.owner)
  await forEachSettled(rows, ({ account_id, id }) =>
    inWorkspace(database, { workspace: account_id, actor: systemActor, log }, (ctx) => failOne(ctx, id)),
  )
}

interface LostDelivery {
  readonly account_id: string
  readonly id: string
}

/** Starts from the few jobs of the last hour. */
const ofFailedJobs = sql<LostDelivery>`
  select delivery.account_id, delivery.id
  from pgboss.job
  join delivery on delivery.account_id = (job.data ->> 'account')::uuid and delivery.id = (job.data ->> 'deliveryId')::uuid
  where job.name = 'delivery' and job.state = 'failed' and delivery.state = 'STATE_PENDING'
    -- An earlier failed delivery may have been sent again.
    and not exists (
      select from pgboss.job as later
      where later.name = 'delivery' and later.state in ('created', 'retry', 'active')
        and later.data ->> 'deliveryId' = delivery.id::text)
  limit ${batchSize}`

const ofNoJob = sql<LostDelivery>`
  select account_id, id from delivery
  where state = 'STATE_PENDING'
    and not exists (
      select from pgboss.job
      where name = 'delivery' and state in ('created', 'retry', 'active')
        and data ->> 'deliveryId' = delivery.id::text)
  limit ${batchSize}`

async function failOne(ctx: Ctx, id: string): Promise<void> {
  const failed = await ctx.tx
    .updateTable('delivery')
    .set({ state: 'STATE_FAILED', error: 'The server stopped during the last attempt', completed_at: ctx.now })
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', id)
    .where('state', '=', 'STATE_PENDING')
    .returning('channel_id')
    .executeTakeFirst()
  if (failed) await countFailure(ctx, failed.channel_id)
}
