import type { Notice } from '@glacis/contract/channel'
import { type Ctx, type Log, systemActor } from '#ctx.ts'
import { type Database, inWorkspace } from '#database/index.ts'
import type { Tables } from '#database/tables.ts'
import { storable } from '#database/text.ts'
import type { Work } from '#jobs.ts'
import type { Mailer } from '#mail.ts'
import { discordBody, mailOf, slackBody, webhookBody } from '#notifications/message.ts'
import type { EgressPolicy } from '#egress-policy.ts'
import { type Outcome, post, signature } from '#notifications/send.ts'
import { type Selectable, sql } from 'kysely'

export interface Sending {
  readonly database: Database
  readonly mailer: Mailer
  readonly egress: EgressPolicy
  /** The portal's URL, for links. */
  readonly url: string
  readonly log: Log
}

/** A channel pauses after this many consecutive failed deliveries until a user resumes it. */
const failuresMax = 10
/** The receiver has asked to stop deliveries (Standard Webhooks, "Delivery attempt status"). */
const goneStatus = 410
type ChannelRow = Selectable<Tables['channel']>

/**
 * Makes one delivery attempt.
 *
 * @throws if it failed and attempts are left, so that the queue retries
 */
export async function runDelivery(sending: Sending, work: Work<'delivery'>): Promise<void> {
  const { account: workspace, deliveryId } = work.data
  const as = { workspace, actor: systemActor, log: sending.log }
  const loaded = await inWorkspace(sending.database, as, (ctx) => read(ctx, deliveryId))
  if (!loaded) return
  const message = { id: deliveryId, notices: loaded.delivery.notices, eventCount: loaded.delivery.event_count }
  // No transaction is open while waiting for the receiver.
  const outcome = await sendTo(loaded.email, loaded.channel, message, sending)
  const isLast = work.isLastAttempt || outcome.statusCode === goneStatus
  const isEnded = await inWorkspace(sending.database, as, (ctx) =>
    recordOutcome(ctx, loaded.channel, deliveryId, outcome, isLast),
  )
  if (!isEnded) throw new Error(outcome.error)
}

export interface Message {
  readonly id: string
  readonly notices: readonly Notice[]
  readonly eventCount: number
}

/** Sends a message through a channel once, regardless of the channel's state. */
export async function sendTo(
  email: string,
  channel: ChannelRow,
  message: Message,
  { mailer, egress, url }: Pick<Sending, 'mailer' | 'egress' | 'url'>,
): Promise<Outcome> {
  if (channel.kind === 'KIND_EMAIL') return sendMail(mailer, mailOf(email, message, url))
  const target = { url: channel.webhook_url, egress }
  if (channel.kind === 'KIND_SLACK') return post({ ...target, body: slackBody(message, url) })
  if (channel.kind === 'KIND_DISCORD') return post({ ...target, body: discordBody(message, url) })
  const body = webhookBody(message, url)
  return post({ ...target, body, headers: signature(channel.secret, message.id, new Date(), body) })
}

async function sendMail(mailer: Mailer, mail: Parameters<Mailer['deliver']>[0]): Promise<Outcome> {
  const start = performance.now()
  const elapsedMs = () => Math.round(performance.now() - start)
  try {
    await mailer.deliver(mail)
    return { statusCode: null, latencyMs: elapsedMs(), error: '', answer: '' }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return {
      statusCode: null,
      latencyMs: elapsedMs(),
      error: `The email could not be sent: ${storable(reason)}`.slice(0, 500),
      answer: '',
    }
  }
}

async function read(ctx: Ctx, id: string) {
  const delivery = await ctx.tx
    .selectFrom('delivery')
    .selectAll()
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', id)
    .where('state', '=', 'STATE_PENDING')
    .executeTakeFirst()
  if (!delivery) return null
  const channel = await ctx.tx
    .selectFrom('channel')
    .selectAll()
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', delivery.channel_id)
    .executeTakeFirst()
  if (!channel) return null
  if (delivery.recipient === null) return { delivery, channel, email: await emailOf(ctx) }
  if (await isMember(ctx, delivery.recipient)) return { delivery, channel, email: delivery.recipient }
  await endDelivery(ctx, id, 'The recipient is no longer a member')
  return null
}

/** Whether the address still belongs to a member; people who left get no more emails. */
async function isMember(ctx: Ctx, email: string): Promise<boolean> {
  const row = await ctx.tx
    .selectFrom('member')
    .select('identity_id')
    .where('account_id', '=', ctx.workspace)
    .where('email', '=', email)
    .where('left_at', 'is', null)
    .executeTakeFirst()
  return row !== undefined
}

async function endDelivery(ctx: Ctx, id: string, error: string): Promise<void> {
  await ctx.tx
    .updateTable('delivery')
    .set({ state: 'STATE_FAILED', error, completed_at: ctx.now })
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', id)
    .execute()
}

/** The email address of the workspace's longest-standing owner, who receives its emails. */
export async function emailOf(ctx: Ctx): Promise<string> {
  const { email } = await ctx.tx
    .selectFrom('member')
    .select('email')
    .where('account_id', '=', ctx.workspace)
    .where('role', '=', 'owner')
    .where('left_at', 'is', null)
    .orderBy('joined_at')
    .limit(1)
    .executeTakeFirstOrThrow()
  return email
}

/**
 * @returns whether the delivery is final: it succeeded, this was the last attempt, or it was ended
 * in the meantime
 */
async function recordOutcome(
  ctx: Ctx,
  channel: ChannelRow,
  id: string,
  outcome: Outcome,
  isLast: boolean,
): Promise<boolean> {
  const hasArrived = outcome.error === ''
  const state = hasArrived ? 'STATE_DELIVERED' : isLast ? 'STATE_FAILED' : 'STATE_PENDING'
  const updated = await ctx.tx
    .updateTable('delivery')
    .set({
      state,
      attempts: sql`attempts + 1`,
      status_code: outcome.statusCode,
      latency_ms: outcome.latencyMs,
      error: outcome.error,
      answer: outcome.answer,
      completed_at: state === 'STATE_PENDING' ? null : new Date(),
    })
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', id)
    // A successful delivery is recorded even if it was ended in the meantime.
    .$if(!hasArrived, (query) => query.where('state', '=', 'STATE_PENDING'))
    .returning('id')
    .executeTakeFirst()
  if (!updated) return true
  if (state === 'STATE_FAILED') await countFailure(ctx, channel.id, { isGone: outcome.statusCode === goneStatus })
  if (hasArrived) {
    await ctx.tx
      .updateTable('channel')
      .set({ failures: 0 })
      .where('account_id', '=', ctx.workspace)
      .where('id', '=', channel.id)
      .execute()
  }
  return state !== 'STATE_PENDING'
}

/**
 * Records a failed delivery. The channel pauses after too many in a row or if the receiver is gone.
 */
export async function countFailure(ctx: Ctx, channelId: string, { isGone = false } = {}): Promise<void> {
  await sql`
    update channel set failures = failures + 1, is_enabled = is_enabled and failures + 1 < ${isGone ? 0 : failuresMax}
    where account_id = ${ctx.workspace} and id = ${channelId}`.execute(ctx.tx)
}
