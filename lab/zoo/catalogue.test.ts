import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { loadPacks, type CheckInfo } from '@glacis/scanner'
import { readCatalogue } from './entry.ts'

const catalogue = readCatalogue()
let checks: readonly CheckInfo[] = []
beforeAll(async () => {
  const folder = join(import.meta.dirname, '../../packs/checks')
  checks = (await loadPacks({ checks: [folder], fingerprints: [] })).checks
})

describe('the catalogue', () => {
  it('names only checks that exist', () => {
    const checkIds = new Set(checks.map(({ id }) => id))
    for (const { id, weak, hardened } of catalogue) {
      const named = [...weak.proves, ...weak.also, ...(hardened?.also ?? [])]
      expect(
        named.filter((check) => !checkIds.has(check)),
        id,
      ).toEqual([])
    }
  })
  it('has about a third of its programs in the blind set', () => {
    const share = catalogue.filter(({ isBlind }) => isBlind).length / catalogue.length
    expect(share).toBeGreaterThan(0.2)
    expect(share).toBeLessThan(0.47)
  })
})

it('every check is verified only on programs that prove it and have a hardened variant', () => {
  for (const { id, verifiedOn = [] } of checks) {
    for (const name of verifiedOn) {
      const entry = catalogue.find((entry) => entry.id === name)
      expect(entry?.weak.proves, `${id} on ${name}`).toContain(id)
      expect(entry?.hardened, `${id} on ${name}`).toBeDefined()
    }
  }
})
