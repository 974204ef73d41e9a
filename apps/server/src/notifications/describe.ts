import type { Channel } from '@glacis/contract/channel'
import type { Ctx } from '#ctx.ts'
import type { Tables } from '#database/tables.ts'
import { notFound } from '#errors.ts'
import { findChannel } from '#notifications/find-channel.ts'
import { toDelivery } from '#notifications/deliveries.ts'
import { type Selectable, sql } from 'kysely'

type Row = Selectable<Tables['channel']>

/** @throws ApiError `not_found` */
export async function channelOf(ctx: Ctx, id: string): Promise<Channel> {
  const [channel] = await describeChannels(ctx, [await findChannel(ctx, id)])
  if (!channel) throw notFound('channel', id)
  return channel
}

/** Channels in their API representation, each with its last delivery. */
export async function describeChannels(ctx: Ctx, rows: readonly Row[]): Promise<Channel[]> {
  const ids = rows.map((row) => row.id)
  const { rows: last } = await sql<Selectable<Tables['delivery']>>`
    select distinct on (channel_id) * from delivery
    where account_id = ${ctx.workspace} and channel_id = any(${ids}::uuid[])
    order by channel_id, id desc`.execute(ctx.tx)
  const lastOf = new Map(last.map((row) => [row.channel_id, toDelivery(row)]))
  return rows.map((row) => {
    const lastDelivery = lastOf.get(row.id)
    return {
      id: row.id,
      kind: row.kind,
      webhookUrl: row.webhook_url,
      rule: {
        events: row.events,
        minSeverity: row.min_severity,
        tagIds: row.tag_ids,
        ...(row.recipients !== 'RECIPIENTS_WORKSPACE' && { recipients: row.recipients }),
      },
      isEnabled: row.is_enabled,
      failureCount: row.failures,
      ...(lastDelivery && { lastDelivery }),
      createTime: row.created_at.toISOString(),
      updateTime: row.updated_at.toISOString(),
    }
  })
}
