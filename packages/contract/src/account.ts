/** Plans, subscription and channels. */
import { z } from 'zod'
import { endpoint } from '#endpoint.ts'
import { Id, Timestamp, UrlOrEmpty } from '#primitives.ts'

export const planIds = ['free', 'starter', 'team', 'business', 'enterprise'] as const
export const freePlanId = 'free'
export const PlanId = z.enum(planIds)
export const SubscriptionPeriod = z.enum(['PERIOD_UNSPECIFIED', 'PERIOD_MONTHLY', 'PERIOD_YEARLY'])

const quota = z.object({ total: z.number().int(), used: z.number().int() })
export const Subscription = z.object({
  plan: z.object({ id: PlanId, name: z.string() }),
  period: SubscriptionPeriod,
  quota: z.object({ targets: quota, manualScans: quota }),
  periodEndTime: Timestamp.optional(),
  cancelTime: Timestamp.optional(),
})
export type Subscription = z.infer<typeof Subscription>

export const getSubscription = endpoint({
  method: 'GET',
  path: '/v1/billing/subscription',
  summary: 'The plan of the account and what of it is used.',
  input: z.object({}),
  result: z.object({ subscription: Subscription }),
})

export const ChannelKind = z.enum(['KIND_EMAIL', 'KIND_WEBHOOK', 'KIND_SLACK', 'KIND_DISCORD'])
export const NotificationChannel = z.object({ id: Id, kind: ChannelKind, webhookUrl: UrlOrEmpty })
