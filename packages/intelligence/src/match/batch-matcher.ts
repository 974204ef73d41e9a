/**
 * Matches a product against all its records in one pass, without texts. Only criteria that may match
 * the product's version are evaluated.
 */
import { type ProductKey, productKey } from '#alias.ts'
import { evaluateConfiguration, evaluateOtherNodes, type HostContext } from '#match/applicability.ts'
import {
  type CompiledCriterion,
  compileCriterion,
  type CriterionMatch,
  matchCriterion,
} from '#match/compiled-criterion.ts'
import { allVersions, fullVersionOf, isVariantUnspecified } from '#match/criterion.ts'
import { boundQuality, cpeNameOf, createHostContext, type MatchSubject, predatesPreciseRanges } from '#match/match.ts'
import { packCriterion, type PackedCriteria, type PackedCriterion } from '#match/packed.ts'
import { createVersionIndex } from '#match/version-index.ts'
import { type Configuration, type CpeMatch, parseCriteria } from '#threat.ts'
import type { CpeName } from '#wfn.ts'

/** A record as packed by `packCriteria` for one product. */
export interface PackedThreat {
  /** The CVE ID. */
  readonly key: string
  readonly criteria: PackedCriteria
}

/** A record that applies to a product. */
export interface Hit<Threat> {
  readonly threat: Threat
  /** As in `Match`, but without considering distribution fixes. */
  readonly quality: number
  /** The criterion that matched. */
  readonly criterion: PackedCriterion
  /** The configuration with further criteria that had to match; null if the criterion suffices. */
  readonly condition: ConditionalConfiguration | null
}

/** A configuration that requires more than one criterion. */
export interface ConditionalConfiguration {
  readonly configuration: Configuration
  /** The nodes other than the product's own; null if the configuration must be evaluated as a whole. */
  readonly others: Configuration['nodes'] | null
}

interface Entry<Threat> {
  readonly threat: Threat
  readonly isImprecise: boolean
  /** Best alternative found by the current `match` call. */
  best: BestMatch | null
}
/** Criteria, the best of which counts, and the condition that must also be met. */
interface Alternative<Threat> {
  readonly entry: Entry<Threat>
  readonly condition: ConditionalConfiguration | null
  /** Index of the best criterion found by the current `match` call. */
  criterion: number
  match: CriterionMatch | null
}
interface BestMatch {
  readonly alternative: number
  readonly match: CriterionMatch
}

