/** The priority of an issue: a number computed from severity, exploitation, and exposure. */

/** The input for the priority of an issue on a host. */
export interface PriorityFacts {
  /** CVSS score, 0 to 10. */
  readonly score: number
  /** Probability of exploitation within 30 days (EPSS), 0 to 1; absent if unknown. */
  readonly epss?: number | undefined
  /** Listed in a catalog of vulnerabilities exploited in the wild (KEV). */
  readonly isKnownExploited: boolean
  /** Confirmed by an active check rather than inferred from a version. */
  readonly isVerified: boolean
  /** Absent: assumed reachable. */
  readonly isReachableFromInternet?: boolean | undefined
  /** Importance of the host to its owner; absent: normal. */
  readonly criticality?: 'low' | 'normal' | 'high' | undefined
}

/** The priority and how it was computed. */
export interface Priority {
  /** 0 to 100. */
  readonly value: number
  /** The steps of the computation in order, for display: each factor and the value after applying it. */
  readonly parts: readonly { readonly label: string; readonly value: number }[]
}

const potentialFactor = 0.6
const unreachableFactor = 0.8
const criticalityFactor = { low: 0.8, normal: 1, high: 1.2 }
const knownExploitedMin = 90

/**
 * Computes the priority: 5 × CVSS × (1 + √EPSS), at least 90 if exploited in the wild, reduced if the
 * issue is potential or unreachable, and scaled by the host's criticality.
 */
export function priorityOf(facts: PriorityFacts): Priority {
  const parts: { label: string; value: number }[] = []
  const addPart = (label: string, value: number) => {
    parts.push({ label, value: Math.floor(Math.min(100, Math.max(0, value))) })
    return Math.min(100, Math.max(0, value))
  }
  const epss = Math.min(1, Math.max(0, facts.epss ?? 0))
  let value = addPart(`Severity ${facts.score}`, 5 * facts.score)
  if (epss > 0)
    value = addPart(`Exploitation probability (EPSS) ${(epss * 100).toFixed(1)}%`, value * (1 + Math.sqrt(epss)))
  value = Math.floor(value)
  if (facts.isKnownExploited) value = addPart('Exploited in the wild (KEV)', Math.max(knownExploitedMin, value))
  if (!facts.isVerified) value = addPart('Potential, not verified', value * potentialFactor)
  if (facts.isReachableFromInternet === false)
    value = addPart('Not reachable from the internet', value * unreachableFactor)
  const factor = criticalityFactor[facts.criticality ?? 'normal']
  if (factor !== 1) value = addPart(`Host criticality: ${facts.criticality}`, value * factor)
  return { value: Math.floor(value), parts }
}
