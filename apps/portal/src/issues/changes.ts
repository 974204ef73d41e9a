/** What the portal changes about issues: shown at once, taken back when the server refuses, and what becomes stale. */
import type { InputOf, ResultOf } from '@glacis/contract/endpoint'
import { issuesBySeverity, issuesByStatus, statsSummary } from '@glacis/contract/insights'
import { getHost, listHosts } from '@glacis/contract/host'
import { listProducts } from '@glacis/contract/product'
import { getIssue, type Issue, listIssues, setHostStatus, setIssueStatus } from '@glacis/contract/issue'
import { getScan, listScans } from '@glacis/contract/scan'
import { getTarget, listTargets } from '@glacis/contract/target'
import {
  createComment,
  deleteComment,
  listComments,
  listEvidence,
  setStatusOfMany,
  updateIssue,
} from '@glacis/contract/triage'
import { createView, deleteView, listViews } from '@glacis/contract/view'
import { mutationOptions, type QueryClient } from '@tanstack/react-query'
import { call } from '#api/call.ts'
import { keyOf, refresh } from '#api/query.ts'
import { type ChosenStatus, one } from '#issues/queries.ts'

/** A status and, for ignoring, its terms. */
export type Decision = Omit<InputOf<typeof setIssueStatus>, 'id'>
/** Which issues a batch is about. */
export type Many = Pick<InputOf<typeof setStatusOfMany>, 'ids' | 'filter'>

/** Keys of everything that a change of status makes stale. */
const touchedByStatus = [
  keyOf(getIssue),
  ['/v1/ecosystem'],
  keyOf(issuesBySeverity),
  keyOf(issuesByStatus),
  keyOf(listIssues),
  keyOf(listEvidence),
  keyOf(statsSummary),
  ...[listTargets, getTarget, listHosts, getHost, listProducts, listScans, getScan].map((endpoint) => [endpoint.path]),
] as const

/** Refreshes what a change of status touches: the issue, the ecosystem, both statistics and every count. */
export function refreshAfterStatus(client: QueryClient): Promise<void> {
  return refresh(client, touchedByStatus)
}

/** Moves one issue. It is shown as moved at once; the answer is put where the issue is read. */
export function setStatus(client: QueryClient) {
  return mutationOptions({
    mutationKey: [setIssueStatus.path],
    mutationFn: (change: Decision & { readonly id: string }) => call(setIssueStatus, change),
    onMutate: ({ id, status }) => showAtOnce(client, new Set([id]), (issue) => ({ ...issue, status })),
    onError: (_error, _change, undo) => undo?.(),
    onSuccess: (answer, { id }) => client.setQueryData(one(id).queryKey, answer),
    onSettled: () => refreshAfterStatus(client),
  })
}

/** Moves an issue on one of its hosts. */
export function setStatusOnHost(client: QueryClient) {
  return mutationOptions({
    mutationKey: [setHostStatus.path],
    mutationFn: (change: Decision & { readonly id: string; readonly hostId: string }) => call(setHostStatus, change),
    onMutate: ({ id, hostId, status }) =>
      showAtOnce(client, new Set([id]), (issue) => ({
        ...issue,
        affectedHosts: issue.affectedHosts.map((one) => (one.host.id === hostId ? { ...one, status } : one)),
      })),
    onError: (_error, _change, undo) => undo?.(),
    onSuccess: (answer, { id }) => client.setQueryData(one(id).queryKey, answer),
    onSettled: () => refreshAfterStatus(client),
  })
}

/** Moves many issues with one call; those that are named are shown as moved at once. */
export function setStatusOfAll(client: QueryClient) {
  return mutationOptions({
    mutationKey: [setStatusOfMany.path],
    mutationFn: (change: Decision & Many) => call(setStatusOfMany, change),
    onMutate: ({ ids = [], status }) => showAtOnce(client, new Set(ids), (issue) => ({ ...issue, status })),
    onError: (_error, _change, undo) => undo?.(),
    onSettled: () => refreshAfterStatus(client),
  })
}

/**
 * Takes the decision about many issues back: each to the status it had, with the terms on which it was ignored. What
 * was a regression is open then. Whatever was decided since then stands, and the answer says of how many that is so.
 */
