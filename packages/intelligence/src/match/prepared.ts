/**
 * One product against everything that is known of it. A product has thousands of records and each
 * of them hundreds of versions; this finds the few that need a closer look.
 */
import { type ProductKey, productKey } from '#alias.ts'
import { boundsOf, compareWithRange, type FullVersion } from '#match/range.ts'
import { type Applicability, type ConfigurationNode, type CpeMatch, isDistribution, nameOfCriteria } from '#threat.ts'
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

/** Criteria of threats. */
type Placed<Threat> = Map<Threat, CpeMatch[]>
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
  const own = new Set<CpeMatch>()
  for (const threat of threats) {
    if (threat.isRejected) continue
    for (const match of criteriaOf(threat)) place(match, threat)
  }

  function place(match: CpeMatch, threat: Threat): void {
    const name = nameOfCriteria(match.criteria)
    if (!name || productKey(name) !== key) return
    const placed = placeOf(name, name.version === '*' ? boundsOf(match) : [])
    own.add(match)
    const list = placed.get(threat)
    if (list) list.push(match)
    else placed.set(threat, [match])
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
      const found = new Map<Threat, Set<CpeMatch>>()
      for (const placed of placedFor(name)) {
        for (const [threat, list] of placed) {
          const listed = found.get(threat) ?? new Set()
          for (const match of list) listed.add(match)
          found.set(threat, listed)
        }
      }
      // For a distribution it matters what else a record names.
      if (isDistribution(name)) return [...found.keys()]
      return [...found].map(([threat, listed]) => narrow(threat, listed, own))
    },
  }
}

/**
 * Leaves out the criteria that were not listed where only the product's own can make a match: where
 * one is enough, and in the node of a configuration that alone is about the product. With two such
 * nodes another version of it on the same host could stand for one of them.
 */
function narrow<Threat extends Applicability>(
  threat: Threat,
  listed: ReadonlySet<CpeMatch>,
  own: ReadonlySet<CpeMatch>,
): Threat {
  const onlyListed = (node: ConfigurationNode) => {
    if (node.negate || node.operator === 'AND') return node
    return { ...node, cpeMatch: node.cpeMatch.filter((match) => listed.has(match)) }
  }
  const configurations = threat.configurations.map((configuration) => {
    const { operator, negate, nodes } = configuration
    if (negate) return configuration
    if (operator === 'OR') return { ...configuration, nodes: nodes.map(onlyListed) }
    const [first, ...more] = nodes.filter((node) => node.cpeMatch.some((match) => own.has(match)))
    if (!first || more.length > 0) return configuration
    return { ...configuration, nodes: nodes.map((node) => (node === first ? onlyListed(node) : node)) }
  })
  return { ...threat, configurations }
}

function criteriaOf({ configurations }: Applicability): CpeMatch[] {
  return configurations.flatMap(({ nodes }) =>
    nodes.flatMap(({ cpeMatch }) => cpeMatch.filter((one) => one.vulnerable)),
  )
}
