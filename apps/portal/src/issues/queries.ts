/** Issue queries. Mutations are in `mutations.ts`. */
import type { InputOf } from '@glacis/contract/endpoint'
import { issuesBySeverity, issuesByStatus, type StatusSeries, statsSummary } from '@glacis/contract/insights'
import { getIssue, type IssueFilter, type IssueStatus, listIssues, type Verification } from '@glacis/contract/issue'
import { listComments, listEvidence } from '@glacis/contract/triage'
import { listViews } from '@glacis/contract/view'
import { keepPreviousData } from '@tanstack/react-query'
import { query } from '#api/query.ts'
import { issuesInput, summaryInput } from '#issues/search.ts'

/** A status that a user can set. Only scans set regressions. */
export type SettableStatus = Exclude<IssueStatus, 'STATUS_REGRESSION'>

/** One page of issues. The previous page stays visible while the next one loads. */
export function list(input: InputOf<typeof listIssues>) {
  return { ...query(listIssues, input), placeholderData: keepPreviousData }
}

/** The list's default query, for prefetching. */
export function first(verification: Verification) {
  return list(issuesInput({}, verification))
}

export function detail(id: string) {
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

/** Totals of the workspace, including whether anything was ever scanned. */
export function summary() {
  return query(statsSummary, summaryInput)
}

/** The current number of open issues of a target or host, including regressions. */
export function openCount(of: Pick<IssueFilter, 'affectedTargetId' | 'affectedHostId'>) {
  return {
    ...query(issuesByStatus, { period: 'PERIOD_QUARTER', filter: of }),
    select: ({ open, regressive }: StatusSeries) => (open.at(-1) ?? 0) + (regressive.at(-1) ?? 0),
  }
}

/** The latest 100 comments on an issue. */
export function comments(id: string) {
  return query(listComments, { id, pageSize: 100 })
}

/** The evidence of an issue on one host, best first. */
export function evidence(id: string, hostId: string) {
  return query(listEvidence, { id, hostId, pageSize: 100 })
}

/** The best evidence of an issue on one host. */
export function bestEvidence(id: string, hostId: string) {
  return query(listEvidence, { id, hostId, pageSize: 1 })
}

export function views(page: string) {
  return query(listViews, { pageSize: 200, filter: { page } })
}
