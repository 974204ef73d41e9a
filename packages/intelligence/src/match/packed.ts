/**
 * What a record says of one product, written small: a record names hundreds of products and tens of
 * thousands of versions, and whoever asks for one product should not have to read the others.
 *
 * It is a JSON array in the order of the record. A string is a criterion that is enough by itself:
 * what follows vendor and product in its formatted string, without the `*` at its end; an array is
 * one with bounds, `["*","≥1.0","<2"]`. A string that begins with `cpe:2.3:` is the name that the
 * criteria after it share. An object is a configuration that asks for more than one criterion.
 */
import { type ProductKey, productKey } from '#alias.ts'
import { type Bound, boundsOf } from '#match/range.ts'
import {
  type Applicability,
  type Configuration,
  type ConfigurationNode,
  type CpeMatch,
  isDistribution,
  nameOfCriteria,
  vulnerableNames,
} from '#threat.ts'
import { attributes, splitUnquoted } from '#wfn.ts'

/** A record as one product reads it; see above. */
export type PackedCriteria = string

const prefix = 'cpe:2.3:'
/** Part, vendor and product stand in the shared name, the other attributes in the criterion. */
const tailAttributes = attributes.length - 3

type Packed = string | readonly string[] | Configuration

/**
 * Packs what a record says of each product that it may touch. Products that it names only as what
 * others run on are left out, and so are distributions that merely ship the product.
 */
export function packCriteria(threat: Applicability): ReadonlyMap<ProductKey, PackedCriteria> {
  const packed = new Map<ProductKey, { items: Packed[]; shared: string }>()
  const ownByKey = ownOf(threat)
  for (const configuration of threat.isRejected ? [] : threat.configurations) {
    if (configuration.negate) continue
    if (configuration.operator === 'AND') {
      for (const [key, one] of narrowed(configuration, ownByKey)) of(key).items.push(one)
      continue
    }
    for (const node of configuration.nodes.filter(({ negate }) => !negate)) {
      if (node.operator === 'AND') {
        for (const key of ownByKey(node).keys()) of(key).items.push({ ...configuration, nodes: [node] })
      } else
        for (const [key, matches] of ownByKey(node)) for (const match of matches) add(of(key), packCriterion(match))
    }
  }
  return new Map([...packed].map(([key, { items }]) => [key, JSON.stringify(items)]))

  function of(key: ProductKey) {
    const known = packed.get(key) ?? { items: [], shared: '' }
    packed.set(key, known)
    return known
  }
}

function add(to: { items: Packed[]; shared: string }, { name, tail, bounds }: PackedCriterion): void {
  if (name !== to.shared) to.items.push(name)
  to.shared = name
  to.items.push(bounds.length > 0 ? [tail, ...bounds] : tail)
}

type OwnByKey = (node: ConfigurationNode) => Map<ProductKey, CpeMatch[]>

/** Tells the criteria of a node that name products as vulnerable. */
function ownOf(threat: Applicability): OwnByKey {
  const isOfApplication = vulnerableNames(threat).some(({ part }) => part === 'a')
  return (node) => {
    const found = new Map<ProductKey, CpeMatch[]>()
    for (const match of node.cpeMatch) {
      const name = match.vulnerable ? nameOfCriteria(match.criteria) : null
      const key = name && !(isOfApplication && isDistribution(name)) ? productKey(name) : null
      if (!key) continue
      const matches = found.get(key)
      if (matches) matches.push(match)
      else found.set(key, [match])
    }
    return found
  }
}

/**
 * The configuration as each of its products reads it. In the one node about a product nothing else
 * can make a match; with two such nodes other software on the same host could stand for one of them.
 */
function narrowed(configuration: Configuration, ownByKey: OwnByKey): [ProductKey, Configuration][] {
  const owns = configuration.nodes.map((node) => ownByKey(node))
  const keys = new Set(owns.flatMap((own) => [...own.keys()]))
  return [...keys].map((key) => {
    const at = owns.findIndex((own) => own.has(key))
    const node = configuration.nodes[at]
    const isOnly = owns.findLastIndex((own) => own.has(key)) === at
    if (!node || !isOnly || node.negate || node.operator === 'AND') return [key, configuration]
    const nodes = configuration.nodes.with(at, { ...node, cpeMatch: owns[at]?.get(key) ?? [] })
    return [key, { ...configuration, nodes }]
  })
}

/** Takes apart a criterion as the record has it. */
export function packCriterion(match: CpeMatch): PackedCriterion {
  const values = splitUnquoted(match.criteria.trim().slice(prefix.length))
  const name = prefix + values.slice(0, 3).join(':')
  const tail = values.slice(3)
  while (tail.length > 1 && tail.at(-1) === '*') tail.pop()
  return { name, tail: tail.join(':'), bounds: boundsOf(match).map(({ sign, version }) => sign + version) }
}

/** A criterion that is enough by itself. */
export interface PackedCriterion {
  /** Part, vendor and product: `cpe:2.3:a:f5:nginx`. */
  readonly name: string
  /** The other attributes, without the `*` at their end. */
  readonly tail: string
  /** `≥1.0`; the sign is one character. */
  readonly bounds: readonly string[]
}

const noBounds: readonly string[] = []

/** Reads a packed record, in its order. */
export function readPacked(packed: PackedCriteria): (PackedCriterion | Configuration)[] {
  let name = ''
  const read: (PackedCriterion | Configuration)[] = []
  const items = JSON.parse(packed) as Packed[] // written above
  for (const item of items) {
    if (typeof item === 'string') {
      if (item.startsWith(prefix)) name = item
      else read.push({ name, tail: item, bounds: noBounds })
    } else if ('nodes' in item) read.push(item)
    else read.push({ name, tail: item[0] ?? '', bounds: item.slice(1) })
  }
  return read
}

const members = {
  '≥': 'versionStartIncluding',
  '>': 'versionStartExcluding',
  '≤': 'versionEndIncluding',
  '<': 'versionEndExcluding',
} as const

/** A criterion as the record has it. */
export function criterionOf({ name, tail, bounds }: PackedCriterion): CpeMatch {
  const values = splitUnquoted(tail)
  while (values.length < tailAttributes) values.push('*')
  const range = bounds.map((bound) => [members[bound.charAt(0) as Bound['sign']], bound.slice(1)])
  return { vulnerable: true, criteria: `${name}:${values.join(':')}`, ...Object.fromEntries(range) }
}
