/** What the portal asks of issues. What it changes is in `changes.ts`. */
import { type InputOf } from '@glacis/contract/endpoint'
import { issuesBySeverity, issuesByStatus, type StatusSeries, statsSummary } from '@glacis/contract/insights'
import { getIssue, type IssueFilter, type IssueStatus, listIssues, type Verification } from '@glacis/contract/issue'
import { listComments, listEvidence } from '@glacis/contract/triage'
import { listViews } from '@glacis/contract/view'
import { keepPreviousData } from '@tanstack/react-query'
import { query } from '#api/query.ts'
import { issuesInput, standingInput } from '#issues/search.ts'

/** The status that a person can choose. */
export type ChosenStatus = Exclude<IssueStatus, 'STATUS_REGRESSION'>

/** One page of issues; the page before stays on screen while the next one is on its way. */
export function list(input: InputOf<typeof listIssues>) {
  return { ...query(listIssues, input), placeholderData: keepPreviousData }
}

/** What the page of the list begins with. */
export function first(verification: Verification) {
  return list(issuesInput({}, verification))
}

export function one(id: string) {
  return query(getIssue, { id })
}

/** Active issues by severity over a period. */
export function bySeverity(input: InputOf<typeof issuesBySeverity>) {
  return { ...query(issuesBySeverity, input), placeholderData: keepPreviousData }
}

/** Issues by status over a period; the last point is now. */
export function byStatus(input: InputOf<typeof issuesByStatus>) {
  return { ...query(issuesByStatus, input), placeholderData: keepPreviousData }
}

/** The figures of everything at once; whether anything was scanned is among them. */
export function summary() {
  return query(statsSummary, standingInput)
}

/** How many issues of a target or a host are open now, regressions among them. */
export function openNow(of: Pick<IssueFilter, 'affectedTargetId' | 'affectedHostId'>) {
  return {
    ...query(issuesByStatus, { period: 'PERIOD_QUARTER', filter: of }),
    select: ({ open, regressive }: StatusSeries) => (open.at(-1) ?? 0) + (regressive.at(-1) ?? 0),
  }
}

/** The comments on an issue; a hundred are more than anybody reads. */
export function comments(id: string) {
  return query(listComments, { id, pageSize: 100 })
}

/** The proofs of an issue on one host. */
export function evidence(id: string, hostId: string) {
  return query(listEvidence, { id, hostId, pageSize: 100 })
}

/** The best proof of an issue on one host. */
export function bestEvidence(id: string, hostId: string) {
  return query(listEvidence, { id, hostId, pageSize: 1 })
}

/** The saved views of a page. */
export function views(page: string) {
  return query(listViews, { pageSize: 200, filter: { page } })
}
