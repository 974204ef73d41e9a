/** Sorts and counts the issues of a report. */
import type { Issue } from '@glacis/contract/issue'
import type { SeverityCategory } from '@glacis/contract/threat'

/** A report's issues, sorted and counted. */
export interface Figures {
  /** Open and regressed issues, worst first. */
  readonly open: readonly Issue[]
  /** Open issues by priority, which also includes verification, exposure, and exploitation. */
  readonly byPriority: readonly Issue[]
  readonly ignored: readonly Issue[]
  readonly resolved: readonly Issue[]
  readonly verified: number
  readonly potential: number
  readonly knownExploited: number
  readonly bySeverity: ReadonlyMap<SeverityCategory, { readonly verified: number; readonly potential: number }>
}

/** Severities shown in charts, worst first. */
export const chartedSeverities = ['CATEGORY_CRITICAL', 'CATEGORY_HIGH', 'CATEGORY_MEDIUM', 'CATEGORY_LOW'] as const

const rank: readonly SeverityCategory[] = [...chartedSeverities, 'CATEGORY_NONE', 'CATEGORY_UNSPECIFIED']

/** Sorts and counts the issues of a report. */
export function figuresOf(issues: readonly Issue[]): Figures {
  const open = issues.filter(isOpen).toSorted(byUrgency)
  const bySeverity = new Map(
    rank.map((category) => {
      const ofCategory = open.filter((issue) => issue.threat.severity.category === category)
      const verified = ofCategory.filter(isVerified).length
      return [category, { verified, potential: ofCategory.length - verified }] as const
    }),
  )
  const verified = open.filter(isVerified).length
  return {
    open,
    byPriority: open.toSorted((a, b) => (b.priority ?? 0) - (a.priority ?? 0)),
    ignored: issues.filter(({ status }) => status === 'STATUS_IGNORED').toSorted(byUrgency),
    resolved: issues.filter(({ status }) => status === 'STATUS_RESOLVED').toSorted(byUrgency),
    verified,
    potential: open.length - verified,
    knownExploited: open.filter(({ threat }) => threat.knownExploited).length,
    bySeverity,
  }
}

/** Whether an active check confirmed the issue. */
export function isVerified({ verification }: Issue): boolean {
  return verification === 'VERIFICATION_VERIFIED'
}

/** Number of hosts affected, including those not listed. */
export function hostsOf({ affectedHosts, affectedHostCount }: Issue): number {
  return affectedHostCount ?? affectedHosts.length
}

function isOpen({ status }: Issue): boolean {
  return status === 'STATUS_OPEN' || status === 'STATUS_REGRESSION'
}

/** By severity, priority, verification, then name for a stable order. */
function byUrgency(a: Issue, b: Issue): number {
  return (
    rank.indexOf(a.threat.severity.category) - rank.indexOf(b.threat.severity.category) ||
    (b.priority ?? 0) - (a.priority ?? 0) ||
    Number(isVerified(b)) - Number(isVerified(a)) ||
    b.threat.severity.score - a.threat.severity.score ||
    a.name.localeCompare(b.name, 'en')
  )
}
