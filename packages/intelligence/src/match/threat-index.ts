/**
 * An index of all records about one product. A product has thousands of records with hundreds of
 * versions each, so criteria are indexed by version instead of evaluated one by one. The results are
 * the same as those of `matchProduct`.
 */
import type { ProductKey } from '#alias.ts'
import { type ConditionalConfiguration, createBatchMatcher, type Hit, type PackedThreat } from '#match/batch-matcher.ts'
import type { MatchSubject } from '#match/match.ts'
import { type PackedCriterion, toCpeMatch, unpackCriteria } from '#match/packed.ts'
import type { Applicability, Configuration } from '#threat.ts'

/** Records about one product, indexed by version. */
export interface Prepared<Threat extends PackedThreat> {
  /** Matches records that need a single criterion: the result depends only on the product. */
  matchAlone(product: MatchSubject): Hit<Threat>[]
  /** Matches records that also depend on what else runs on the host. */
  matchAmong(product: MatchSubject, inventory: readonly MatchSubject[]): Hit<Threat>[]
  /** The part of the record that matched. `matchProduct` returns the same result for it, with reasons. */
  criteriaOf(hit: Hit<Threat>): Applicability
}

/** Indexes the records about `key`. */
export function prepareThreats<Threat extends PackedThreat>(
  key: ProductKey,
  threats: readonly Threat[],
): Prepared<Threat> {
  const alone = createBatchMatcher<Threat>(key)
  const among = createBatchMatcher<Threat>(key)
  for (const threat of threats) {
    const items = unpackCriteria(threat.criteria)
    // The best of a record's configurations counts, so all of them go into the same matcher.
    const matcher = items.every((item) => 'tail' in item) ? alone : among
    matcher.add(threat, items)
  }
  return {
    matchAlone: (product) => alone.match(product, []),
    matchAmong: (product, inventory) => among.match(product, inventory),
    criteriaOf({ threat, criterion, condition }) {
      return { id: threat.key, configurations: [toConfiguration(criterion, condition)], isRejected: false }
    },
  }
}

function toConfiguration(criterion: PackedCriterion, condition: ConditionalConfiguration | null): Configuration {
  if (condition && !condition.others) return condition.configuration
  const node = { operator: 'OR' as const, negate: false, cpeMatch: [toCpeMatch(criterion)] }
  if (!condition) return { operator: 'OR', negate: false, nodes: [node] }
  return { ...condition.configuration, nodes: [node, ...(condition.others ?? [])] }
}
