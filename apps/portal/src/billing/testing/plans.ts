/** Fixture plans with round numbers. */
import type { Plan } from '@glacis/contract/subscription'

const chf = (monthly: number, yearly: number) => ({ currencyCode: 'CHF' as const, monthly, yearly })

export const free: Plan = {
  id: 'free',
  name: 'Free',
  basePrice: chf(0, 0),
  includedTargets: 25,
  maximumTargets: 25,
  manualScansPerMonth: 100,
  features: ['Scheduled scans'],
}
/** Yearly billing is 10% cheaper. */
export const starter: Plan = {
  id: 'starter',
  name: 'Starter',
  basePrice: chf(50, 540),
  includedTargets: 50,
  pricePerExtraTarget: chf(2, 22),
  maximumTargets: 100,
  manualScansPerMonth: 300,
  features: ['Everything in Free'],
}
/** Has no maximum number of targets. */
export const business: Plan = {
  id: 'business',
  name: 'Business',
  basePrice: chf(500, 5400),
  includedTargets: 600,
  pricePerExtraTarget: chf(1, 10),
  manualScansPerMonth: 5000,
  features: [],
}
export const enterprise: Plan = {
  id: 'enterprise',
  name: 'Enterprise',
  basePrice: chf(0, 0),
  includedTargets: 1_000_000,
  features: [],
}
export const planList: readonly Plan[] = [free, starter, business, enterprise]
