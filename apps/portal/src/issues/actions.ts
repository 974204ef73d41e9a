/** Which changes are offered for an issue. The status alone decides. */
import type { IssueStatus } from '@glacis/contract/issue'
import type { ChosenStatus } from '#issues/queries.ts'

export const actionWords: Readonly<Record<ChosenStatus, string>> = {
  STATUS_RESOLVED: 'Resolve',
  STATUS_IGNORED: 'Ignore',
  STATUS_OPEN: 'Reopen',
}

/** What is said once a change has been made. */
export const doneWords: Readonly<Record<ChosenStatus, string>> = {
  STATUS_RESOLVED: 'Resolved',
  STATUS_IGNORED: 'Ignored',
  STATUS_OPEN: 'Reopened',
}

/** Resolve unless resolved, ignore unless ignored, reopen when neither open nor regression; in this order. */
export function offered(status: IssueStatus): ChosenStatus[] {
  const actions: ChosenStatus[] = []
  if (status !== 'STATUS_RESOLVED') actions.push('STATUS_RESOLVED')
  if (status !== 'STATUS_IGNORED') actions.push('STATUS_IGNORED')
  if (status !== 'STATUS_OPEN' && status !== 'STATUS_REGRESSION') actions.push('STATUS_OPEN')
  return actions
}

/** What can be done to all of a selection at once. */
export function offeredForAll(statuses: readonly IssueStatus[]): ChosenStatus[] {
  const [first, ...others] = statuses
  if (!first) return []
  return offered(first).filter((action) => others.every((status) => offered(status).includes(action)))
}
