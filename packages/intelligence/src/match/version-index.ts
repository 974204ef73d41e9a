/** Criteria of one product, to be found by version: which may hold is told without looking at each. */
import type { ProductKey } from '#alias.ts'
import { fullVersionOf } from '#match/criterion.ts'
import { type Bound, countsUpdate, namesUpdate, withUpdate } from '#match/range.ts'
import { releaseOf } from '#version/generic.ts'
import { arrangeVersions, noOrder } from '#version/standing.ts'
import { type CpeName, unquote } from '#wfn.ts'

/** Criteria that may hold for a version, by the numbers under which they were added. */
export interface Listed {
  readonly ids: readonly number[]
  /** `within`: their bounds hold. `exact`: they name a version of this release. `open`: they name none. */
  readonly kind: 'within' | 'exact' | 'open'
  /** Only the beginning of the version was seen, and the rest decides. */
  readonly isPartial: boolean
}

export interface VersionIndex {
  /**
   * @param version as in a formatted string
   * @param bounds as in `packCriteria`; they count where the version is `*`
   */
  add(id: number, version: string, targetSoftware: string, bounds: readonly string[]): void
  /** What may hold for the version of a product: never less than what does. */
  find(name: CpeName): Listed[]
}

interface Range {
  readonly ids: number[]
  readonly bounds: readonly { readonly sign: Bound['sign']; readonly place: number }[]
}

/** Begins an index of criteria that name `key`. */
export function createVersionIndex(key: ProductKey): VersionIndex {
  const exact = new Map<string, number[]>()
  const open: number[] = []
  const general = createRanges(key, '*')
  // Their versions have an order of their own.
  const packages = createRanges(key, 'node.js')
  return {
    add(id, version, targetSoftware, bounds) {
      if (version === '*' && bounds.length > 0) (targetSoftware === 'node.js' ? packages : general).add(id, bounds)
      else if (version === '-' || /[*?]/.test(version)) open.push(id)
      else {
        const release = releaseOf(unquote(version))
        const same = exact.get(release)
        if (same) same.push(id)
        else exact.set(release, [id])
      }
    },
    find(name) {
      if (name.version === '*' || name.version === '-') return []
      return [
        { kind: 'open', ids: open, isPartial: false },
        { kind: 'exact', ids: exact.get(releaseOf(unquote(name.version))) ?? [], isPartial: false },
        ...general.around(name),
        ...packages.around(name),
      ]
    },
  }
}

function createRanges(key: ProductKey, targetSoftware: string) {
  const ranges = new Map<string, Range>()
  const places = new Map<string, number>()
  /** By the place of a bound. */
  const versions: string[] = []
  const isUpdateNamed: boolean[] = []
  let arranged: ReturnType<typeof arrangeVersions> | null = null

  function placeOf(version: string): number {
    const known = places.get(version)
    if (known !== undefined) return known
    places.set(version, versions.length)
    isUpdateNamed.push(namesUpdate(version))
    return versions.push(version) - 1
  }

  function around(name: CpeName): Listed[] {
    if (ranges.size === 0) return []
    arranged ??= arrangeVersions(versions, { product: key, targetSoftware })
    const seen = fullVersionOf(name)
    const plain = arranged(seen.version)
    const whole = seen.update === '' ? plain : arranged(withUpdate(seen))
    const beginning = `${seen.version}.`
    const found: Listed[] = []
    for (const { bounds, ids } of ranges.values()) {
      const isInside = bounds.every(({ sign, place }) => {
        const isStart = sign === '≥' || sign === '>'
        const standing = countsUpdate(seen, isStart, isUpdateNamed[place] ?? false) ? whole : plain
        return holds(standing[place] ?? noOrder, sign)
      })
      if (!isInside) continue
      const isPartial = bounds.some(({ place }) => versions[place]?.startsWith(beginning))
      found.push({ kind: 'within', ids, isPartial })
    }
    return found
  }

  function add(id: number, bounds: readonly string[]): void {
    arranged = null
    const label = bounds.join(' ')
    const known = ranges.get(label)
    if (known) return void known.ids.push(id)
    const ends = bounds.map((bound) => ({ sign: bound.charAt(0) as Bound['sign'], place: placeOf(bound.slice(1)) }))
    ranges.set(label, { ids: [id], bounds: ends })
  }
  return { add, around }
}

function holds(order: number, sign: Bound['sign']): boolean {
  if (order === noOrder) return false
  if (order === 0) return sign === '≥' || sign === '≤'
  return order > 0 === (sign === '≥' || sign === '>')
}
