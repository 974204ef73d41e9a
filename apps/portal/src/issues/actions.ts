/** Status changes a user can make to an issue. They depend only on its current status. */
import type { IssueStatus } from '@glacis/contract/issue'
import type { SettableStatus } from '#issues/queries.ts'

export const actionLabels: Readonly<Record<SettableStatus, string>> = {
  STATUS_RESOLVED: 'Resolve',
  STATUS_IGNORED: 'Ignore',
  STATUS_OPEN: 'Reopen',
}

/** Past tense, for confirmation messages. */
export const pastTenseLabels: Readonly<Record<SettableStatus, string>> = {
  STATUS_RESOLVED: 'Resolved',
  STATUS_IGNORED: 'Ignored',
  STATUS_OPEN: 'Reopened',
}

/** In display order. Mirrors the server's table of allowed transitions. */
export function availableActions(status: IssueStatus): SettableStatus[] {
  const actions: SettableStatus[] = []
  if (status !== 'STATUS_RESOLVED') actions.push('STATUS_RESOLVED')
  if (status !== 'STATUS_IGNORED') actions.push('STATUS_IGNORED')
  if (status !== 'STATUS_OPEN' && status !== 'STATUS_REGRESSION') actions.push('STATUS_OPEN')
  return actions
}

/** Actions that apply to every issue of a selection. */
export function commonActions(statuses: readonly IssueStatus[]): SettableStatus[] {
  const [first, ...others] = statuses
  if (!first) return []
  return availableActions(first).filter((action) => others.every((status) => availableActions(status).includes(action)))
}
