import type * as contract from '@glacis/contract/channel'
import type { Delivery } from '@glacis/contract/channel'
import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import { record } from '#audit.ts'
import type { Ctx } from '#ctx.ts'
import { newId } from '#database/index.ts'
import { cutPage, readPage } from '#database/page.ts'
import type { Tables } from '#database/tables.ts'
import { notFound, Refusal } from '#errors.ts'
import type { Jobs } from '#jobs.ts'
import { find, lock } from '#notifications/lock.ts'
import { type Sending, sendThrough } from '#notifications/deliver.ts'
import type { Selectable } from 'kysely'

/** @throws Refusal `not_found` */
export async function listDeliveries(
  ctx: Ctx,
  input: ParsedInputOf<typeof contract.listDeliveries>,
): Promise<ResultOf<typeof contract.listDeliveries>> {
  await find(ctx, input.id)
  const page = readPage(input, ['deliveries', input.id])
  const after = page.after?.[0]
  const rows = await ctx.tx
    .selectFrom('delivery')
    .selectAll()
    .where('account_id', '=', ctx.account)
    .where('channel_id', '=', input.id)
    .$if(after !== undefined, (query) => query.where('id', '<', String(after)))
    .orderBy('id', 'desc')
    .limit(page.size + 1)
    .execute()
  const { rows: kept, nextPageToken } = cutPage(page, rows, (row) => [row.id])
  return { deliveries: kept.map(toDelivery), nextPageToken }
}

/** @throws Refusal `not_found` for an unknown channel or delivery; `precondition` while it is still on its way */
export async function redeliver(
  ctx: Ctx,
  jobs: Jobs,
  { id, deliveryId }: { id: string; deliveryId: string },
): Promise<{ delivery: Delivery }> {
  await lock(ctx, id)
  const row = await ctx.tx
    .selectFrom('delivery')
    .selectAll()
    .where('account_id', '=', ctx.account)
    .where('channel_id', '=', id)
    .where('id', '=', deliveryId)
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw notFound('delivery', deliveryId)
  if (row.state === 'STATE_PENDING') throw new Refusal('precondition', 'This delivery is still on its way')
  const delivery = await ctx.tx
    .updateTable('delivery')
    .set({ state: 'STATE_PENDING', completed_at: null })
    .where('account_id', '=', ctx.account)
    .where('id', '=', deliveryId)
    .returningAll()
    .executeTakeFirstOrThrow()
  await jobs.enqueue(ctx.tx, 'delivery', { account: ctx.account, deliveryId })
  return { delivery: toDelivery(delivery) }
}

/** Sends a test through a channel, even one that is off, and waits for what comes of it. @throws Refusal `not_found` */
export async function testChannel(
  ctx: Ctx,
  sending: Pick<Sending, 'mailer' | 'gate' | 'url'>,
  { id }: { id: string },
): Promise<ResultOf<typeof contract.testChannel>> {
  const channel = await find(ctx, id)
  const at = ctx.now.toISOString()
  const notice = {
    id: '0',
    kind: 'EVENT_TEST',
    time: at,
    title: 'This is a test from Glacis',
    resource: { kind: 'target' as const, id },
  }
  const outcome = await sendThrough(ctx, channel, { id: newId(), notices: [notice], eventCount: 1 }, sending)
  await record(ctx, 'channel.test', { kind: 'channel', id }, { error: outcome.error })
  return {
    ...(outcome.statusCode !== null && { statusCode: outcome.statusCode }),
    latency: seconds(outcome.latencyMs),
    error: outcome.error,
    answer: outcome.answer,
  }
}

export function toDelivery(row: Selectable<Tables['delivery']>): Delivery {
  return {
    id: row.id,
    state: row.state,
    events: [...new Set(row.notices.map((notice) => notice.kind))],
    eventCount: row.event_count,
    attempts: row.attempts,
    ...(row.status_code !== null && { statusCode: row.status_code }),
    ...(row.latency_ms !== null && { latency: seconds(row.latency_ms) }),
    error: row.error,
    answer: row.answer,
    createTime: row.created_at.toISOString(),
    ...(row.completed_at && { completeTime: row.completed_at.toISOString() }),
  }
}

const seconds = (ms: number) => `${ms / 1000}s`
