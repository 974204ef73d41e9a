/** The plan of an account, what of it is used, and the refusal when it is used up. */
import type { ParsedInputOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/account'
import { type Plan, type Subscription, SubscriptionPeriod } from '@glacis/contract/account'
import { record } from '#audit.ts'
import { planOf, plans, unlimited } from '#billing/plans.ts'
import type { Ctx } from '#ctx.ts'
import { invalid, Refusal } from '#errors.ts'
import { sql } from 'kysely'

interface Usage {
  readonly plan: Plan
  readonly period: string
  readonly targets: { readonly total: number; readonly used: number }
  readonly manualScans: { readonly total: number; readonly used: number }
}

export function listPlans(): { plans: Plan[] } {
  return { plans: [...plans] }
}

export async function getSubscription(ctx: Ctx): Promise<{ subscription: Subscription }> {
  const { plan, period, targets, manualScans } = await usageOf(ctx)
  return {
    subscription: {
      plan: { id: plan.id, name: plan.name },
      period: SubscriptionPeriod.parse(period),
      quota: { targets, manualScans },
      periodEndTime: nextMonth(ctx.now).toISOString(),
    },
  }
}

/**
 * Applies another plan at once; nothing is charged on one's own installation.
 *
 * @throws Refusal `invalid` for more targets than the plan can have; `precondition` for fewer than exist
 */
export async function changeSubscription(
  ctx: Ctx,
  { planId, numTargets, period }: ParsedInputOf<typeof contract.changeSubscription>,
): Promise<{ redirectUrl: string }> {
  const plan = planOf(planId)
  const most = plan.maximumTargets ?? unlimited
  if (numTargets > most) throw invalid('numTargets', `The plan ${plan.name} holds at most ${most} targets`)
  const { targets } = await usageOf(ctx)
  const total = Math.max(numTargets, plan.includedTargets)
  if (targets.used > total) {
    throw new Refusal('precondition', `${targets.used} targets exist; delete some, or choose a plan that holds them`)
  }
  await ctx.tx
    .updateTable('account')
    .set({ plan_id: planId, plan_period: period, plan_targets: total, updated_at: ctx.now })
    .where('id', '=', ctx.account)
    .execute()
  await record(ctx, 'subscription.change', { kind: 'account', id: ctx.account }, { planId, numTargets, period })
  return { redirectUrl: '' }
}

/** @throws Refusal `quota_exceeded` when the plan holds no further target */
export async function spendTarget(ctx: Ctx): Promise<void> {
  await lock(ctx)
  const { targets, plan } = await usageOf(ctx)
  if (targets.used >= targets.total) throw exhausted('targets', 'Target', targets, plan)
}

/** @throws Refusal `quota_exceeded` when this month's manual scans are used up */
export async function spendScan(ctx: Ctx): Promise<void> {
  await lock(ctx)
  const { manualScans, plan } = await usageOf(ctx)
  if (manualScans.used >= manualScans.total) throw exhausted('manualScans', 'Manual scan', manualScans, plan)
}

function exhausted(subject: string, word: string, { used, total }: Usage['targets'], plan: Plan): Refusal {
  return new Refusal('quota_exceeded', `${word} quota of the plan ${plan.name} exhausted: ${used} of ${total} used`, {
    quota: { subject, description: `${used} of ${total}` },
  })
}

/** Two requests at the same moment must not both take the last place. */
async function lock(ctx: Ctx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`quota ${ctx.account}`}, 0))`.execute(ctx.tx)
}

async function usageOf(ctx: Ctx): Promise<Usage> {
  const account = await ctx.tx
    .selectFrom('account')
    .select(['plan_id', 'plan_period', 'plan_targets'])
    .where('id', '=', ctx.account)
    .executeTakeFirstOrThrow()
  const { rows } = await sql<{ targets: number; scans: number }>`
    select (select count(*)::int from target where account_id = ${ctx.account} and deleted_at is null) as targets,
           -- What was cancelled or failed before it looked at anything is given back.
           (select count(*)::int from scan
            where account_id = ${ctx.account} and type = 'TYPE_MANUAL' and created_at >= ${thisMonth(ctx.now)}
              and not (status in ('STATUS_CANCELLED', 'STATUS_FAILED') and hosts_done = 0)) as scans`.execute(ctx.tx)
  const { targets = 0, scans = 0 } = rows[0] ?? {}
  const plan = planOf(ctx.isUnlimited ? 'enterprise' : account.plan_id)
  const total =
    plan.id === account.plan_id ? Math.max(account.plan_targets ?? 0, plan.includedTargets) : plan.includedTargets
  return {
    plan,
    period: account.plan_period,
    targets: { total, used: targets },
    manualScans: { total: plan.manualScansPerMonth ?? unlimited, used: scans },
  }
}

function thisMonth(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1))
}

function nextMonth(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1))
}
