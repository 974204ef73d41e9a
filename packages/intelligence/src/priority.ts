/** What to do first: one number from severity, exploitation and where the issue stands. */

/** What the priority of an issue on a host rests on. */
export interface PriorityFacts {
  /** CVSS score, 0 to 10. */
  readonly score: number
  /** Probability of exploitation within 30 days (EPSS), 0 to 1; absent when unknown. */
  readonly epss?: number | undefined
  /** In a catalogue of vulnerabilities known to be exploited. */
  readonly isKnownExploited: boolean
  /** Proved by an active check, as against a version that matches. */
  readonly isVerified: boolean
  /** Absent: reachable. */
  readonly isReachableFromInternet?: boolean | undefined
  /** How much the host matters to its owner; absent: normal. */
  readonly criticality?: 'low' | 'normal' | 'high' | undefined
}

/** The number and how it came about. */
export interface Priority {
  /** 0 to 100. */
  readonly value: number
  /** The steps of the sum in order, for people: what was applied and where the number stood then. */
  readonly parts: readonly { readonly label: string; readonly value: number }[]
}

const potentialFactor = 0.6
const unreachableFactor = 0.8
const criticalityFactor = { low: 0.8, normal: 1, high: 1.2 }
const knownExploitedMin = 90

/**
 * Computes the priority: 5 × CVSS × (1 + √EPSS), at least 90 when exploitation is known, then less
 * where it is only potential or not reachable, and more or less by the host's criticality.
 */
export function priorityOf(facts: PriorityFacts): Priority {
  const parts: { label: string; value: number }[] = []
  const step = (label: string, value: number) => {
    parts.push({ label, value: Math.floor(Math.min(100, Math.max(0, value))) })
    return Math.min(100, Math.max(0, value))
  }
  const epss = Math.min(1, Math.max(0, facts.epss ?? 0))
  let value = step(`Severity ${facts.score}`, 5 * facts.score)
  if (epss > 0) value = step(`Exploitation probability ${(epss * 100).toFixed(1)} %`, value * (1 + Math.sqrt(epss)))
  value = Math.floor(value)
  if (facts.isKnownExploited) value = step('Known to be exploited', Math.max(knownExploitedMin, value))
  if (!facts.isVerified) value = step('Potential, not verified', value * potentialFactor)
  if (facts.isReachableFromInternet === false)
    value = step('Not reachable from the internet', value * unreachableFactor)
  const factor = criticalityFactor[facts.criticality ?? 'normal']
  if (factor !== 1) value = step(`Criticality of the host: ${facts.criticality}`, value * factor)
  return { value: Math.floor(value), parts }
}
