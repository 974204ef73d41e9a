import type { Ctx, Log } from '#ctx.ts'
import { systemActor } from '#ctx.ts'
import { type Database, inAccount, newId } from '#database/index.ts'
import { onEach } from '#each.ts'
import type { Tables } from '#database/tables.ts'
import type { Jobs } from '#jobs.ts'
import { horizonOf, toNotice } from '#notifications/announce.ts'
import { matches } from '#notifications/channels.ts'
import { type Selectable, sql } from 'kysely'

/** Events that one message lists; the others are counted in it. */
const listedMax = 50
/** People get one message for a scan, not one for each batch of it; but no longer than this after the first event. */
const heldMinutesMax = 15

/**
 * Makes deliveries of what happened in an account since its channels were last served. Each event
 * is taken up once by each channel, whichever process runs this and however often.
 *
 * @returns true when something is held back until the scans that run have ended
 */
export async function takeUp(database: Database, jobs: Jobs, log: Log, account: string): Promise<boolean> {
  return inAccount(database, { account, actor: systemActor, log }, async (ctx) => {
    const channels = await ctx.tx
      .selectFrom('channel')
      .selectAll()
      .where('account_id', '=', account)
      .where('is_enabled', '=', true)
      .forUpdate()
      .skipLocked()
      .execute()
    if (channels.length === 0) return false
    const horizon = await horizonOf(ctx)
    const isScanning = await hasActiveScan(ctx)
    let isHeld = false
    for (const channel of channels) {
      if (await takeUpFor(ctx, jobs, channel, { horizon, isScanning })) isHeld = true
    }
    return isHeld
  })
}

async function takeUpFor(
  ctx: Ctx,
  jobs: Jobs,
  channel: Selectable<Tables['channel']>,
  { horizon, isScanning }: { horizon: string; isScanning: boolean },
): Promise<boolean> {
  const { rows } = await sql<Selectable<Tables['event']> & { total: number; oldest: Date }>`
    select event.*, count(*) over () as total, min(at) over () as oldest from event
    where account_id = ${ctx.account} and xid >= ${channel.taken_until}::xid8 and xid < ${horizon}::xid8
      and ${matches(channel)}
    order by score desc nulls last, xid, id
    limit ${listedMax}`.execute(ctx.tx)
  const [first] = rows
  const isLate = first !== undefined && ctx.now.getTime() - first.oldest.getTime() >= heldMinutesMax * 60_000
  if (first && isScanning && channel.kind !== 'KIND_WEBHOOK' && !isLate) return true
  await sql`update channel set taken_until = ${horizon}::xid8
    where account_id = ${ctx.account} and id = ${channel.id}`.execute(ctx.tx)
  if (!first) return false
  const id = newId()
  await ctx.tx
    .insertInto('delivery')
    .values({
      account_id: ctx.account,
      id,
      channel_id: channel.id,
      state: 'STATE_PENDING',
      notices: JSON.stringify(rows.map(toNotice)),
      event_count: first.total,
      status_code: null,
      latency_ms: null,
      created_at: ctx.now,
      completed_at: null,
    })
    .execute()
  await jobs.enqueue(ctx.tx, 'delivery', { account: ctx.account, deliveryId: id })
  return false
}

/** One that waits for its hours finds nothing until they begin. */
async function hasActiveScan(ctx: Ctx): Promise<boolean> {
  const row = await ctx.tx
    .selectFrom('scan')
    .select('id')
    .where('account_id', '=', ctx.account)
    .where('status', 'in', ['STATUS_CREATED', 'STATUS_RUNNING'])
    .where('resume_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Serves every account that has something to tell: what no hint has brought about. */
export async function takeUpAll(database: Database, jobs: Jobs, log: Log): Promise<void> {
  const { rows } = await sql<{ account_id: string }>`
    select distinct channel.account_id from channel
    where is_enabled and exists (
      select 1 from event where event.account_id = channel.account_id and event.xid >= channel.taken_until)`.execute(
    database.owner,
  )
  await onEach(rows, ({ account_id }) => takeUp(database, jobs, log, account_id))
}
