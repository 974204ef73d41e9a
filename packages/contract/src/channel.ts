/** Notification channels ("integrations" in the portal). */
import { z } from 'zod/mini'
import { endpoint } from '#endpoint.ts'
import { Duration, Empty, Id, NextPage, Page, Timestamp, UpdateMask, UrlOrEmpty } from '#primitives.ts'

export const ChannelKind = z.enum(['KIND_EMAIL', 'KIND_WEBHOOK', 'KIND_SLACK', 'KIND_DISCORD'])
export type ChannelKind = z.infer<typeof ChannelKind>

/** Events that channels can subscribe to. `EVENT_TEST` is only sent on request. */
export const ChannelEvent = z.enum([
  'EVENT_ISSUE_OPENED',
  'EVENT_ISSUE_REGRESSED',
  'EVENT_ISSUE_RESOLVED',
  'EVENT_THREAT_EMERGING',
  'EVENT_SCAN_COMPLETED',
  'EVENT_SCAN_FAILED',
  'EVENT_AGENT_DISCONNECTED',
])
export type ChannelEvent = z.infer<typeof ChannelEvent>

/**
 * Who receives the emails of a channel: the longest-standing owner, or, for each event, the teams and owners of the
 * affected targets.
 */
export const ChannelRecipients = z.enum(['RECIPIENTS_WORKSPACE', 'RECIPIENTS_TEAMS'])
export type ChannelRecipients = z.infer<typeof ChannelRecipients>

export const ChannelRule = z.strictObject({
  events: z.array(ChannelEvent).check(z.minLength(1, 'Choose at least one event'), z.maxLength(20)),
  /** Minimum CVSS score, 0 to 10. Events without a score always match. */
  minSeverity: z.number().check(z.minimum(0), z.maximum(10)),
  /** Only events of targets with one of these tags; empty means all. */
  tagIds: z._default(z.array(Id).check(z.maxLength(50)), []),
  /** For email. Default: the workspace. */
  recipients: z.optional(ChannelRecipients),
})
export type ChannelRule = z.infer<typeof ChannelRule>

export const DeliveryState = z.enum(['STATE_PENDING', 'STATE_DELIVERED', 'STATE_FAILED'])
export const Delivery = z.object({
  id: Id,
  state: DeliveryState,
  /** Events in this delivery, or `EVENT_TEST`. */
  events: z.array(z.string()),
  eventCount: z.int(),
  /** The address of an email to a team member or owner of a target. */
  recipient: z.optional(z.string()),
  attempts: z.int(),
  /** HTTP status of the last response; absent without a response and for email. */
  statusCode: z.optional(z.int()),
  latency: z.optional(Duration),
  /** Why the last attempt failed; empty otherwise. */
  error: z.string(),
  /** Beginning of the last response body. */
  answer: z.string(),
  createTime: Timestamp,
  completeTime: z.optional(Timestamp),
})
export type Delivery = z.infer<typeof Delivery>

export const Channel = z.object({
  id: Id,
  kind: ChannelKind,
  /** Empty for email and for channels that were disabled by removing their URL. */
  webhookUrl: UrlOrEmpty,
  rule: ChannelRule,
  /** If false, nothing is sent. */
  isEnabled: z.boolean(),
  /** Consecutive deliveries that failed after all retries. After ten, the channel is disabled. */
  failureCount: z.int(),
  lastDelivery: z.optional(Delivery),
  /** Signing key (`whsec_…`, Standard Webhooks). Present only in the response that creates it. */
  secret: z.optional(z.string()),
  createTime: Timestamp,
  updateTime: Timestamp,
})
export type Channel = z.infer<typeof Channel>

const result = z.object({ channel: Channel })

export const listChannels = endpoint({
  method: 'GET',
  path: '/v1/notification-channels',
  summary: 'List notification channels',
  description: 'Failing channels first.',
  input: z.object({}),
  result: z.object({ channels: z.array(Channel) }),
})
export const createChannel = endpoint({
  method: 'POST',
  path: '/v1/notification-channels',
  summary: 'Create a notification channel',
  description: 'A webhook channel returns its signing secret once, in this response.',
  input: z.strictObject({
    channel: z.strictObject({
      kind: ChannelKind,
      webhookUrl: z._default(UrlOrEmpty, ''),
      rule: z.optional(ChannelRule),
    }),
  }),
  result,
})
export const updateChannel = endpoint({
  method: 'PATCH',
  path: '/v1/notification-channels/:id',
  summary: 'Update a notification channel',
  description:
    'Changes only the fields named in `updateMask.paths`: `webhookUrl`, `rule`, or `isEnabled`. Enabling a channel resets its failure count.',
  input: z.strictObject({
    id: Id,
    channel: z.strictObject({
      webhookUrl: z.optional(UrlOrEmpty),
      rule: z.optional(ChannelRule),
      isEnabled: z.optional(z.boolean()),
    }),
    updateMask: UpdateMask,
  }),
  result,
})
export const deleteChannel = endpoint({
  method: 'DELETE',
  path: '/v1/notification-channels/:id',
  summary: 'Delete a notification channel',
  description: 'Its deliveries are deleted too.',
  input: z.object({ id: Id }),
  result: Empty,
})
export const rotateChannelSecret = endpoint({
  method: 'POST',
  path: '/v1/notification-channels/:id/secret',
  summary: "Rotate a channel's signing secret",
  description: 'The old secret stops working immediately.',
  input: z.strictObject({ id: Id }),
  result,
})
export const testChannel = endpoint({
  method: 'POST',
  path: '/v1/notification-channels/:id/test',
  summary: 'Send a test message',
  description: 'Sends one test message now, adds it to the deliveries, and returns the result.',
  input: z.strictObject({ id: Id }),
  result: z.object({
    statusCode: z.optional(z.int()),
    latency: Duration,
    /** Empty on success. */
    error: z.string(),
    answer: z.string(),
  }),
})
export const previewChannel = endpoint({
  method: 'POST',
  path: '/v1/notification-channels/preview',
  summary: 'Preview a notification rule',
  description: 'How many events of the last 30 days the rule would have matched.',
  input: z.strictObject({ rule: ChannelRule }),
  result: z.object({ eventCount: z.int(), days: z.int() }),
})
export const listDeliveries = endpoint({
  method: 'GET',
  path: '/v1/notification-channels/:id/deliveries',
  summary: "List a channel's deliveries",
  description: 'Newest first. Deliveries are kept for 30 days.',
  input: z.object({ id: Id, ...Page }),
  result: z.object({ deliveries: z.array(Delivery), ...NextPage }),
})
export const redeliver = endpoint({
  method: 'POST',
  path: '/v1/notification-channels/:id/deliveries/:deliveryId/redeliver',
  summary: 'Redeliver a message',
  description: 'Sends the same message again with the same `webhook-id`.',
  input: z.strictObject({ id: Id, deliveryId: Id }),
  result: z.object({ delivery: Delivery }),
})

/** An event as delivered by webhooks and streamed by `GET /v1/events`. */
export const Notice = z.object({
  id: z.string(),
  kind: z.string(),
  time: Timestamp,
  title: z.string(),
  /** CVSS score, for events about an issue. */
  score: z.optional(z.number()),
  resource: z.object({ kind: z.enum(['issue', 'scan', 'agent', 'target', 'product']), id: z.string() }),
})
export type Notice = z.infer<typeof Notice>
