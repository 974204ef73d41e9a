/** Compares one version with all bounds of a product, using a sorted list instead of pairwise comparisons. */
import { areComparable, compareRelease, compareSuffix, parseVersion, type Version } from '#version/generic.ts'
import { normalizeMariaDb, compareVersions, rulesFor, type Scheme } from '#version/version.ts'

/** Result for versions that can't be compared. */
export const incomparable = 2

/**
 * Sorts the versions once for repeated comparison.
 *
 * @returns a function that compares a version with each of `versions`, in their order: -1, 0, or 1 if it
 *   is older, equal, or newer, else `incomparable`. The results are the same as those of `compareVersions`.
 */
export function createBulkComparer(versions: readonly string[], scheme: Scheme): (version: string) => Int8Array {
  if (scheme.targetSoftware === 'node.js') return createPairwiseComparer(versions, scheme)
  const rules = rulesFor(scheme)
  const parsedVersions = versions.map((text) => parseVersion(normalizeMariaDb(text), rules))
  const indexesByText = Map.groupBy(versions.keys(), (index) => normalizeText(versions[index] ?? ''))
  // Release numbers have a total order, so two binary searches decide all versions of other releases.
  const sorted = parsedVersions.flatMap((version, index) => (version ? [{ version, index }] : []))
  sorted.sort((a, b) => compareRelease(a.version, b.version))

  return (seen) => {
    const orders = new Int8Array(versions.length).fill(incomparable)
    const version = parseVersion(normalizeMariaDb(seen), rules)
    if (version) {
      const from = lowerBound(sorted, version, 0)
      const to = lowerBound(sorted, version, 1)
      sorted.forEach(({ index, version: other }, position) => {
        if (position >= from && position < to)
          orders[index] = compareSuffix(version.suffix, other.suffix) ?? incomparable
        else if (areComparable(version, other)) orders[index] = position < from ? 1 : -1
      })
    }
    // Identical texts are equal even if they can't be parsed.
    for (const index of indexesByText.get(normalizeText(seen)) ?? []) orders[index] = 0
    return orders
  }
}

function normalizeText(version: string): string {
  return normalizeMariaDb(version).trim().toLowerCase()
}

function createPairwiseComparer(versions: readonly string[], scheme: Scheme): (version: string) => Int8Array {
  return (seen) =>
    Int8Array.from(versions, (version) => {
      const order = compareVersions(seen, version, scheme)
      return order === null ? incomparable : Math.sign(order)
    })
}

/** The first position whose release is not older than (`least` 0) or is newer than (`least` 1) the version's. */
function lowerBound(sorted: readonly { readonly version: Version }[], version: Version, least: 0 | 1): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const entry = sorted[middle]
    if (entry && compareRelease(entry.version, version) < least) low = middle + 1
    else high = middle
  }
  return low
}
