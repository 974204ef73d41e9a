/** Events and their deliveries to channels. */
import type { ChannelEvent, ChannelKind, ChannelRecipients, DeliveryState, Notice } from '@glacis/contract/channel'
import type { Generated } from 'kysely'
import type { z } from 'zod'
import type { Json, Numeric } from '#database/tables/kinds.ts'

/** notifications */
export interface EventTable {
  account_id: string
  id: Generated<number>
  xid: Generated<string>
  at: Date
  kind: string
  title: string
  score: Numeric | null
  resource_kind: Notice['resource']['kind']
  resource_id: string
  target_ids: string[] | null
}
/** notifications */
export interface ChannelTable {
  account_id: string
  id: string
  kind: ChannelKind
  webhook_url: string
  secret: string
  events: ChannelEvent[]
  min_severity: Numeric
  tag_ids: string[]
  recipients: Generated<ChannelRecipients>
  is_enabled: Generated<boolean>
  failures: Generated<number>
  taken_until: Generated<string>
  created_at: Date
  updated_at: Date
}
/** notifications */
export interface DeliveryTable {
  account_id: string
  id: string
  channel_id: string
  state: z.infer<typeof DeliveryState>
  notices: Json<Notice[]>
  event_count: number
  recipient: Generated<string | null>
  attempts: Generated<number>
  status_code: number | null
  latency_ms: number | null
  error: Generated<string>
  answer: Generated<string>
  created_at: Date
  completed_at: Date | null
}
