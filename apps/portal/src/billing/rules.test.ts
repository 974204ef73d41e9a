import type { Plan } from '@glacis/contract/account'
import { describe, expect, it } from 'vitest'
import { settleMs } from '#billing/queries.ts'
import {
  boundsOf,
  holdingWords,
  isChange,
  nextStep,
  obstacleOf,
  presentChoice,
  targetsOf,
  totalOf,
  trackEnd,
  yearlySaving,
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
] as const)('totals %o with %i targets, %s: %d francs', (plan, targets, period, francs) => {
  expect(totalOf({ plan, targets, period })).toBe(francs)
})

it.each<[Plan, number, ReturnType<typeof boundsOf>]>([
  [free, 3, undefined],
  [enterprise, 3, undefined],
  [starter, 0, { least: 50, most: 100 }],
  [starter, 70, { least: 70, most: 100 }],
  [starter, 100, undefined],
  [{ ...starter, includedTargets: 0 }, 0, { least: 1, most: 100 }],
  [business, 3, { least: 600, most: Number.MAX_SAFE_INTEGER }],
])('bounds the targets of %o with %i used', (plan, used, bounds) => {
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
] as const)('takes %o, with %i used and %d wanted, with %i targets', (plan, used, wanted, targets) => {
  expect(targetsOf(plan, used, wanted)).toBe(targets)
})

it('ends the track at the bound of the plan, or far enough for what is chosen', () => {
  expect(trackEnd(starter, 60)).toBe(100)
  expect(trackEnd(business, 600)).toBe(3000)
  expect(trackEnd(business, 9000)).toBe(9000)
})

describe('the saving of a year', () => {
  it('is the one that every priced plan gives', () => expect(yearlySaving(planList)).toBeCloseTo(0.1))
  it('is none where nothing has a price', () => expect(yearlySaving([free, enterprise])).toBe(0))
  it('is none where the year costs more', () =>
    expect(yearlySaving([{ ...starter, basePrice: { currencyCode: 'CHF', monthly: 10, yearly: 130 } }])).toBe(0))
})

it('takes a period that was never chosen for monthly', () => {
  const quota = { targets: { total: 25, used: 3 }, manualScans: { total: 100, used: 0 } }
  const subscription = { plan: { id: 'free', name: 'Free' }, period: 'PERIOD_UNSPECIFIED', quota } as const
  expect(presentChoice(subscription, planList)).toEqual({ plan: free, targets: 25, period: monthly })
  expect(presentChoice(subscription, [starter])).toBeUndefined()
})

const onFree = { plan: free, targets: 25, period: monthly } as const
const onStarter = { plan: starter, targets: 60, period: monthly } as const
it.each([
  ['the same', onStarter, onStarter, false],
  ['another plan', onFree, onStarter, true],
  ['another number', onStarter, { ...onStarter, targets: 61 }, true],
  ['another period', onStarter, { ...onStarter, period: yearly }, true],
  ['another period of what has no price', onFree, { ...onFree, period: yearly }, false],
] as const)('%s is a change: %4$s', (_, present, chosen, verdict) => {
  expect(isChange(present, chosen)).toBe(verdict)
})

it.each([
  [onStarter, onStarter, 3, 'Nothing to change', false],
  [onFree, onStarter, 3, 'Apply change', true],
  [onStarter, onFree, 25, 'Apply change', true],
  [onStarter, onFree, 26, 'Apply change', false],
] as const)('from %o to %o with %i used the button says %s, ready: %s', (present, chosen, used, label, isReady) => {
  expect(nextStep(present, chosen, used)).toEqual({ label, isReady })
})

it('says how much has to go before a smaller plan fits', () => {
  expect(obstacleOf(free, 25)).toBeUndefined()
  expect(obstacleOf(enterprise, 5000)).toBeUndefined()
  expect(obstacleOf(free, 27)).toBe(
    'Free holds at most 25 targets and you have 27. Delete 2 first, or choose a larger plan.',
  )
})

it.each([
  [free, '25 targets, 100 manual scans a month'],
  [starter, '50 to 100 targets, 300 manual scans a month'],
  [business, 'From 600 targets, 5’000 manual scans a month'],
  [enterprise, 'Any number of targets, any number of manual scans'],
])('says what %o holds', (plan, words) => {
  expect(holdingWords(plan).replaceAll("'", '’')).toBe(words)
})

it('gives a change without a payment one second to arrive', () => {
  expect(settleMs).toBe(1000)
})
