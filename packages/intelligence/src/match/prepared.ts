/**
 * One product against everything that is known of it. A product has thousands of records and each
 * of them hundreds of versions; what can be said of many of them at once is said once. The verdicts
 * are those of `matchProduct`.
 */
import type { ProductKey } from '#alias.ts'
import { type Asking, createBatch } from '#match/batch.ts'
import type { MatchSubject } from '#match/match.ts'
import { criterionOf, type PackedCriteria, type PackedCriterion, readPacked } from '#match/packed.ts'
import type { Applicability, Configuration } from '#threat.ts'

/** A record as `packCriteria` wrote it for one product. */
export interface PackedThreat {
  /** The CVE id. */
  readonly key: string
  readonly criteria: PackedCriteria
}

/** A record that applies to a version. */
export interface Hit<Threat> {
  readonly threat: Threat
  /** As `Match` has it, before anything is known of what a distribution has mended. */
  readonly quality: number
  /** The criterion that made the match, and what had to hold beside it: `criteriaOf` writes them out. */
  readonly criterion: PackedCriterion
  readonly asking: Asking | null
}

/** Records about one product, arranged by version. */
export interface Prepared<Threat extends PackedThreat> {
  /** Records of which one criterion is enough: they apply wherever this version runs. */
  alone(product: MatchSubject): Hit<Threat>[]
  /** Records that ask what else runs on the host. */
  among(product: MatchSubject, inventory: readonly MatchSubject[]): Hit<Threat>[]
  /** As much of the record as made the match: for it `matchProduct` gives the same answer, with its reasons. */
  criteriaOf(hit: Hit<Threat>): Applicability
}

/** Arranges the records that name `key`. */
export function prepareThreats<Threat extends PackedThreat>(
  key: ProductKey,
  threats: readonly Threat[],
): Prepared<Threat> {
  const alone = createBatch<Threat>(key)
  const among = createBatch<Threat>(key)
  for (const threat of threats) {
    const items = readPacked(threat.criteria)
    // The best of all its configurations counts, so they are decided in one place.
    const batch = items.every((item) => 'tail' in item) ? alone : among
    batch.add(threat, items)
  }
  return {
    alone: (product) => alone.decide(product, []),
    among: (product, inventory) => among.decide(product, inventory),
    criteriaOf({ threat, criterion, asking }) {
      return { id: threat.key, configurations: [configurationOf(criterion, asking)], isRejected: false }
    },
  }
}

function configurationOf(criterion: PackedCriterion, asking: Asking | null): Configuration {
  if (asking && !asking.others) return asking.configuration
  const node = { operator: 'OR' as const, negate: false, cpeMatch: [criterionOf(criterion)] }
  if (!asking) return { operator: 'OR', negate: false, nodes: [node] }
  return { ...asking.configuration, nodes: [node, ...(asking.others ?? [])] }
}
