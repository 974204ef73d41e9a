/** An index of one product's criteria by version. */
import type { ProductKey } from '#alias.ts'
import { fullVersionOf } from '#match/criterion.ts'
import { type Bound, isUpdateSignificant, boundHasUpdate, withUpdate } from '#match/range.ts'
import { releaseKey } from '#version/generic.ts'
import { createBulkComparer, incomparable } from '#version/bulk-compare.ts'
import { type CpeName, unquote } from '#wfn.ts'

/** Criteria that may match a version. */
export interface Candidates {
  /** The IDs passed to `add`. */
  readonly ids: readonly number[]
  /** `within`: the bounds match. `exact`: the criteria specify a version of this release. `open`: they specify none. */
  readonly kind: 'within' | 'exact' | 'open'
  /** Only the beginning of the version is known, so the unknown rest would be decisive. */
  readonly isPartial: boolean
}

/** Finds criteria by the version of a product. */
export interface VersionIndex {
  /**
   * @param version as in a formatted string
   * @param bounds as in `packCriteria`; used only if the version is `*`
   */
  add(id: number, version: string, targetSoftware: string, bounds: readonly string[]): void
  /** Finds all criteria that may match the product's version; includes every criterion that does. */
  find(name: CpeName): Candidates[]
}

interface Range {
  readonly ids: number[]
  readonly bounds: readonly { readonly sign: Bound['sign']; readonly index: number }[]
}

/** Creates an empty index for criteria of the product `key`. */
export function createVersionIndex(key: ProductKey): VersionIndex {
  const exact = new Map<string, number[]>()
  const open: number[] = []
  const general = createRangeIndex(key, '*')
  // Node.js packages use semantic versions.
  const packages = createRangeIndex(key, 'node.js')
  return {
    add(id, version, targetSoftware, bounds) {
      if (version === '*' && bounds.length > 0) (targetSoftware === 'node.js' ? packages : general).add(id, bounds)
      else if (version === '-' || /[*?]/.test(version)) open.push(id)
      else {
        const release = releaseKey(unquote(version))
        const same = exact.get(release)
        if (same) same.push(id)
        else exact.set(release, [id])
      }
    },
    find(name) {
      if (name.version === '*' || name.version === '-') return []
      return [
        { kind: 'open', ids: open, isPartial: false },
        { kind: 'exact', ids: exact.get(releaseKey(unquote(name.version))) ?? [], isPartial: false },
        ...general.find(name),
        ...packages.find(name),
      ]
    },
  }
}

function createRangeIndex(key: ProductKey, targetSoftware: string) {
  const ranges = new Map<string, Range>()
  const indexByVersion = new Map<string, number>()
  /** Bounds by index. */
  const versions: string[] = []
  const hasUpdate: boolean[] = []
  let compareToBounds: ReturnType<typeof createBulkComparer> | null = null

  function boundIndexOf(version: string): number {
    const index = indexByVersion.get(version)
    if (index !== undefined) return index
    indexByVersion.set(version, versions.length)
    hasUpdate.push(boundHasUpdate(version))
    return versions.push(version) - 1
  }

  function find(name: CpeName): Candidates[] {
    if (ranges.size === 0) return []
    compareToBounds ??= createBulkComparer(versions, { product: key, targetSoftware })
    const version = fullVersionOf(name)
    const orders = compareToBounds(version.version)
    const ordersWithUpdate = version.update === '' ? orders : compareToBounds(withUpdate(version))
    const prefix = `${version.version}.`
    const candidates: Candidates[] = []
    for (const { bounds, ids } of ranges.values()) {
      const isInside = bounds.every(({ sign, index }) => {
        const isStart = sign === '≥' || sign === '>'
        const isSignificant = isUpdateSignificant(version, isStart, hasUpdate[index] ?? false)
        return satisfies((isSignificant ? ordersWithUpdate : orders)[index] ?? incomparable, sign)
      })
      if (!isInside) continue
      const isPartial = bounds.some(({ index }) => versions[index]?.startsWith(prefix))
      candidates.push({ kind: 'within', ids, isPartial })
    }
    return candidates
  }

  function add(id: number, bounds: readonly string[]): void {
    compareToBounds = null
    const label = bounds.join(' ')
    const range = ranges.get(label)
    if (range) return void range.ids.push(id)
    const ends = bounds.map((bound) => ({
      sign: bound.charAt(0) as Bound['sign'],
      index: boundIndexOf(bound.slice(1)),
    }))
    ranges.set(label, { ids: [id], bounds: ends })
  }
  return { add, find }
}

function satisfies(order: number, sign: Bound['sign']): boolean {
  if (order === incomparable) return false
  if (order === 0) return sign === '≥' || sign === '≤'
  return order > 0 === (sign === '≥' || sign === '>')
}
