/** Plans and the subscription. */
import { z } from 'zod/mini'
import { endpoint } from '#endpoint.ts'
import { Timestamp, UrlOrEmpty } from '#primitives.ts'

export const planIds = ['free', 'starter', 'team', 'business', 'enterprise'] as const
export const freePlanId = 'free'
export const PlanId = z.enum(planIds)
export const SubscriptionPeriod = z.enum(['PERIOD_UNSPECIFIED', 'PERIOD_MONTHLY', 'PERIOD_YEARLY'])

const quota = z.object({ total: z.int(), used: z.int() })
export const Subscription = z.object({
  plan: z.object({ id: PlanId, name: z.string() }),
  period: SubscriptionPeriod,
  quota: z.object({ targets: quota, manualScans: quota }),
  periodEndTime: z.optional(Timestamp),
  cancelTime: z.optional(Timestamp),
})
export type Subscription = z.infer<typeof Subscription>

export const getSubscription = endpoint({
  method: 'GET',
  path: '/v1/billing/subscription',
  summary: 'Get the subscription',
  description: 'The plan of the workspace and its current usage.',
  input: z.object({}),
  result: z.object({ subscription: Subscription }),
})

const money = z.object({ currencyCode: z.literal('CHF'), monthly: z.number(), yearly: z.number() })
export const Plan = z.object({
  id: PlanId,
  name: z.string(),
  /** Price with the included targets. */
  basePrice: money,
  includedTargets: z.int(),
  /** Price per additional target; absent if none can be added. */
  pricePerExtraTarget: z.optional(money),
  /** Maximum number of targets; absent if unlimited. */
  maximumTargets: z.optional(z.int()),
  /** Absent if unlimited. */
  manualScansPerMonth: z.optional(z.int()),
  /** Maximum number of agents; absent if unlimited. */
  maximumAgents: z.optional(z.int()),
  features: z.array(z.string()),
})
export type Plan = z.infer<typeof Plan>

export const listPlans = endpoint({
  method: 'GET',
  path: '/v1/billing/plans',
  summary: 'List plans',
  input: z.object({}),
  result: z.object({ plans: z.array(Plan) }),
})
export const previewSubscription = endpoint({
  method: 'POST',
  path: '/v1/billing/subscription/preview',
  summary: 'Preview a subscription change',
  description: 'What the change costs today and at the next renewal, and what would exceed its quota.',
  input: z.strictObject({ planId: PlanId, numTargets: z.int().check(z.positive()), period: SubscriptionPeriod }),
  result: z.object({
    /** Due now, in units and cents of the currency, with the rest of the current period credited. */
    dueToday: z.number(),
    /** Due at each renewal. */
    nextAmount: z.number(),
    currency: z.literal('CHF'),
    /** Number of targets above the new quota. */
    overQuota: z.object({ targets: z.int() }),
  }),
})
export const changeSubscription = endpoint({
  method: 'PUT',
  path: '/v1/billing/subscription',
  summary: 'Change the subscription',
  description: 'Changes the plan, period, and number of targets. An empty `redirectUrl` means the change is complete.',
  input: z.strictObject({ planId: PlanId, numTargets: z.int().check(z.positive()), period: SubscriptionPeriod }),
  result: z.object({ redirectUrl: UrlOrEmpty }),
})
