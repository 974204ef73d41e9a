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
  it('keeps a part of its programs in the blind set', () => {
    const share = catalog.filter(({ isBlind }) => isBlind).length / catalog.length
    expect(share).toBeGreaterThan(0.15)
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
