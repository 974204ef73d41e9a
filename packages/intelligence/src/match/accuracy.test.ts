import { describe, expect, it } from 'vitest'
import { measureExpansion, measureLaboratory } from '#testing/accuracy.ts'
import { sharedData } from '#testing/shared.ts'

const timeout = 120_000

describe.skipIf(!sharedData)('the matcher', () => {
  it(
    'meets the threats of the laboratory, drops what Debian has fixed, and reports nothing wrong',
    {
      timeout,
    },
    async () => {
      const { expected, missed, lacking, traps, wrong } = await measureLaboratory(sharedData ?? '')
      expect(expected).toBe(116)
      // Of the traps, those whose build is known.
      expect(traps).toBeGreaterThanOrEqual(80)
      const lost = [...missed, ...lacking]
      expect(lost.length / expected, lost.join('\n')).toBeLessThanOrEqual(0.02)
      expect(wrong).toEqual([])
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
