/** Plan limits, prices, and labels of the subscription page. Pure functions over the listed plans. */
import type { Plan, Subscription } from '@glacis/contract/subscription'
import { formatNumber } from '#lib/format.ts'

export type Period = 'PERIOD_MONTHLY' | 'PERIOD_YEARLY'
export interface Choice {
  readonly plan: Plan
  readonly targets: number
  readonly period: Period
}
export interface Bounds {
  readonly min: number
  readonly max: number
}

/** Slider range of a plan without a maximum, in multiples of its included targets. The number field accepts more. */
const unlimitedTrackFactor = 5

/** True for a plan with unlimited targets. */
export function isUnlimited({ maximumTargets, pricePerExtraTarget }: Plan): boolean {
  return maximumTargets === undefined && pricePerExtraTarget === undefined
}

/** True for a plan without a list price. */
export function isOnRequest(plan: Plan): boolean {
  return isUnlimited(plan) && plan.basePrice.monthly === 0 && plan.basePrice.yearly === 0
}

/** Minimum and maximum number of targets; undefined for a plan with a fixed number. */
export function boundsOf(plan: Plan, used: number): Bounds | undefined {
  if (!plan.pricePerExtraTarget) return undefined
  const least = Math.max(1, plan.includedTargets, used)
  const most = plan.maximumTargets ?? Number.MAX_SAFE_INTEGER
  return most > least ? { min: least, max: most } : undefined
}

/** Maximum of the slider, at least the chosen number of targets. */
export function sliderMax({ includedTargets, maximumTargets }: Plan, targets: number): number {
  return maximumTargets ?? Math.max(includedTargets * unlimitedTrackFactor, targets)
}

/** Clamps the wanted number of targets to the limits of the plan and the number in use. */
export function clampTargets(plan: Plan, used: number, wanted: number): number {
  const bounds = boundsOf(plan, used)
  if (!bounds) return Math.max(1, isUnlimited(plan) ? plan.includedTargets : (plan.maximumTargets ?? used))
  return Math.min(Math.max(Math.round(wanted), bounds.min), bounds.max)
}

/** Price per period in CHF: the base price plus each additional target. */
export function totalOf({ plan, targets, period }: Choice): number {
  const extra = Math.max(0, targets - plan.includedTargets)
  return (
    priceIn(plan.basePrice, period) + extra * (plan.pricePerExtraTarget ? priceIn(plan.pricePerExtraTarget, period) : 0)
  )
}

export function priceIn({ monthly, yearly }: Plan['basePrice'], period: Period): number {
  return period === 'PERIOD_YEARLY' ? yearly : monthly
}

/** Minimum discount of yearly billing over all priced plans, as a fraction: 0.1 is 10%. */
export function yearlyDiscount(plans: readonly Plan[]): number {
  const shares = plans
    .map(({ basePrice }) => basePrice)
    .filter(({ monthly }) => monthly > 0)
    .map(({ monthly, yearly }) => 1 - yearly / (12 * monthly))
  return shares.length === 0 ? 0 : Math.max(0, Math.min(...shares))
}

/** The current subscription as a choice. An unspecified period counts as monthly. */
export function currentChoice({ plan, period, quota }: Subscription, plans: readonly Plan[]): Choice | undefined {
  const current = plans.find(({ id }) => id === plan.id)
  if (!current) return undefined
  return {
    plan: current,
    targets: quota.targets.total,
    period: period === 'PERIOD_YEARLY' ? 'PERIOD_YEARLY' : 'PERIOD_MONTHLY',
  }
}

/** True if the choice differs from the current subscription. The period doesn't matter for plans without a price. */
export function isChange(current: Choice, chosen: Choice): boolean {
  if (current.plan.id !== chosen.plan.id || current.targets !== chosen.targets) return true
  return current.period !== chosen.period && totalOf(chosen) > 0
}

/** Why a plan can't be chosen and how to fix it; undefined if it can. */
export function planError({ name, maximumTargets }: Plan, used: number): string | undefined {
  if (maximumTargets === undefined || used <= maximumTargets) return undefined
  const over = used - maximumTargets
  return `The ${name} plan allows at most ${pluralize(maximumTargets, 'target')}, and you have ${formatNumber(used)}. Delete ${formatNumber(over)} first, or choose a larger plan.`
}

/** Label and state of the submit button. */
export function submitState(current: Choice, chosen: Choice, used: number): { label: string; isReady: boolean } {
  if (!isChange(current, chosen)) return { label: 'No changes', isReady: false }
  return { label: 'Apply change', isReady: planError(chosen.plan, used) === undefined }
}

/** `25 targets, 100 manual scans per month` */
export function formatLimits(plan: Plan): string {
  return `${formatTargetLimit(plan)}, ${formatScanLimit(plan)}`
}

function formatTargetLimit(plan: Plan): string {
  const { includedTargets, maximumTargets, pricePerExtraTarget } = plan
  if (isUnlimited(plan)) return 'Unlimited targets'
  if (!pricePerExtraTarget || maximumTargets === includedTargets) return pluralize(includedTargets, 'target')
  if (maximumTargets === undefined) return `From ${pluralize(includedTargets, 'target')}`
  return `${formatNumber(includedTargets)} to ${pluralize(maximumTargets, 'target')}`
}

/** A plan's limit on manual scans. */
export function formatScanLimit({ manualScansPerMonth }: Plan): string {
  if (manualScansPerMonth === undefined) return 'unlimited manual scans'
  return `${pluralize(manualScansPerMonth, 'manual scan')} per month`
}

/** `1 target`, `25 targets` */
export function pluralize(count: number, noun: string): string {
  return `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`
}
