import type { Plan } from '@glacis/contract/subscription'

const chf = (monthly: number, yearly: number) => ({ currencyCode: 'CHF' as const, monthly, yearly })

/** The plans, smallest first. A year costs as much as ten months. */
export const plans: readonly Plan[] = [
  {
    id: 'free',
    name: 'Free',
    basePrice: chf(0, 0),
    includedTargets: 25,
    maximumTargets: 25,
    manualScansPerMonth: 100,
    maximumAgents: 10,
    features: ['Scheduled scans', 'Verified and potential risks', 'Reports as PDF, CSV, JSON, and SARIF'],
  },
  {
    id: 'starter',
    name: 'Starter',
    basePrice: chf(49, 490),
    includedTargets: 50,
    pricePerExtraTarget: chf(1, 10),
    maximumTargets: 100,
    manualScansPerMonth: 300,
    maximumAgents: 50,
    features: ['Everything in Free', 'More targets and scans'],
  },
  {
    id: 'team',
    name: 'Team',
    basePrice: chf(149, 1490),
    includedTargets: 150,
    pricePerExtraTarget: chf(1, 10),
    maximumTargets: 500,
    manualScansPerMonth: 1000,
    features: ['Everything in Starter', 'For an IT team'],
  },
  {
    id: 'business',
    name: 'Business',
    basePrice: chf(490, 4900),
    includedTargets: 600,
    pricePerExtraTarget: chf(1, 10),
    manualScansPerMonth: 5000,
    features: ['Everything in Team', 'For several teams and audits'],
  },
  {
    id: 'enterprise',
    name: 'Enterprise',
    basePrice: chf(0, 0),
    includedTargets: 1_000_000,
    features: ['Limited only by your hardware'],
  },
]

export function planOf(id: string): Plan {
  const plan = plans.find((item) => item.id === id) ?? plans[0]
  if (!plan) throw new Error('No plan is defined')
  return plan
}

/** Represents "unlimited" in a quota. */
export const unlimited = 1_000_000