export async function takeBack(
  client: QueryClient,
  { before = [], decideTime }: Pick<ResultOf<typeof setStatusOfMany>, 'before' | 'decideTime'>,
): Promise<number> {
  const since = decideTime === undefined ? {} : { unchangedSinceTime: decideTime }
  let left = 0
  for (const { status, ...group } of before) {
    const chosen: ChosenStatus = status === 'STATUS_REGRESSION' ? 'STATUS_OPEN' : status
    const back = { ...group, status: chosen, ...since }
    // The call itself raises a notice when it fails.
    left += await call(setStatusOfMany, back).then(
      ({ skippedCount }) => skippedCount,
      () => 0,
    )
  }
  await refreshAfterStatus(client)
  return left
}

/**
 * Takes the decision about one issue back: to the status it had, with the terms on which it was ignored.
 * Whatever was decided since then stands, and the answer is false.
 */
export async function takeBackOne(
  client: QueryClient,
  { before, decided }: { readonly before: Issue; readonly decided: Issue },
): Promise<boolean> {
  const { id } = before
  try {
    const { issue: now } = await call(getIssue, { id })
    if (JSON.stringify(now.history) !== JSON.stringify(decided.history)) return false
    await call(setIssueStatus, { id, ...decisionOf(before) })
  } catch {
    // The calls themselves have raised a notice.
  } finally {
    await refreshAfterStatus(client)
  }
  return true
}

/** The decision by which something stands as it does. What was a regression is open when it is taken back. */
export function decisionOf({ status, ignored }: Pick<Issue, 'status' | 'ignored'>): Decision {
  if (status === 'STATUS_REGRESSION') return { status: 'STATUS_OPEN' }
  if (status !== 'STATUS_IGNORED' || !ignored?.reason) return { status }
  const { reason, comment, untilTime } = ignored
  return { status, reason, ...(comment && { comment }), ...(untilTime && { ignoreUntilTime: untilTime }) }
}

/**
 * Shows a change wherever the issues are read. Answers the way back, which leaves alone what was
 * read anew meanwhile.
 */
async function showAtOnce(
  client: QueryClient,
  ids: ReadonlySet<string>,
  change: (issue: Issue) => Issue,
): Promise<() => void> {
  const keys = [keyOf(getIssue), keyOf(listIssues)]
  await Promise.all(keys.map((queryKey) => client.cancelQueries({ queryKey })))
  const before = keys.flatMap((queryKey) => client.getQueriesData({ queryKey }))
  const moved = (issue: Issue) => (ids.has(issue.id) ? change(issue) : issue)
  client.setQueriesData({ queryKey: keyOf(getIssue) }, (data: ResultOf<typeof getIssue> | undefined) =>
    data?.issue ? { issue: moved(data.issue) } : data,
  )
  client.setQueriesData({ queryKey: keyOf(listIssues) }, (data: ResultOf<typeof listIssues> | undefined) =>
    data?.issues ? { ...data, issues: data.issues.map(moved) } : data,
  )
  return () => {
    for (const [key, data] of before) client.setQueryData(key, data)
  }
}

/** Gives an issue to a person or a date. */
export function assign(client: QueryClient) {
  return mutationOptions({
    mutationKey: [updateIssue.path],
    mutationFn: (input: InputOf<typeof updateIssue>) => call(updateIssue, input),
    onSuccess: async (answer, { id }) => {
      client.setQueryData(one(id).queryKey, answer)
      await refresh(client, [keyOf(listIssues)])
    },
  })
}

export function comment(client: QueryClient) {
  return mutationOptions({
    mutationKey: [createComment.path],
    mutationFn: (input: InputOf<typeof createComment>) => call(createComment, input),
    onSuccess: () => refresh(client, [keyOf(listComments)]),
  })
}

export function uncomment(client: QueryClient) {
  return mutationOptions({
    mutationKey: [deleteComment.path],
    mutationFn: (input: InputOf<typeof deleteComment>) => call(deleteComment, input),
    onSuccess: () => refresh(client, [keyOf(listComments)]),
  })
}

export function saveView(client: QueryClient) {
  return mutationOptions({
    mutationKey: [createView.path],
    mutationFn: (input: InputOf<typeof createView>) => call(createView, input),
    onSuccess: () => refresh(client, [keyOf(listViews)]),
  })
}

export function dropView(client: QueryClient) {
  return mutationOptions({
    mutationKey: [deleteView.path, 'delete'],
    mutationFn: (input: InputOf<typeof deleteView>) => call(deleteView, input),
    onSuccess: () => refresh(client, [keyOf(listViews)]),
  })
}
