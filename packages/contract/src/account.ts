/** Plans and the subscription. */
import { z } from 'zod'
import { endpoint } from '#endpoint.ts'
import { Timestamp, UrlOrEmpty } from '#primitives.ts'

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
  summary: 'Get the subscription',
  description: 'The plan of the account and its current usage.',
  input: z.object({}),
  result: z.object({ subscription: Subscription }),
})

const money = z.object({ currencyCode: z.literal('CHF'), monthly: z.number(), yearly: z.number() })
export const Plan = z.object({
  id: PlanId,
  name: z.string(),
  /** Price with the included targets. */
  basePrice: money,
  includedTargets: z.number().int(),
  /** Price per additional target; absent if none can be added. */
  pricePerExtraTarget: money.optional(),
  /** Maximum number of targets; absent if unlimited. */
  maximumTargets: z.number().int().optional(),
  /** Absent if unlimited. */
  manualScansPerMonth: z.number().int().optional(),
  /** Maximum number of agents; absent if unlimited. */
  maximumAgents: z.number().int().optional(),
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
  input: z.strictObject({ planId: PlanId, numTargets: z.number().int().positive(), period: SubscriptionPeriod }),
  result: z.object({
    /** Due now, in units and cents of the currency, with the rest of the current period credited. */
    dueToday: z.number(),
    /** Due at each renewal. */
    nextAmount: z.number(),
    currency: z.literal('CHF'),
    /** Number of targets above the new quota. */
    overQuota: z.object({ targets: z.number().int() }),
  }),
})
export const changeSubscription = endpoint({
  method: 'PUT',
  path: '/v1/billing/subscription',
  summary: 'Change the subscription',
  description: 'Changes the plan, period and number of targets. An empty `redirectUrl` means the change is complete.',
  input: z.strictObject({ planId: PlanId, numTargets: z.number().int().positive(), period: SubscriptionPeriod }),
  result: z.object({ redirectUrl: UrlOrEmpty }),
})
