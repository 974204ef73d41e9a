/** What the portal asks of issues, and what a change makes stale. */
import { type InputOf } from '@glacis/contract/endpoint'
import { issuesBySeverity, issuesByStatus, type StatusSeries, statsSummary } from '@glacis/contract/insights'
import { getIssue, type IssueFilter, type IssueStatus, listIssues, setIssueStatus } from '@glacis/contract/issue'
import { getHost, listHosts, listProducts } from '@glacis/contract/inventory'
import { getScan, listScans } from '@glacis/contract/scan'
import { getTarget, listTargets } from '@glacis/contract/target'
import { keepPreviousData, mutationOptions, type QueryClient } from '@tanstack/react-query'
import { call } from '#api/call.ts'
import { keyOf, query, refresh } from '#api/query.ts'

/** The status that a person can choose. */
export type ChosenStatus = Exclude<IssueStatus, 'STATUS_REGRESSION'>

/** One page of issues; the page before stays on screen while the next one is on its way. */
export function list(input: InputOf<typeof listIssues>) {
  return { ...query(listIssues, input), placeholderData: keepPreviousData }
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
  return query(statsSummary, { period: 'PERIOD_QUARTER' })
}

/** How many issues of a target or a host are open now, regressions among them. */
export function openNow(of: Pick<IssueFilter, 'affectedTargetId' | 'affectedHostId'>) {
  return {
    ...query(issuesByStatus, { period: 'PERIOD_QUARTER', filter: of }),
    select: ({ open, regressive }: StatusSeries) => (open.at(-1) ?? 0) + (regressive.at(-1) ?? 0),
  }
}

/** Keys of everything that a change of status makes stale. */
const touchedByStatus = [
  keyOf(getIssue),
  ['/v1/ecosystem'],
  keyOf(issuesBySeverity),
  keyOf(issuesByStatus),
  keyOf(listIssues),
  keyOf(statsSummary),
  ...[listTargets, getTarget, listHosts, getHost, listProducts, listScans, getScan].map((endpoint) => [endpoint.path]),
] as const

/** One PUT, and nothing else: whoever changes many refreshes once at the end. */
export function changeStatus(change: { readonly id: string; readonly status: ChosenStatus }) {
  return call(setIssueStatus, change)
}

/** Refreshes what a change of status touches: the issue, the ecosystem, both statistics and every count. */
export function refreshAfterStatus(client: QueryClient): Promise<void> {
  return refresh(client, touchedByStatus)
}

/** Changes one issue. The answer is put where the issue is read, then everything it touches is refreshed. */
export function setStatus(client: QueryClient) {
  return mutationOptions({
    mutationKey: [setIssueStatus.path],
    mutationFn: changeStatus,
    onSuccess: async (answer, { id }) => {
      client.setQueryData(one(id).queryKey, answer)
      await refreshAfterStatus(client)
    },
  })
}
