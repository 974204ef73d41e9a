import type { Plan } from '@glacis/contract/subscription'
import { describe, expect, it } from 'vitest'
import { refetchDelayMs } from '#billing/queries.ts'
import {
  boundsOf,
  formatLimits,
  isChange,
  submitState,
  planError,
  currentChoice,
  clampTargets,
  totalOf,
  sliderMax,
  yearlyDiscount,
} from '#billing/rules.ts'
import { business, enterprise, free, planList, starter } from '#billing/testing/plans.ts'

const monthly = 'PERIOD_MONTHLY'
const yearly = 'PERIOD_YEARLY'

it.each([
  [free, 25, monthly, 0],
  [starter, 50, monthly, 50],
  [starter, 50, yearly, 540],
  [starter, 60, monthly, 70],
  [starter, 60, yearly, 760],
  [starter, 1, monthly, 50],
  [enterprise, 1_000_000, yearly, 0],
] as const)('computes the price of %o with %i targets, %s: CHF %d', (plan, targets, period, francs) => {
  expect(totalOf({ plan, targets, period })).toBe(francs)
})

it.each<[Plan, number, ReturnType<typeof boundsOf>]>([
  [free, 3, undefined],
  [enterprise, 3, undefined],
  [starter, 0, { min: 50, max: 100 }],
  [starter, 70, { min: 70, max: 100 }],
  [starter, 100, undefined],
  [{ ...starter, includedTargets: 0 }, 0, { min: 1, max: 100 }],
  [business, 3, { min: 600, max: Number.MAX_SAFE_INTEGER }],
])('limits the number of targets of %o with %i in use', (plan, used, bounds) => {
  expect(boundsOf(plan, used)).toEqual(bounds)
})

it.each([
  [starter, 0, 7, 50],
  [starter, 0, 70.4, 70],
  [starter, 80, 70, 80],
  [starter, 0, 5000, 100],
  [starter, 100, 60, 100],
  [business, 0, 5000, 5000],
  [free, 3, 70, 25],
  [enterprise, 3, 70, 1_000_000],
] as const)('for %o with %i in use and %d wanted, chooses %i targets', (plan, used, wanted, targets) => {
  expect(clampTargets(plan, used, wanted)).toBe(targets)
})

it("ends the slider at the plan's maximum or at the chosen number", () => {
  expect(sliderMax(starter, 60)).toBe(100)
  expect(sliderMax(business, 600)).toBe(3000)
  expect(sliderMax(business, 9000)).toBe(9000)
})

describe('yearlyDiscount', () => {
  it('is the minimum over all priced plans', () => expect(yearlyDiscount(planList)).toBeCloseTo(0.1))
  it('is zero without priced plans', () => expect(yearlyDiscount([free, enterprise])).toBe(0))
  it('is zero if yearly billing costs more', () =>
    expect(yearlyDiscount([{ ...starter, basePrice: { currencyCode: 'CHF', monthly: 10, yearly: 130 } }])).toBe(0))
})

it('treats an unspecified period as monthly', () => {
  const quota = { targets: { total: 25, used: 3 }, manualScans: { total: 100, used: 0 } }
  const subscription = { plan: { id: 'free', name: 'Free' }, period: 'PERIOD_UNSPECIFIED', quota } as const
  expect(currentChoice(subscription, planList)).toEqual({ plan: free, targets: 25, period: monthly })
  expect(currentChoice(subscription, [starter])).toBeUndefined()
})

const onFree = { plan: free, targets: 25, period: monthly } as const
const onStarter = { plan: starter, targets: 60, period: monthly } as const
it.each([
  ['no difference', onStarter, onStarter, false],
  ['a different plan', onFree, onStarter, true],
  ['a different number of targets', onStarter, { ...onStarter, targets: 61 }, true],
  ['a different period', onStarter, { ...onStarter, period: yearly }, true],
  ['a different period of a plan without a price', onFree, { ...onFree, period: yearly }, false],
] as const)('isChange for %s: %4$s', (_, present, chosen, verdict) => {
  expect(isChange(present, chosen)).toBe(verdict)
})

it.each([
  [onStarter, onStarter, 3, 'No changes', false],
  [onFree, onStarter, 3, 'Apply change', true],
  [onStarter, onFree, 25, 'Apply change', true],
  [onStarter, onFree, 26, 'Apply change', false],
] as const)(
  'labels the button for %o → %o with %i targets in use: %s, ready: %s',
  (present, chosen, used, label, isReady) => {
    expect(submitState(present, chosen, used)).toEqual({ label, isReady })
  },
)

it('reports how many targets to delete before choosing a smaller plan', () => {
  expect(planError(free, 25)).toBeUndefined()
  expect(planError(enterprise, 5000)).toBeUndefined()
  expect(planError(free, 27)).toBe(
    'The Free plan allows at most 25 targets, and you have 27. Delete 2 first, or choose a larger plan.',
  )
})

it.each([
  [free, '25 targets, 100 manual scans per month'],
  [starter, '50 to 100 targets, 300 manual scans per month'],
  [business, 'From 600 targets, 5’000 manual scans per month'],
  [enterprise, 'Unlimited targets, unlimited manual scans'],
])('describes the limits of %o', (plan, expected) => {
  expect(formatLimits(plan).replaceAll("'", '’')).toBe(expected)
})

it('waits one second before refetching after a change without payment', () => {
  expect(refetchDelayMs).toBe(1000)
})
