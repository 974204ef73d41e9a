/** Reads our own files of fixed package versions of distributions. */
import { z } from 'zod'
import type { Item } from '#feed/item.ts'
import type { DistributionFix } from '#match/distribution.ts'

/** One file per release of a distribution, as in `packs/distributions`. */
const Release = z.object({
  /** `debian:12`; absent if only the upstream version identifies the release. */
  release: z.string().default(''),
  packages: z.array(
    z.object({
      package: z.string(),
      /** Empty if scans can't detect the package. */
      product: z
        .string()
        .regex(/^(?:[^:]+:[^:]+)?$/, 'Expected vendor:product')
        .default(''),
      /** The advisory; absent if the package's changelog is the source. */
      origin: z.string().optional(),
      /** CVE ID → package version that contains the fix. */
      fixes: z.record(z.string(), z.string()),
    }),
  ),
})

/** Reads the fixes of one file. */
export function* readDistributionFile(document: unknown): Generator<Item> {
  const { release, packages } = Release.parse(document)
  for (const { package: name, product, origin = name, fixes } of packages) {
    for (const [id, fixedVersion] of Object.entries(fixes))
      yield { kind: 'fix', id, package: name, product, release, fixedVersion, origin }
  }
}

/**
 * Reads the fixes of several files into one table by CVE ID.
 *
 * @throws if a document is not in this format
 */
export function readDistributionFixes(documents: readonly unknown[]): Map<string, DistributionFix[]> {
  const table = new Map<string, DistributionFix[]>()
  for (const document of documents) {
    const { release, packages } = Release.parse(document)
    for (const { package: name, product, fixes } of packages) {
      for (const [id, fixedVersion] of Object.entries(fixes)) {
        table.set(id, [...(table.get(id) ?? []), { package: name, product, fixedVersion, release }])
      }
    }
  }
  return table
}
