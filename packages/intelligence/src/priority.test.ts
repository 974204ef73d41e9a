import { expect, it } from 'vitest'
import { priorityOf } from '#priority.ts'

const plain = { score: 9.8, isKnownExploited: false, isVerified: true }

it.each([
  [plain, 49],
  [{ ...plain, epss: 0.25 }, 73],
  [{ ...plain, epss: 0.9436 }, 96],
  [{ ...plain, score: 10, epss: 1 }, 100],
  [{ ...plain, score: 5, isKnownExploited: true }, 90],
  [{ ...plain, isVerified: false }, 29],
  [{ ...plain, isKnownExploited: true, isVerified: false }, 54],
  [{ ...plain, isReachableFromInternet: false }, 39],
  [{ ...plain, criticality: 'high' as const }, 58],
  [{ ...plain, criticality: 'low' as const }, 39],
  [{ ...plain, score: 10, epss: 1, criticality: 'high' as const }, 100],
  [{ ...plain, score: 0, epss: 1 }, 0],
])('%o has priority %s', (facts, value) => {
  expect(priorityOf(facts).value).toBe(value)
})

it('lists the steps of the computation', () => {
  expect(priorityOf({ ...plain, epss: 0.25, isVerified: false }).parts).toEqual([
    { label: 'Severity 9.8', value: 49 },
    { label: 'Exploitation probability (EPSS) 25.0%', value: 73 },
    { label: 'Potential, not verified', value: 43 },
  ])
})
