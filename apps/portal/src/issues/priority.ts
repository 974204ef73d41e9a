/** Explains the priority of a risk. */
import type { Issue } from '@glacis/contract/issue'
import { formatPercent, formatScore } from '#lib/format.ts'

/** "CVSS 9.8, EPSS 94.4%, exploited in the wild" */
export function priorityFactors({ threat, verification }: Pick<Issue, 'threat' | 'verification'>): string {
  return [
    threat.severity.score > 0 && `CVSS ${formatScore(threat.severity.score)}`,
    threat.epss && `EPSS ${formatPercent(threat.epss.score)}`,
    threat.knownExploited && 'exploited in the wild',
    verification === 'VERIFICATION_UNVERIFIED' && 'not confirmed',
  ]
    .filter(Boolean)
    .join(', ')
}
