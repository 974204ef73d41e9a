/** The plan of an account and what of it is used. */
import { freePlanId, PlanId, type Subscription, SubscriptionPeriod } from '@glacis/contract/account'
import type { Ctx } from '#ctx.ts'

const names = {
  free: 'Free',
  starter: 'Starter',
  team: 'Team',
  business: 'Business',
  enterprise: 'Enterprise',
} as const
/** What one's own installation allows; the operator's machine is the only limit. */
const unlimited = 1_000_000

/** With billing off everyone has the largest plan. */
export async function getSubscription(ctx: Ctx, billing: 'open' | 'off'): Promise<{ subscription: Subscription }> {
  const account = await ctx.tx
    .selectFrom('account')
    .select(['plan_id', 'plan_period'])
    .where('id', '=', ctx.account)
    .executeTakeFirstOrThrow()
  const month = new Date(Date.UTC(ctx.now.getUTCFullYear(), ctx.now.getUTCMonth(), 1))
  const targets = await ctx.tx
    .selectFrom('target')
    .select(({ fn }) => fn.countAll<number>().as('used'))
    .where('account_id', '=', ctx.account)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  const scans = await ctx.tx
    .selectFrom('scan')
    .select(({ fn }) => fn.countAll<number>().as('used'))
    .where('account_id', '=', ctx.account)
    .where('type', '=', 'TYPE_MANUAL')
    .where('created_at', '>=', month)
    .executeTakeFirstOrThrow()
  const id = billing === 'off' ? 'enterprise' : PlanId.catch(freePlanId).parse(account.plan_id)
  return {
    subscription: {
      plan: { id, name: names[id] },
      period: SubscriptionPeriod.catch('PERIOD_UNSPECIFIED').parse(account.plan_period),
      quota: {
        targets: { total: unlimited, used: Number(targets.used) },
        manualScans: { total: unlimited, used: Number(scans.used) },
      },
    },
  }
}
