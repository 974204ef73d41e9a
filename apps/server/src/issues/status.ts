/** The status transitions of an issue on one host. Pure. */
import type { IssueStatus } from '@glacis/contract/issue'

/**
 * Transitions that users can make. Only a scan changes `STATUS_RESOLVED` to `STATUS_REGRESSION`.
 */
const allowed: Readonly<Record<IssueStatus, ReadonlySet<IssueStatus>>> = {
  STATUS_OPEN: new Set(['STATUS_RESOLVED', 'STATUS_IGNORED']),
  STATUS_REGRESSION: new Set(['STATUS_RESOLVED', 'STATUS_IGNORED']),
  STATUS_RESOLVED: new Set(['STATUS_IGNORED', 'STATUS_OPEN']),
  STATUS_IGNORED: new Set(['STATUS_RESOLVED', 'STATUS_OPEN']),
}

/** Whether a user can make this transition. Setting the same status again is not a transition. */
export function canTransition(from: IssueStatus, to: IssueStatus): boolean {
  return allowed[from].has(to)
}

export interface OccurrenceState {
  readonly status: IssueStatus
  readonly decidedBy: 'scan' | 'person'
  readonly evidenceKey: string
}

/**
 * The status of an occurrence after it was detected. A version match that a user resolved stays
 * resolved while its evidence is unchanged, because nothing new was learned. A check that confirms
 * the vulnerability again always changes it to regression.
 */
export function onDetected(
  before: OccurrenceState | null,
  seen: { readonly method: string; readonly evidenceKey: string },
): IssueStatus {
  if (!before) return 'STATUS_OPEN'
  if (before.status !== 'STATUS_RESOLVED') return before.status
  const isOldNews = isInferred(seen.method) && before.decidedBy === 'person' && before.evidenceKey === seen.evidenceKey
  return isOldNews ? 'STATUS_RESOLVED' : 'STATUS_REGRESSION'
}

/** Whether an occurrence was inferred from a version: of software on a port, or of an installed package. */
export function isInferred(method: string): boolean {
  return method === 'version' || method === 'package'
}

/** Statuses from worst to best. An issue has the worst status of its hosts. */
export const worstFirst: readonly IssueStatus[] = [
  'STATUS_REGRESSION',
  'STATUS_OPEN',
  'STATUS_IGNORED',
  'STATUS_RESOLVED',
]

/** The worst of these statuses; resolved if there are none. */
export function worstOf(statuses: readonly IssueStatus[]): IssueStatus {
  return worstFirst.find((item) => statuses.includes(item)) ?? 'STATUS_RESOLVED'
}