/** Creates an empty matcher for the product `key`. */
export function createBatchMatcher<Threat extends PackedThreat>(key: ProductKey) {
  const index = createVersionIndex(key)
  const criteria: CompiledCriterion[] = []
  const alternatives: Alternative<Threat>[] = []
  const hostFor = createHostCache()

  function add(threat: Threat, items: readonly (PackedCriterion | Configuration)[]): void {
    const entry: Entry<Threat> = { threat, isImprecise: predatesPreciseRanges(threat.key), best: null }
    let current = -1
    for (const item of items) {
      if ('tail' in item) {
        if (current === -1) current = addAlternative(entry, null)
        addCriterion(item, current)
        continue
      }
      current = -1
      const own = item.nodes.filter((node) => node.cpeMatch.some((cpeMatch) => isVulnerableProduct(cpeMatch)))
      const alternative = addAlternative(entry, { configuration: item, others: independentNodes(item, own) })
      for (const cpeMatch of own.flatMap((node) => node.cpeMatch))
        if (isVulnerableProduct(cpeMatch)) addCriterion(packCriterion(cpeMatch), alternative)
    }
  }

  function addAlternative(entry: Entry<Threat>, condition: ConditionalConfiguration | null): number {
    return alternatives.push({ entry, condition, criterion: -1, match: null }) - 1
  }

  function addCriterion(packed: PackedCriterion, owner: number): void {
    const criterion = compileCriterion(packed, owner)
    index.add(criteria.push(criterion) - 1, criterion.version, criterion.targetSoftware, packed.bounds)
  }

  function isVulnerableProduct(cpeMatch: CpeMatch): boolean {
    return cpeMatch.vulnerable && namesProduct(cpeMatch)
  }

  function namesProduct({ criteria: text }: CpeMatch): boolean {
    const name = parseCriteria(text)
    return name !== null && productKey(name) === key
  }

  /** If only one node names the product, the result of the other nodes doesn't depend on its version. */
  function independentNodes(
    configuration: Configuration,
    [node, ...more]: Configuration['nodes'],
  ): ConditionalConfiguration['others'] {
    if (configuration.operator !== 'AND' || !node || more.length > 0) return null
    if (node.operator === 'AND' || node.negate) return null
    const others = configuration.nodes.filter((other) => other !== node)
    return others.some((other) => other.cpeMatch.some((cpeMatch) => namesProduct(cpeMatch))) ? null : others
  }

  function match(product: MatchSubject, inventory: readonly MatchSubject[]): Hit<Threat>[] {
    const name = cpeNameOf(product)
    if (!name || alternatives.length === 0) return []
    const host = hostFor(name, product, inventory)
    const matched: Entry<Threat>[] = []
    for (const id of matchingAlternatives(name)) {
      const alternative = alternativeAt(id)
      const candidate = evaluateAlternative(alternative, host)
      alternative.match = null
      if (!candidate) continue
      const { entry } = alternative
      if (!entry.best) matched.push(entry)
      if (!entry.best || isBetter(candidate, id, entry.best.match, entry.best.alternative)) {
        entry.best = { alternative: id, match: candidate }
      }
    }
    return matched.map((entry) => {
      const best = entry.best as BestMatch // set in the loop above
      entry.best = null
      const { criterion, condition } = alternativeAt(best.alternative)
      const quality = boundQuality(product.quality, best.match, best.match.isAnyVersion && entry.isImprecise)
      const { packed } = criteria[criterion] as CompiledCriterion // set by matchingAlternatives
      return { threat: entry.threat, quality, criterion: packed, condition }
    })
  }

  /** Finds the alternatives with a matching criterion and records the best criterion of each. */
  function matchingAlternatives(name: CpeName): number[] {
    const { update } = fullVersionOf(name)
    const product = { key, name, update, isVariantUnspecified: isVariantUnspecified(name) }
    const matching: number[] = []
    for (const candidates of index.find(name)) {
      for (const id of candidates.ids) {
        const criterion = criteria[id] as CompiledCriterion // the index contains only IDs of `criteria`
        const candidate = matchCriterion(criterion, product, candidates)
        if (!candidate) continue
        const alternative = alternativeAt(criterion.owner)
        if (!alternative.match) matching.push(criterion.owner)
        else if (!isBetter(candidate, id, alternative.match, alternative.criterion)) continue
        alternative.match = candidate
        alternative.criterion = id
      }
    }
    return matching
  }

  function alternativeAt(id: number): Alternative<Threat> {
    return alternatives[id] as Alternative<Threat> // IDs come from addAlternative
  }
  return { add, match }
}

/** Combines the best criterion of an alternative with the condition that must also be met. */
function evaluateAlternative<Threat>({ condition, match }: Alternative<Threat>, host: LazyHost): CriterionMatch | null {
  if (!condition || !match) return match
  const { configuration, others } = condition
  if (others) {
    const loss = host.lossOf(others)
    return loss === null ? null : { ...match, loss: match.loss + loss }
  }
  const verdict = evaluateConfiguration(configuration, host.context())
  if (verdict.kind !== 'yes') return null
  return { cap: verdict.cap, loss: verdict.loss, isAnyVersion: verdict.range === allVersions }
}

/** Same order as `bestVerdict`: by quality, then by position. */
function isBetter(match: CriterionMatch, position: number, other: CriterionMatch, otherPosition: number): boolean {
  const difference = matchQuality(match) - matchQuality(other)
  return difference > 0 || (difference === 0 && position < otherPosition)
}

function matchQuality({ loss, cap }: CriterionMatch): number {
  return Math.min(100 - loss, cap)
}

/** A host whose context is created on first use. */
interface LazyHost {
  context(): HostContext
  /** The quality lost by assumptions if all these nodes apply to the host; null if one of them doesn't. */
  lossOf(nodes: Configuration['nodes']): number | null
}

/** Hosts without an inventory differ only in the product's version, so they share results of other nodes. */
function createHostCache() {
  let shared = { id: '', losses: new Map<Configuration['nodes'], number | null>() }
  return (name: CpeName, product: MatchSubject, inventory: readonly MatchSubject[]): LazyHost => {
    let context: HostContext | null = null
    const getContext = () => (context ??= createHostContext(name, product, inventory))
    const id = inventory.length > 0 ? null : [name.part, name.vendor, name.product, product.revision].join(' ')
    if (id === null || id !== shared.id) shared = { id: id ?? '', losses: new Map() }
    const { losses } = shared
    return {
      context: getContext,
      lossOf(nodes) {
        const cached = losses.get(nodes)
        if (cached !== undefined) return cached
        const loss = evaluateOtherNodes(nodes, getContext())
        losses.set(nodes, loss)
        return loss
      },
    }
  }
}
