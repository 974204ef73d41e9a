/** Which package of a distribution fixed a CVE, and from which package version on. */
import { z } from 'zod'
import type { Item } from '#feed/item.ts'
import type { DistributionFix } from '#match/distribution.ts'

/** One file per release of a distribution, as in `packs/distributions`. */
const Release = z.object({
  /** `debian:12`; absent where the fixes are told apart by their upstream version alone. */
  release: z.string().default(''),
  packages: z.array(
    z.object({
      package: z.string(),
      product: z.string().regex(/^[^:]+:[^:]+$/, 'Expected vendor:product'),
      /** CVE id → version of the package that has the fix. */
      fixes: z.record(z.string(), z.string()),
    }),
  ),
})

/** The fixes of one such file, as items. */
export function* fixesOf(document: unknown): Generator<Item> {
  const { release, packages } = Release.parse(document)
  for (const { package: origin, product, fixes } of packages) {
    for (const [id, fixedVersion] of Object.entries(fixes))
      yield { kind: 'fix', id, product, release, fixedVersion, origin }
  }
}

/**
 * Reads the fixes of several releases into one table by CVE id.
 *
 * @throws when a document does not have the shape of such a file
 */
export function readDistributionFixes(documents: readonly unknown[]): Map<string, DistributionFix[]> {
  const table = new Map<string, DistributionFix[]>()
  for (const document of documents) {
    const { release, packages } = Release.parse(document)
    for (const { product, fixes } of packages) {
      for (const [id, fixedVersion] of Object.entries(fixes)) {
        table.set(id, [...(table.get(id) ?? []), { product, fixedVersion, release }])
      }
    }
  }
  return table
}
