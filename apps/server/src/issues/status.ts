/** The states of an issue on one host, and what moves them. Pure. */
import type { IssueStatus } from '@glacis/contract/issue'

/** What a person may do to an issue; a scan alone turns `STATUS_RESOLVED` into `STATUS_REGRESSION`. */
const allowed: Readonly<Record<IssueStatus, ReadonlySet<IssueStatus>>> = {
  STATUS_OPEN: new Set(['STATUS_RESOLVED', 'STATUS_IGNORED']),
  STATUS_REGRESSION: new Set(['STATUS_RESOLVED', 'STATUS_IGNORED']),
  STATUS_RESOLVED: new Set(['STATUS_IGNORED', 'STATUS_OPEN']),
  STATUS_IGNORED: new Set(['STATUS_RESOLVED', 'STATUS_OPEN']),
}

/** Whether a person may move an issue so. The same status again is no move. */
export function canBecome(from: IssueStatus, to: IssueStatus): boolean {
  return allowed[from].has(to)
}

export interface Standing {
  readonly status: IssueStatus
  readonly decidedBy: 'scan' | 'person'
  readonly evidenceKey: string
}

/**
 * What an occurrence becomes when a scan sees it. `method` tells proof from inference: a version
 * match that a person has resolved stays resolved for as long as its evidence is the same, because
 * nothing new was learnt; a check that proves the weakness again always says so.
 */
export function onDetected(
  before: Standing | null,
  seen: { readonly method: string; readonly evidenceKey: string },
): IssueStatus {
  if (!before) return 'STATUS_OPEN'
  if (before.status !== 'STATUS_RESOLVED') return before.status
  const isOldNews =
    seen.method === 'version' && before.decidedBy === 'person' && before.evidenceKey === seen.evidenceKey
  return isOldNews ? 'STATUS_RESOLVED' : 'STATUS_REGRESSION'
}

/** From worst to best; an issue stands where the worst of its hosts stands. */
export const worstFirst: readonly IssueStatus[] = [
  'STATUS_REGRESSION',
  'STATUS_OPEN',
  'STATUS_IGNORED',
  'STATUS_RESOLVED',
]

/** The worst of these; resolved where there are none. */
export function worstOf(statuses: readonly IssueStatus[]): IssueStatus {
  return worstFirst.find((one) => statuses.includes(one)) ?? 'STATUS_RESOLVED'
}
