/** The rules of the subscription page, without the page. Sizes and prices come from the plans that are listed. */
import type { Plan, Subscription } from '@glacis/contract/account'
import { formatNumber } from '#lib/format.ts'

export type Period = 'PERIOD_MONTHLY' | 'PERIOD_YEARLY'
export interface Choice {
  readonly plan: Plan
  readonly targets: number
  readonly period: Period
}
export interface Bounds {
  readonly least: number
  readonly most: number
}

/** How far the track reaches for a plan without a bound, in multiples of what it includes. The field goes further. */
const openTrack = 5

/** True for a plan that puts no limit on targets. */
export function isBoundless({ maximumTargets, pricePerExtraTarget }: Plan): boolean {
  return maximumTargets === undefined && pricePerExtraTarget === undefined
}

/** True for a plan whose price is agreed on and not listed. */
export function isOnRequest(plan: Plan): boolean {
  return isBoundless(plan) && plan.basePrice.monthly === 0 && plan.basePrice.yearly === 0
}

/** Between which numbers of targets a plan leaves a choice; absent for a plan of one size. */
export function boundsOf(plan: Plan, used: number): Bounds | undefined {
  if (!plan.pricePerExtraTarget) return undefined
  const least = Math.max(1, plan.includedTargets, used)
  const most = plan.maximumTargets ?? Number.MAX_SAFE_INTEGER
  return most > least ? { least, most } : undefined
}

/** Where the track of the slider ends. It is never shorter than what is chosen. */
export function trackEnd({ includedTargets, maximumTargets }: Plan, targets: number): number {
  return maximumTargets ?? Math.max(includedTargets * openTrack, targets)
}

/** The number of targets that a plan is taken with: what is wanted, as far as the plan and what is used allow. */
export function targetsOf(plan: Plan, used: number, wanted: number): number {
  const bounds = boundsOf(plan, used)
  if (!bounds) return Math.max(1, isBoundless(plan) ? plan.includedTargets : (plan.maximumTargets ?? used))
  return Math.min(Math.max(Math.round(wanted), bounds.least), bounds.most)
}

/** What a choice costs each period, in francs: the plan with what it includes, and each target beyond. */
export function totalOf({ plan, targets, period }: Choice): number {
  const extra = Math.max(0, targets - plan.includedTargets)
  return (
    priceIn(plan.basePrice, period) + extra * (plan.pricePerExtraTarget ? priceIn(plan.pricePerExtraTarget, period) : 0)
  )
}

export function priceIn({ monthly, yearly }: Plan['basePrice'], period: Period): number {
  return period === 'PERIOD_YEARLY' ? yearly : monthly
}

/** The share that every priced plan costs less by the year, 0.1 for a tenth; 0 where the year saves nothing. */
export function yearlySaving(plans: readonly Plan[]): number {
  const shares = plans
    .map(({ basePrice }) => basePrice)
    .filter(({ monthly }) => monthly > 0)
    .map(({ monthly, yearly }) => 1 - yearly / (12 * monthly))
  return shares.length === 0 ? 0 : Math.max(0, Math.min(...shares))
}

/** What is in force, as a choice. A period that was never chosen counts as monthly. */
export function presentChoice({ plan, period, quota }: Subscription, plans: readonly Plan[]): Choice | undefined {
  const present = plans.find(({ id }) => id === plan.id)
  if (!present) return undefined
  return {
    plan: present,
    targets: quota.targets.total,
    period: period === 'PERIOD_YEARLY' ? 'PERIOD_YEARLY' : 'PERIOD_MONTHLY',
  }
}

/** True when the choice is another than what is in force. The period of a plan without a price changes nothing. */
export function isChange(present: Choice, chosen: Choice): boolean {
  if (present.plan.id !== chosen.plan.id || present.targets !== chosen.targets) return true
  return present.period !== chosen.period && totalOf(chosen) > 0
}

/** Why a plan cannot be taken, and what helps; absent when it can. */
export function obstacleOf({ name, maximumTargets }: Plan, used: number): string | undefined {
  if (maximumTargets === undefined || used <= maximumTargets) return undefined
  const over = used - maximumTargets
  return `${name} holds at most ${countOf(maximumTargets, 'target')} and you have ${formatNumber(used)}. Delete ${formatNumber(over)} first, or choose a larger plan.`
}

/** What the button says, and whether it can be pressed. */
export function nextStep(present: Choice, chosen: Choice, used: number): { label: string; isReady: boolean } {
  if (!isChange(present, chosen)) return { label: 'Nothing to change', isReady: false }
  return { label: 'Apply change', isReady: obstacleOf(chosen.plan, used) === undefined }
}

/** `25 targets, 100 manual scans a month` */
export function holdingWords(plan: Plan): string {
  return `${sizeWords(plan)}, ${scanWords(plan)}`
}

function sizeWords(plan: Plan): string {
  const { includedTargets, maximumTargets, pricePerExtraTarget } = plan
  if (isBoundless(plan)) return 'Any number of targets'
  if (!pricePerExtraTarget || maximumTargets === includedTargets) return countOf(includedTargets, 'target')
  if (maximumTargets === undefined) return `From ${countOf(includedTargets, 'target')}`
  return `${formatNumber(includedTargets)} to ${countOf(maximumTargets, 'target')}`
}

/** How many manual scans a plan allows. */
export function scanWords({ manualScansPerMonth }: Plan): string {
  if (manualScansPerMonth === undefined) return 'any number of manual scans'
  return `${countOf(manualScansPerMonth, 'manual scan')} a month`
}

/** `1 target`, `25 targets` */
export function countOf(count: number, noun: string): string {
  return `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`
}
