/**
 * One product against everything that is known of it. A product has thousands of records and each
 * of them hundreds of versions; this finds the few that need a closer look.
 */
import { type ProductKey, productKey } from '#alias.ts'
import { boundsOf, compareWithRange, type FullVersion } from '#match/range.ts'
import { type Applicability, type CpeMatch, nameOfCriteria } from '#threat.ts'
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
}

interface Range<Threat> {
  readonly match: CpeMatch
  readonly scheme: Scheme
  readonly threats: Set<Threat>
}

/** Arranges the records that name `key` as vulnerable. */
export function prepareThreats<Threat extends Applicability>(
  key: ProductKey,
  threats: readonly Threat[],
): Prepared<Threat> {
  const exact = new Map<string, Set<Threat>>()
  const ranges = new Map<string, Range<Threat>>()
  const always = new Set<Threat>()
  for (const threat of threats) {
    if (threat.isRejected) continue
    for (const match of criteriaOf(threat)) place(match, threat)
  }

  function place(match: CpeMatch, threat: Threat): void {
    const name = nameOfCriteria(match.criteria)
    if (!name || productKey(name) !== key) return
    const bounds = boundsOf(match)
    if (name.version === '*' && bounds.length > 0) {
      const id = `${name.targetSoftware} ${bounds.map(({ sign, version }) => sign + version).join(' ')}`
      const range = ranges.get(id) ?? {
        match,
        scheme: { product: key, targetSoftware: name.targetSoftware },
        threats: new Set(),
      }
      ranges.set(id, range)
      range.threats.add(threat)
    } else if (/[*?]/.test(name.version) || name.version === '-') always.add(threat)
    else {
      const release = releaseOf(unquote(name.version))
      exact.set(release, (exact.get(release) ?? new Set()).add(threat))
    }
  }

  return {
    candidates(name) {
      if (name.version === '*' || name.version === '-') return []
      const seen: FullVersion = {
        version: unquote(name.version),
        update: /^[*-]$/.test(name.update) ? '' : unquote(name.update),
      }
      const found = new Set([...always, ...(exact.get(releaseOf(seen.version)) ?? [])])
      for (const { match, scheme, threats: within } of ranges.values()) {
        if (compareWithRange(seen, boundsOf(match), scheme).kind !== 'outside') for (const one of within) found.add(one)
      }
      return [...found]
    },
  }
}

function criteriaOf({ configurations }: Applicability): CpeMatch[] {
  return configurations.flatMap(({ nodes }) =>
    nodes.flatMap(({ cpeMatch }) => cpeMatch.filter((one) => one.vulnerable)),
  )
}
