/** Why a risk has the priority that it has, in words. */
import type { Issue } from '@glacis/contract/issue'
import { formatPercent, formatScore } from '#lib/format.ts'

/** "CVSS 9.8, EPSS 94.4%, known exploited" */
export function priorityWords({ threat, verification }: Pick<Issue, 'threat' | 'verification'>): string {
  return [
    threat.severity.score > 0 && `CVSS ${formatScore(threat.severity.score)}`,
    threat.epss && `EPSS ${formatPercent(threat.epss.score)}`,
    threat.knownExploited && 'known exploited',
    verification === 'VERIFICATION_UNVERIFIED' && 'not confirmed',
  ]
    .filter(Boolean)
    .join(', ')
}
