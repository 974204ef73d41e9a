/**
 * A compact format for the part of a record that concerns one product. A record can list hundreds of
 * products and tens of thousands of versions, so matching one product must not read the others.
 *
 * The format is a JSON array in the order of the record:
 * - A string is a criterion that suffices by itself: the part of its formatted string after vendor
 *   and product, without trailing `*` values.
 * - An array is such a criterion with bounds: `["*","≥1.0","<2"]`.
 * - A string that starts with `cpe:2.3:` is the name shared by the criteria after it.
 * - An object is a configuration that requires more than one criterion.
 */
import { type ProductKey, productKey } from '#alias.ts'
import { type Bound, boundsOf } from '#match/range.ts'
import {
  type Applicability,
  type Configuration,
  type ConfigurationNode,
  type CpeMatch,
  isDistribution,
  parseCriteria,
  vulnerableNames,
} from '#threat.ts'
import { attributes, splitUnquoted } from '#wfn.ts'

/** The part of a record that concerns one product, in the format above. */
export type PackedCriteria = string

const prefix = 'cpe:2.3:'
/** The shared name contains part, vendor, and product; the criterion contains the other attributes. */
const tailAttributes = attributes.length - 3

type Packed = string | readonly string[] | Configuration

/**
 * Packs a record for each product that it may affect. Products listed only as platforms are skipped,
 * and so are distributions that merely ship the affected product.
 */
export function packCriteria(threat: Applicability): ReadonlyMap<ProductKey, PackedCriteria> {
  const packed = new Map<ProductKey, { items: Packed[]; shared: string }>()
  const vulnerableByKey = createVulnerableGrouper(threat)
  for (const configuration of threat.isRejected ? [] : threat.configurations) {
    if (configuration.negate) continue
    if (configuration.operator === 'AND') {
      for (const [key, narrowed] of narrowByProduct(configuration, vulnerableByKey)) entryFor(key).items.push(narrowed)
      continue
    }
    for (const node of configuration.nodes.filter(({ negate }) => !negate)) {
      if (node.operator === 'AND') {
        for (const key of vulnerableByKey(node).keys()) entryFor(key).items.push({ ...configuration, nodes: [node] })
      } else
        for (const [key, matches] of vulnerableByKey(node))
          for (const match of matches) appendCriterion(entryFor(key), packCriterion(match))
    }
  }
  return new Map([...packed].map(([key, { items }]) => [key, JSON.stringify(items)]))

  function entryFor(key: ProductKey) {
    const entry = packed.get(key) ?? { items: [], shared: '' }
    packed.set(key, entry)
    return entry
  }
}

function appendCriterion(to: { items: Packed[]; shared: string }, { name, tail, bounds }: PackedCriterion): void {
  if (name !== to.shared) to.items.push(name)
  to.shared = name
  to.items.push(bounds.length > 0 ? [tail, ...bounds] : tail)
}

type VulnerableByKey = (node: ConfigurationNode) => Map<ProductKey, CpeMatch[]>

/** Returns a function that groups a node's vulnerable criteria by product. */
function createVulnerableGrouper(threat: Applicability): VulnerableByKey {
  const isOfApplication = vulnerableNames(threat).some(({ part }) => part === 'a')
  return (node) => {
    const matchesByProduct = new Map<ProductKey, CpeMatch[]>()
    for (const match of node.cpeMatch) {
      const name = match.vulnerable ? parseCriteria(match.criteria) : null
      const key = name && !(isOfApplication && isDistribution(name)) ? productKey(name) : null
      if (!key) continue
      const matches = matchesByProduct.get(key)
      if (matches) matches.push(match)
      else matchesByProduct.set(key, [match])
    }
    return matchesByProduct
  }
}

/**
 * Narrows a configuration to each of its products. If only one node lists a product, the node's other
 * criteria can be dropped. If several nodes do, other software on the host could match one of them.
 */
function narrowByProduct(
  configuration: Configuration,
  vulnerableByKey: VulnerableByKey,
): [ProductKey, Configuration][] {
  const vulnerable = configuration.nodes.map((node) => vulnerableByKey(node))
  const keys = new Set(vulnerable.flatMap((own) => [...own.keys()]))
  return [...keys].map((key) => {
    const at = vulnerable.findIndex((own) => own.has(key))
    const node = configuration.nodes[at]
    const isOnly = vulnerable.findLastIndex((own) => own.has(key)) === at
    if (!node || !isOnly || node.negate || node.operator === 'AND') return [key, configuration]
    const nodes = configuration.nodes.with(at, { ...node, cpeMatch: vulnerable[at]?.get(key) ?? [] })
    return [key, { ...configuration, nodes }]
  })
}

/** Packs one criterion of a record. */
export function packCriterion(match: CpeMatch): PackedCriterion {
  const values = splitUnquoted(match.criteria.trim().slice(prefix.length))
  const name = prefix + values.slice(0, 3).join(':')
  const tail = values.slice(3)
  while (tail.length > 1 && tail.at(-1) === '*') tail.pop()
  return { name, tail: tail.join(':'), bounds: boundsOf(match).map(({ sign, version }) => sign + version) }
}

/** A criterion that suffices by itself. */
export interface PackedCriterion {
  /** Part, vendor, and product: `cpe:2.3:a:f5:nginx`. */
  readonly name: string
  /** The other attributes, without trailing `*` values. */
  readonly tail: string
  /** For example `≥1.0`; the sign is one character. */
  readonly bounds: readonly string[]
}

const noBounds: readonly string[] = []

/** Reads a packed record, in the order of the record. */
export function unpackCriteria(packed: PackedCriteria): (PackedCriterion | Configuration)[] {
  let name = ''
  const read: (PackedCriterion | Configuration)[] = []
  const items = JSON.parse(packed) as Packed[] // written by packCriteria
  for (const item of items) {
    if (typeof item === 'string') {
      if (item.startsWith(prefix)) name = item
      else read.push({ name, tail: item, bounds: noBounds })
    } else if ('nodes' in item) read.push(item)
    else read.push({ name, tail: item[0] ?? '', bounds: item.slice(1) })
  }
  return read
}

const boundFields = {
  '≥': 'versionStartIncluding',
  '>': 'versionStartExcluding',
  '≤': 'versionEndIncluding',
  '<': 'versionEndExcluding',
} as const

/** Converts a packed criterion back to a criterion of the applicability language. */
export function toCpeMatch({ name, tail, bounds }: PackedCriterion): CpeMatch {
  const values = splitUnquoted(tail)
  while (values.length < tailAttributes) values.push('*')
  const range = bounds.map((bound) => [boundFields[bound.charAt(0) as Bound['sign']], bound.slice(1)])
  return { vulnerable: true, criteria: `${name}:${values.join(':')}`, ...Object.fromEntries(range) }
}
