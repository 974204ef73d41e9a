import { describe, expect, it } from 'vitest'
import { measureExpansion, measureLaboratory } from '#testing/accuracy.ts'
import { sharedData } from '#testing/shared-data.ts'

const timeout = 120_000

describe.skipIf(!sharedData)('matchProduct', () => {
  it(
    'finds known vulnerabilities of the lab, excludes Debian backports, and reports no false positives',
    {
      timeout,
    },
    async () => {
      const { expected, missed, withoutRecord, backportChecks, falsePositives } = await measureLaboratory(
        sharedData ?? '',
      )
      expect(expected).toBe(116)
      // Only services whose build is known are checked.
      expect(backportChecks).toBeGreaterThanOrEqual(80)
      const lost = [...missed, ...withoutRecord]
      expect(lost.length / expected, lost.join('\n')).toBeLessThanOrEqual(0.02)
      expect(falsePositives).toEqual([])
    },
  )

  it(
    'names the products that others expand from the ranges of known exploited vulnerabilities',
    {
      timeout,
    },
    async () => {
      const { compared, differing } = await measureExpansion(sharedData ?? '')
      expect(compared).toBeGreaterThan(1000)
      expect(differing.length / compared, differing.slice(0, 40).join('\n')).toBeLessThanOrEqual(0.01)
    },
  )
})
