/** The plan of an account, what of it is used, and the refusal when it is used up. */
import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/account'
import { type Plan, type Subscription, SubscriptionPeriod } from '@glacis/contract/account'
import { record } from '#audit.ts'
import { planOf, plans, unlimited } from '#billing/plans.ts'
import type { Ctx } from '#ctx.ts'
import { takeTurn } from '#database/turn.ts'
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
  await lock(ctx)
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

/**
 * What a change would cost where a provider charges for it: the price of the new plan for the rest of
 * the month, less that of the present one. On one's own installation nothing is charged.
 */
export async function previewSubscription(
  ctx: Ctx,
  { planId, numTargets, period }: ParsedInputOf<typeof contract.previewSubscription>,
): Promise<ResultOf<typeof contract.previewSubscription>> {
  const plan = planOf(planId)
  const most = plan.maximumTargets ?? unlimited
  if (numTargets > most) throw invalid('numTargets', `The plan ${plan.name} holds at most ${most} targets`)
  const usage = await usageOf(ctx)
  const next = priceOf(plan, numTargets, period)
  const now = priceOf(usage.plan, usage.targets.total, usage.period)
  const total = Math.max(numTargets, plan.includedTargets)
  return {
    dueToday: Math.max(0, cents((aMonthOf(next, period) - aMonthOf(now, usage.period)) * restOfMonth(ctx.now))),
    nextAmount: next,
    currency: 'CHF',
    overQuota: { targets: Math.max(0, usage.targets.used - total) },
  }
}

function priceOf(plan: Plan, targets: number, period: string): number {
  const term = period === 'PERIOD_YEARLY' ? 'yearly' : 'monthly'
  const extra = Math.max(0, targets - plan.includedTargets)
  return cents(plan.basePrice[term] + (plan.pricePerExtraTarget ? extra * plan.pricePerExtraTarget[term] : 0))
}

const aMonthOf = (price: number, period: string) => (period === 'PERIOD_YEARLY' ? price / 12 : price)
const cents = (amount: number) => Math.round(amount * 100) / 100

/** The part of this month that is still to come, 0 to 1. */
function restOfMonth(now: Date): number {
  const [start, end] = [thisMonth(now).getTime(), nextMonth(now).getTime()]
  return (end - now.getTime()) / (end - start)
}

/** Distinct addresses that may be watched in one month, as a multiple of the targets of the plan. */
const addressesPerPlace = 3

/**
 * @param address of the target, so that one place is not lent to ever new addresses
 * @throws Refusal `quota_exceeded` when the plan holds no further target
 */
export async function spendTarget(ctx: Ctx, address: string): Promise<void> {
  await lock(ctx)
  const { targets, plan } = await usageOf(ctx)
  if (targets.used >= targets.total) throw exhausted('targets', 'Target', targets, plan)
  const most = targets.total * addressesPerPlace
  const used = await addressesThisMonth(ctx, address)
  if (used >= most) throw exhausted('addresses', 'Address', { used, total: most }, plan)
}

/** How many more targets the plan holds. */
export async function targetPlacesLeft(ctx: Ctx): Promise<number> {
  await lock(ctx)
  const { targets } = await usageOf(ctx)
  return Math.max(0, targets.total - targets.used)
}

/** Other addresses that this month's targets had, deleted ones too. */
async function addressesThisMonth(ctx: Ctx, address: string): Promise<number> {
  const { rows } = await sql<{ addresses: number }>`
    select count(distinct address)::int as addresses from target
    where account_id = ${ctx.account} and created_at >= ${thisMonth(ctx.now)} and address <> ${address}`.execute(ctx.tx)
  return rows[0]?.addresses ?? 0
}

/** @throws Refusal `quota_exceeded` when this month's manual scans are used up */
export async function spendScan(ctx: Ctx): Promise<void> {
  await lock(ctx)
  const { manualScans, plan } = await usageOf(ctx)
  if (manualScans.used >= manualScans.total) throw exhausted('manualScans', 'Manual scan', manualScans, plan)
}

/** @throws Refusal `quota_exceeded` when the plan holds no further agent */
export async function spendAgent(ctx: Ctx): Promise<void> {
  await lock(ctx)
  const { plan } = await usageOf(ctx)
  if (plan.maximumAgents === undefined) return
  const { used } = await ctx.tx
    .selectFrom('agent')
    .select(({ fn }) => fn.countAll<number>().as('used'))
    .where('account_id', '=', ctx.account)
    .executeTakeFirstOrThrow()
  const quota = { used: Number(used), total: plan.maximumAgents }
  if (quota.used >= quota.total) throw exhausted('agents', 'Agent', quota, plan)
}

function exhausted(subject: string, word: string, { used, total }: Usage['targets'], plan: Plan): Refusal {
  return new Refusal('quota_exceeded', `${word} quota of the plan ${plan.name} exhausted: ${used} of ${total} used`, {
    quota: { subject, description: `${used} of ${total}` },
  })
}

/** Nor may one request take the place that another gives up. */
function lock(ctx: Ctx): Promise<void> {
  return takeTurn(ctx, 'quota')
}

async function usageOf(ctx: Ctx): Promise<Usage> {
  const account = await ctx.tx
    .selectFrom('account')
    .select(['plan_id', 'plan_period', 'plan_targets'])
    .where('id', '=', ctx.account)
    .executeTakeFirstOrThrow()
  const { rows } = await sql<{ targets: number; scans: number }>`
    select (select count(*)::int from target where account_id = ${ctx.account} and deleted_at is null and paused_at is null) as targets,
           -- What failed, or was cancelled before it looked at anything, is given back.
           (select count(*)::int from scan
            where account_id = ${ctx.account} and type = 'TYPE_MANUAL' and retest_of is null and created_at >= ${thisMonth(ctx.now)}
              and status <> 'STATUS_FAILED'
              and not (status = 'STATUS_CANCELLED' and hosts_done = 0 and not exists (
                select from scan_batch
                where scan_batch.account_id = scan.account_id and scan_batch.scan_id = scan.id and attempt > 0))) as scans`.execute(
    ctx.tx,
  )
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
