import type { Plan } from '@glacis/contract/account'

const chf = (monthly: number, yearly: number) => ({ currencyCode: 'CHF' as const, monthly, yearly })

/** The plans, smallest first. A year costs ten months. */
export const plans: readonly Plan[] = [
  {
    id: 'free',
    name: 'Free',
    basePrice: chf(0, 0),
    includedTargets: 3,
    maximumTargets: 3,
    manualScansPerMonth: 5,
    features: ['Scheduled scans', 'Verified and potential risks', 'PDF and JSON reports'],
  },
  {
    id: 'starter',
    name: 'Starter',
    basePrice: chf(49, 490),
    includedTargets: 5,
    pricePerExtraTarget: chf(6, 60),
    maximumTargets: 25,
    manualScansPerMonth: 30,
    features: ['Everything in Free', 'More targets and scans'],
  },
  {
    id: 'team',
    name: 'Team',
    basePrice: chf(149, 1490),
    includedTargets: 15,
    pricePerExtraTarget: chf(8, 80),
    maximumTargets: 250,
    manualScansPerMonth: 100,
    features: ['Everything in Starter', 'For an IT team'],
  },
  {
    id: 'business',
    name: 'Business',
    basePrice: chf(490, 4900),
    includedTargets: 60,
    pricePerExtraTarget: chf(7, 70),
    manualScansPerMonth: 500,
    features: ['Everything in Team', 'For several teams and audits'],
  },
  {
    id: 'enterprise',
    name: 'Enterprise',
    basePrice: chf(0, 0),
    includedTargets: 1_000_000,
    features: ['No limits but those of your own machine'],
  },
]

export function planOf(id: string): Plan {
  const plan = plans.find((one) => one.id === id) ?? plans[0]
  if (!plan) throw new Error('there is at least one plan')
  return plan
}

/** What stands for "no limit" in a quota. */
export const unlimited = 1_000_000
