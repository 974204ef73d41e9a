/** One version against all bounds that are known of a product, at the price of a few comparisons. */
import { areComparable, compareRelease, compareSuffix, readVersion, type Version } from '#version/generic.ts'
import { canonical, compareVersions, rulesOf, type Scheme } from '#version/version.ts'

/** In the place of an order where there is none. */
export const noOrder = 2

/**
 * Arranges versions once.
 *
 * @returns a function that says of a version how it stands to each of them, in their order: -1, 0 or
 *   1 as it is before, the same or after, else `noOrder`; the same as `compareVersions` says of each
 */
export function arrangeVersions(versions: readonly string[], scheme: Scheme): (seen: string) => Int8Array {
  if (scheme.targetSoftware === 'node.js') return oneByOne(versions, scheme)
  const rules = rulesOf(scheme)
  const readings = versions.map((text) => readVersion(canonical(text), rules))
  const places = Map.groupBy(versions.keys(), (index) => plain(versions[index] ?? ''))
  // Releases have a total order, so all but those of the same release are told by two searches.
  const sorted = readings.flatMap((version, index) => (version ? [{ version, index }] : []))
  sorted.sort((a, b) => compareRelease(a.version, b.version))

  return (seen) => {
    const standing = new Int8Array(versions.length).fill(noOrder)
    const version = readVersion(canonical(seen), rules)
    if (version) {
      const from = firstAt(sorted, version, 0)
      const to = firstAt(sorted, version, 1)
      sorted.forEach(({ index, version: other }, place) => {
        if (place >= from && place < to) standing[index] = compareSuffix(version.suffix, other.suffix) ?? noOrder
        else if (areComparable(version, other)) standing[index] = place < from ? 1 : -1
      })
    }
    // The same text is the same version, whatever it means.
    for (const place of places.get(plain(seen)) ?? []) standing[place] = 0
    return standing
  }
}

function plain(version: string): string {
  return canonical(version).trim().toLowerCase()
}

function oneByOne(versions: readonly string[], scheme: Scheme): (seen: string) => Int8Array {
  return (seen) =>
    Int8Array.from(versions, (version) => {
      const order = compareVersions(seen, version, scheme)
      return order === null ? noOrder : Math.sign(order)
    })
}

/** The first place whose release is not below (`least` 0), or above (`least` 1), that of the version. */
function firstAt(sorted: readonly { readonly version: Version }[], version: Version, least: 0 | 1): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const one = sorted[middle]
    if (one && compareRelease(one.version, version) < least) low = middle + 1
    else high = middle
  }
  return low
}
