import type * as contract from '@glacis/contract/channel'
import type { Delivery } from '@glacis/contract/channel'
import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import { recordAuditEvent } from '#audit.ts'
import type { Ctx, Within } from '#ctx.ts'
import { newId } from '#database/index.ts'
import { cutPage, readPage } from '#database/page.ts'
import type { Tables } from '#database/tables.ts'
import { notFound, ApiError } from '#errors.ts'
import type { Jobs } from '#jobs.ts'
import { findChannel, lockChannel } from '#notifications/find-channel.ts'
import { emailOf, type Message, type Sending, sendTo } from '#notifications/deliver.ts'
import type { Outcome } from '#notifications/send.ts'
import type { Selectable } from 'kysely'

/** @throws ApiError `not_found` */
export async function listDeliveries(
  ctx: Ctx,
  input: ParsedInputOf<typeof contract.listDeliveries>,
): Promise<ResultOf<typeof contract.listDeliveries>> {
  await findChannel(ctx, input.id)
  const page = readPage(input, ['deliveries', input.id])
  const after = page.after?.[0]
  const rows = await ctx.tx
    .selectFrom('delivery')
    .selectAll()
    .where('account_id', '=', ctx.workspace)
    .where('channel_id', '=', input.id)
    .$if(after !== undefined, (query) => query.where('id', '<', String(after)))
    .orderBy('id', 'desc')
    .limit(page.size + 1)
    .execute()
  const { rows: pageRows, nextPageToken } = cutPage(page, rows, (row) => [row.id])
  return { deliveries: pageRows.map(toDelivery), nextPageToken }
}

/**
 * @throws ApiError `not_found` for an unknown channel or delivery; `precondition` while it is in
 * progress
 */
export async function redeliver(
  ctx: Ctx,
  jobs: Jobs,
  { id, deliveryId }: { id: string; deliveryId: string },
): Promise<{ delivery: Delivery }> {
  await lockChannel(ctx, id)
  const row = await ctx.tx
    .selectFrom('delivery')
    .selectAll()
    .where('account_id', '=', ctx.workspace)
    .where('channel_id', '=', id)
    .where('id', '=', deliveryId)
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw notFound('delivery', deliveryId)
  if (row.state === 'STATE_PENDING') throw new ApiError('precondition', 'This delivery is still in progress')
  const delivery = await ctx.tx
    .updateTable('delivery')
    .set({ state: 'STATE_PENDING', completed_at: null })
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', deliveryId)
    .returningAll()
    .executeTakeFirstOrThrow()
  await jobs.enqueue(ctx.tx, 'delivery', { account: ctx.workspace, deliveryId })
  return { delivery: toDelivery(delivery) }
}

/** Channels with a test in progress in this process. */
const underTest = new Set<string>()

/**
 * Sends a test message, even through a channel that is off, and waits for the result. No
 * transaction is open in the meantime.
 *
 * @throws ApiError `not_found`; `precondition` while another test of the channel is in progress
 */
export async function testChannel(
  within: Within,
  sending: Pick<Sending, 'mailer' | 'egress' | 'url'>,
  { id }: { id: string },
): Promise<ResultOf<typeof contract.testChannel>> {
  const { channel, email } = await within(async (ctx) => ({
    channel: await findChannel(ctx, id),
    email: await emailOf(ctx),
  }))
  if (underTest.has(channel.id))
    throw new ApiError('precondition', 'A test of this channel is still in progress. Wait for its result')
  underTest.add(channel.id)
  try {
    const message = testMessage(channel.id)
    const outcome = await sendTo(email, channel, message, sending)
    await within(async (ctx) => {
      await recordTest(ctx, channel.id, message, outcome)
      await recordAuditEvent(ctx, 'channel.test', { kind: 'channel', id }, { error: outcome.error })
    })
    return {
      ...(outcome.statusCode !== null && { statusCode: outcome.statusCode }),
      latency: seconds(outcome.latencyMs),
      error: outcome.error,
      answer: outcome.answer,
    }
  } finally {
    underTest.delete(channel.id)
  }
}

/** Adds a test to the channel's deliveries. It doesn't count as a failure that pauses the channel. */
async function recordTest(ctx: Ctx, channelId: string, message: Message, outcome: Outcome): Promise<void> {
  await lockChannel(ctx, channelId)
  await ctx.tx
    .insertInto('delivery')
    .values({
      account_id: ctx.workspace,
      id: message.id,
      channel_id: channelId,
      state: outcome.error ? 'STATE_FAILED' : 'STATE_DELIVERED',
      notices: JSON.stringify(message.notices),
      event_count: message.eventCount,
      recipient: null,
      attempts: 1,
      status_code: outcome.statusCode,
      latency_ms: outcome.latencyMs,
      error: outcome.error,
      answer: outcome.answer,
      created_at: ctx.now,
      completed_at: ctx.now,
    })
    .execute()
}

function testMessage(channelId: string): Message {
  const notice = {
    id: '0',
    kind: 'EVENT_TEST',
    time: new Date().toISOString(),
    title: 'This is a test message from Glacis',
    resource: { kind: 'target' as const, id: channelId },
  }
  return { id: newId(), notices: [notice], eventCount: 1 }
}

export function toDelivery(row: Selectable<Tables['delivery']>): Delivery {
  return {
    id: row.id,
    state: row.state,
    events: [...new Set(row.notices.map((notice) => notice.kind))],
    eventCount: row.event_count,
    ...(row.recipient !== null && { recipient: row.recipient }),
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
