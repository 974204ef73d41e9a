import { expect, it } from 'vitest'
import { runFaults } from './run.ts'

/** `npm run faults` runs all of them, many times. */
const slice = { count: 3, seed: 1 }

it('violates no invariant while processes and the database are killed under load', { timeout: 600_000 }, async () => {
  const outcomes = await runFaults(slice.count, slice.seed, () => undefined)
  expect(outcomes.filter(({ problems }) => problems.length > 0)).toEqual([])
  expect(outcomes).toHaveLength(slice.count + 1)
})
