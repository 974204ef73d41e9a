/** The plan of a workspace, its usage, and the errors for exceeded quotas. */
import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/subscription'
import { type Plan, type Subscription, SubscriptionPeriod } from '@glacis/contract/subscription'
import { recordAuditEvent } from '#audit.ts'
import { planOf, plans, unlimited } from '#billing/plans.ts'
import type { Ctx } from '#ctx.ts'
import { lockForLimit } from '#database/limit-lock.ts'
import { invalid, ApiError } from '#errors.ts'
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
 * Changes the plan immediately. Self-hosted installations are not charged.
 *
 * @throws ApiError `invalid` for more targets than the plan allows; `precondition` for fewer than
 * exist, and if billing is off
 */
export async function changeSubscription(
  ctx: Ctx,
  { planId, numTargets, period }: ParsedInputOf<typeof contract.changeSubscription>,
): Promise<{ redirectUrl: string }> {
  if (ctx.isUnlimited) throw new ApiError('precondition', 'Billing is off on this installation')
  const plan = planOf(planId)
  const most = plan.maximumTargets ?? unlimited
  if (numTargets > most) throw invalid('numTargets', `The ${plan.name} plan allows at most ${most} targets`)
  await lock(ctx)
  const { targets } = await usageOf(ctx)
  const total = Math.max(numTargets, plan.includedTargets)
  if (targets.used > total) {
    throw new ApiError('precondition', `You have ${targets.used} targets. Delete some or choose a larger plan`)
  }
  await ctx.tx
    .updateTable('workspace')
    .set({ plan_id: planId, plan_period: period, plan_targets: total, updated_at: ctx.now })
    .where('id', '=', ctx.workspace)
    .execute()
  await recordAuditEvent(
    ctx,
    'subscription.change',
    { kind: 'workspace', id: ctx.workspace },
    { planId, numTargets, period },
  )
  return { redirectUrl: '' }
}

/**
 * What a change costs if a provider charges for it: the prorated price of the new plan minus that
 * of the current one. Always zero on self-hosted installations.
 */
