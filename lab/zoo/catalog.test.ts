import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { loadPacks, type CheckInfo } from '@glacis/scanner'
import { readCatalog } from './entry.ts'

const catalog = readCatalog()
let checks: readonly CheckInfo[] = []
beforeAll(async () => {
  const folder = join(import.meta.dirname, '../../packs/checks')
  checks = (await loadPacks({ checks: [folder], fingerprints: [] })).checks
})

describe('the catalog', () => {
  it('names only checks that exist', () => {
    const checkIds = new Set(checks.map(({ id }) => id))
    for (const { id, weak, hardened } of catalog) {
      const named = [...weak.proves, ...weak.also, ...(hardened?.also ?? [])]
      expect(
        named.filter((check) => !checkIds.has(check)),
        id,
      ).toEqual([])
    }
  })
  it('has about a third of the programs that are not assigned to a set in the blind set', () => {
    const unassigned = catalog.filter(({ set }) => set === undefined)
    const share = unassigned.filter(({ isBlind }) => isBlind).length / unassigned.length
    expect(share).toBeGreaterThan(0.2)
    expect(share).toBeLessThan(0.47)
  })
})

it('every check is verified only on programs that prove it and have a hardened variant', () => {
  for (const { id, verifiedOn = [] } of checks) {
    for (const name of verifiedOn) {
      const entry = catalog.find((entry) => entry.id === name)
      expect(entry?.weak.proves, `${id} on ${name}`).toContain(id)
      expect(entry?.hardened, `${id} on ${name}`).toBeDefined()
    }
  }
})
