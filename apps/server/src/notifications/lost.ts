/** Deliveries that nobody tries any more, because the process that made the last attempt died in it. */
import { type Ctx, type Log, systemActor } from '#ctx.ts'
import { type Database, inAccount } from '#database/index.ts'
import { onEach } from '#each.ts'
import { countFailure } from '#notifications/deliver.ts'
import { sql } from 'kysely'

/** Deliveries that are concluded in one go. */
const batch = 1000

/**
 * Has the deliveries fail, with a reason, whose job the queue has given up. Somebody may then send them again.
 *
 * @param isThorough looks at every delivery, and so also finds those whose job the queue has forgotten since
 */
export async function failLost(database: Database, log: Log, { isThorough = false } = {}): Promise<void> {
  const { rows } = await (isThorough ? ofNoJob : ofFailedJobs).execute(database.owner)
  await onEach(rows, ({ account_id, id }) =>
    inAccount(database, { account: account_id, actor: systemActor, log }, (ctx) => failOne(ctx, id)),
  )
}

interface Lost {
  readonly account_id: string
  readonly id: string
}

/** From the few jobs of the last hour to their deliveries. */
const ofFailedJobs = sql<Lost>`
  select delivery.account_id, delivery.id
  from pgboss.job
  join delivery on delivery.account_id = (job.data ->> 'account')::uuid and delivery.id = (job.data ->> 'deliveryId')::uuid
  where job.name = 'delivery' and job.state = 'failed' and delivery.state = 'STATE_PENDING'
    -- One that failed before may have been sent again.
    and not exists (
      select from pgboss.job as later
      where later.name = 'delivery' and later.state in ('created', 'retry', 'active')
        and later.data ->> 'deliveryId' = delivery.id::text)
  limit ${batch}`

const ofNoJob = sql<Lost>`
  select account_id, id from delivery
  where state = 'STATE_PENDING'
    and not exists (
      select from pgboss.job
      where name = 'delivery' and state in ('created', 'retry', 'active')
        and data ->> 'deliveryId' = delivery.id::text)
  limit ${batch}`

async function failOne(ctx: Ctx, id: string): Promise<void> {
  const failed = await ctx.tx
    .updateTable('delivery')
    .set({ state: 'STATE_FAILED', error: 'The server stopped during the last attempt', completed_at: ctx.now })
    .where('account_id', '=', ctx.account)
    .where('id', '=', id)
    .where('state', '=', 'STATE_PENDING')
    .returning('channel_id')
    .executeTakeFirst()
  if (failed) await countFailure(ctx, failed.channel_id)
}
