/** Which package of a distribution fixed a CVE, and from which package version on. */
import { z } from 'zod'
import type { DistributionFix } from '#match/distribution.ts'

/** One file per release of a distribution, as in `packs/distributions`. */
const Release = z.object({
  packages: z.array(
    z.object({
      package: z.string(),
      product: z.string().regex(/^[^:]+:[^:]+$/, 'Expected vendor:product'),
      /** CVE id → version of the package that has the fix. */
      fixes: z.record(z.string(), z.string()),
    }),
  ),
})

/**
 * Reads the fixes of several releases into one table by CVE id.
 *
 * @throws when a document does not have the shape of such a file
 */
export function readDistributionFixes(documents: readonly unknown[]): Map<string, DistributionFix[]> {
  const table = new Map<string, DistributionFix[]>()
  for (const document of documents) {
    for (const { product, fixes } of Release.parse(document).packages) {
      for (const [id, fixedVersion] of Object.entries(fixes)) {
        table.set(id, [...(table.get(id) ?? []), { product, fixedVersion }])
      }
    }
  }
  return table
}