export async function previewSubscription(
  ctx: Ctx,
  { planId, numTargets, period }: ParsedInputOf<typeof contract.previewSubscription>,
): Promise<ResultOf<typeof contract.previewSubscription>> {
  const plan = planOf(planId)
  const most = plan.maximumTargets ?? unlimited
  if (numTargets > most) throw invalid('numTargets', `The ${plan.name} plan allows at most ${most} targets`)
  const usage = await usageOf(ctx)
  const next = priceOf(plan, numTargets, period)
  const now = priceOf(usage.plan, usage.targets.total, usage.period)
  const total = Math.max(numTargets, plan.includedTargets)
  return {
    dueToday: Math.max(
      0,
      cents((monthlyPriceOf(next, period) - monthlyPriceOf(now, usage.period)) * remainingMonthShare(ctx.now)),
    ),
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

const monthlyPriceOf = (price: number, period: string) => (period === 'PERIOD_YEARLY' ? price / 12 : price)
const cents = (amount: number) => Math.round(amount * 100) / 100

/** The remaining fraction of the month, 0 to 1. */
function remainingMonthShare(now: Date): number {
  const [start, end] = [thisMonth(now).getTime(), nextMonth(now).getTime()]
  return (end - now.getTime()) / (end - start)
}

/** Distinct addresses that can be added per month, as a multiple of the plan's targets. */
const addressesPerTarget = 3

/**
 * @param address the target's address; distinct addresses per month are limited so that a slot
 * can't be reused indefinitely
 * @throws ApiError `quota_exceeded` if the plan's target limit is reached
 */
export async function consumeTargetQuota(ctx: Ctx, address: string): Promise<void> {
  await lock(ctx)
  const { targets, plan } = await usageOf(ctx)
  if (targets.used >= targets.total) throw quotaExceeded('targets', 'Target', targets, plan)
  const most = targets.total * addressesPerTarget
  const used = await addressesThisMonth(ctx, address)
  if (used >= most) throw quotaExceeded('addresses', 'Address', { used, total: most }, plan)
}

/** How many more targets the plan allows. */
export async function targetsLeft(ctx: Ctx): Promise<number> {
  await lock(ctx)
  const { targets } = await usageOf(ctx)
  return Math.max(0, targets.total - targets.used)
}

/** Distinct other addresses of this month's targets, including deleted ones. */
async function addressesThisMonth(ctx: Ctx, address: string): Promise<number> {
  const { rows } = await sql<{ addresses: number }>`
    select count(distinct address)::int as addresses from target
    where account_id = ${ctx.workspace} and created_at >= ${thisMonth(ctx.now)} and address <> ${address}`.execute(
    ctx.tx,
  )
  return rows[0]?.addresses ?? 0
}

/** @throws ApiError `quota_exceeded` if this month's manual scans are used up */
export async function consumeScanQuota(ctx: Ctx): Promise<void> {
  await lock(ctx)
  const { manualScans, plan } = await usageOf(ctx)
  if (manualScans.used >= manualScans.total) throw quotaExceeded('manualScans', 'Manual scan', manualScans, plan)
}

/** @throws ApiError `quota_exceeded` if the plan's agent limit is reached */
export async function consumeAgentQuota(ctx: Ctx): Promise<void> {
  await lock(ctx)
  const { plan } = await usageOf(ctx)
  if (plan.maximumAgents === undefined) return
  const { used } = await ctx.tx
    .selectFrom('agent')
    .select(({ fn }) => fn.countAll<number>().as('used'))
    .where('account_id', '=', ctx.workspace)
    .executeTakeFirstOrThrow()
  const quota = { used: Number(used), total: plan.maximumAgents }
  if (quota.used >= quota.total) throw quotaExceeded('agents', 'Agent', quota, plan)
}

function quotaExceeded(subject: string, label: string, { used, total }: Usage['targets'], plan: Plan): ApiError {
  return new ApiError('quota_exceeded', `${label} quota of the ${plan.name} plan exceeded: ${used} of ${total} used`, {
    quota: { subject, description: `${used} of ${total}` },
  })
}

/** Serializes quota checks, so that concurrent requests can't both use the last free slot. */
function lock(ctx: Ctx): Promise<void> {
  return lockForLimit(ctx, 'quota')
}

async function usageOf(ctx: Ctx): Promise<Usage> {
  const workspace = await ctx.tx
    .selectFrom('workspace')
    .select(['plan_id', 'plan_period', 'plan_targets'])
    .where('id', '=', ctx.workspace)
    .executeTakeFirstOrThrow()
  const { rows } = await sql<{ targets: number; scans: number }>`
    select (select count(*)::int from target where account_id = ${ctx.workspace} and deleted_at is null and paused_at is null) as targets,
           -- Scans that failed, or were canceled before scanning anything, don't count.
           (select count(*)::int from scan
            where account_id = ${ctx.workspace} and type = 'TYPE_MANUAL' and retest_of is null and created_at >= ${thisMonth(ctx.now)}
              and status <> 'STATUS_FAILED'
              and not (status = 'STATUS_CANCELLED' and hosts_done = 0 and not exists (
                select from scan_batch
                where scan_batch.account_id = scan.account_id and scan_batch.scan_id = scan.id and attempt > 0))) as scans`.execute(
    ctx.tx,
  )
  const { targets = 0, scans = 0 } = rows[0] ?? {}
  const plan = planOf(ctx.isUnlimited ? 'enterprise' : workspace.plan_id)
  const total =
    plan.id === workspace.plan_id ? Math.max(workspace.plan_targets ?? 0, plan.includedTargets) : plan.includedTargets
  return {
    plan,
    period: workspace.plan_period,
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
