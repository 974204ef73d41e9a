/**
 * One product against everything that is known of it. A product has thousands of records and each
 * of them hundreds of versions; this finds the few that need a closer look.
 */
import { type ProductKey, productKey } from '#alias.ts'
import { boundsOf, compareWithRange, type FullVersion } from '#match/range.ts'
import { type Applicability, type CpeMatch, isDistribution, nameOfCriteria } from '#threat.ts'
import type { Scheme } from '#version/version.ts'
import { releaseOf } from '#version/generic.ts'
import { type CpeName, unquote } from '#wfn.ts'

/** Records about one product, arranged by version. */
export interface Prepared<Threat extends Applicability> {
  /**
   * The records that may hold for this version of the product: never fewer than those that do, and
   * seldom more. `matchProduct` then decides.
   */
  candidates(name: CpeName): Threat[]
  /**
   * As `candidates`, each without the criteria that cannot hold for this version, of which some
   * records have thousands. A match is the same; what a refusal says of the version may differ.
   */
  narrowed(name: CpeName): Threat[]
}

/** Criteria of threats, each with its place in its record. */
type Placed<Threat> = Map<Threat, (readonly [place: number, match: CpeMatch])[]>
interface Range<Threat> {
  readonly bounds: ReturnType<typeof boundsOf>
  readonly scheme: Scheme
  readonly placed: Placed<Threat>
}

/** Arranges the records that name `key` as vulnerable. */
export function prepareThreats<Threat extends Applicability>(
  key: ProductKey,
  threats: readonly Threat[],
): Prepared<Threat> {
  const exact = new Map<string, Placed<Threat>>()
  const ranges = new Map<string, Range<Threat>>()
  const always: Placed<Threat> = new Map()
  for (const threat of threats) {
    if (threat.isRejected) continue
    for (const [index, match] of criteriaOf(threat).entries()) place(match, index, threat)
  }

  function place(match: CpeMatch, index: number, threat: Threat): void {
    const name = nameOfCriteria(match.criteria)
    if (!name || productKey(name) !== key) return
    const placed = placeOf(name, name.version === '*' ? boundsOf(match) : [])
    const list = placed.get(threat)
    if (list) list.push([index, match])
    else placed.set(threat, [[index, match]])
  }

  function placeOf(name: CpeName, bounds: ReturnType<typeof boundsOf>): Placed<Threat> {
    if (bounds.length > 0) {
      const id = `${name.targetSoftware} ${bounds.map(({ sign, version }) => sign + version).join(' ')}`
      const scheme = { product: key, targetSoftware: name.targetSoftware }
      const range = ranges.get(id) ?? { bounds, scheme, placed: new Map() }
      ranges.set(id, range)
      return range.placed
    }
    if (/[*?]/.test(name.version) || name.version === '-') return always
    const release = releaseOf(unquote(name.version))
    const placed = exact.get(release) ?? new Map()
    exact.set(release, placed)
    return placed
  }

  /** What may hold for a version. */
  function placedFor(name: CpeName): Placed<Threat>[] {
    if (name.version === '*' || name.version === '-') return []
    const seen: FullVersion = {
      version: unquote(name.version),
      update: /^[*-]$/.test(name.update) ? '' : unquote(name.update),
    }
    const within = [...ranges.values()].filter(
      ({ bounds, scheme }) => compareWithRange(seen, bounds, scheme).kind !== 'outside',
    )
    return [always, exact.get(releaseOf(seen.version)) ?? new Map(), ...within.map(({ placed }) => placed)]
  }

  return {
    candidates: (name) => [...new Set(placedFor(name).flatMap((placed) => [...placed.keys()]))],
    narrowed(name) {
      const found: Placed<Threat> = new Map()
      for (const placed of placedFor(name)) {
        for (const [threat, list] of placed) found.set(threat, [...(found.get(threat) ?? []), ...list])
      }
      return [...found].map(([threat, list]) => narrow(threat, list, name))
    },
  }
}

/** Only where criteria stand for themselves alone do the others change nothing. */
function narrow<Threat extends Applicability>(
  threat: Threat,
  list: readonly (readonly [place: number, match: CpeMatch])[],
  name: CpeName,
): Threat {
  if (!standsAlone(threat) || isDistribution(name)) return threat
  const cpeMatch = list.toSorted(([a], [b]) => a - b).map(([, match]) => match)
  const node = { operator: 'OR' as const, negate: false, cpeMatch }
  return { ...threat, configurations: [{ operator: 'OR', negate: false, nodes: [node] }] }
}

const alone = new WeakMap<Applicability, boolean>()

function standsAlone(threat: Applicability): boolean {
  const known = alone.get(threat)
  if (known !== undefined) return known
  const verdict = threat.configurations.every(
    ({ operator, negate, nodes }) =>
      operator === 'OR' && !negate && nodes.every((node) => node.operator === 'OR' && !node.negate),
  )
  alone.set(threat, verdict)
  return verdict
}

function criteriaOf({ configurations }: Applicability): CpeMatch[] {
  return configurations.flatMap(({ nodes }) =>
    nodes.flatMap(({ cpeMatch }) => cpeMatch.filter((one) => one.vulnerable)),
  )
}
