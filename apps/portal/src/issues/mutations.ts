/** Issue mutations. Status changes update optimistically and roll back if the call fails. */
import type { InputOf, ResultOf } from '@glacis/contract/endpoint'
import { getIssue, type Issue, listIssues, setHostStatus, setIssueStatus } from '@glacis/contract/issue'
import { createComment, deleteComment, setStatusOfMany, updateIssue, updateManyIssues } from '@glacis/contract/triage'
import { createView, deleteView, updateView } from '@glacis/contract/view'
import { mutationOptions, type QueryClient } from '@tanstack/react-query'
import { call } from '#api/call.ts'
import { keyOf, refreshAll } from '#api/query.ts'
import { type SettableStatus, detail } from '#issues/queries.ts'

/** A status and, when ignoring, the reason, comment, and end. */
export type StatusChange = Omit<InputOf<typeof setIssueStatus>, 'id'>
/** The issues of a bulk change, by ID or by filter. */
export type BulkSelection = Pick<InputOf<typeof setStatusOfMany>, 'ids' | 'filter'>

export const setStatus = mutationOptions({
  mutationFn: (change: StatusChange & { readonly id: string }) => call(setIssueStatus, change),
  onMutate: ({ id, status }, { client }) =>
    updateOptimistically(client, new Set([id]), (issue) => ({ ...issue, status })),
  onError: (_error, _change, undo) => undo?.(),
  onSuccess: (response, { id }, _, { client }) => client.setQueryData(detail(id).queryKey, response),
})

/** Changes the status on a single affected host. */
export const setStatusOnHost = mutationOptions({
  mutationFn: (change: StatusChange & { readonly id: string; readonly hostId: string }) => call(setHostStatus, change),
  onMutate: ({ id, hostId, status }, { client }) =>
    updateOptimistically(client, new Set([id]), (issue) => ({
      ...issue,
      affectedHosts: issue.affectedHosts.map((affectedHost) =>
        affectedHost.host.id === hostId ? { ...affectedHost, status } : affectedHost,
      ),
    })),
  onError: (_error, _change, undo) => undo?.(),
  onSuccess: (response, { id }, _, { client }) => client.setQueryData(detail(id).queryKey, response),
})

/** Only issues given by ID update optimistically: the client can't tell which others match a filter. */
export const setStatusInBulk = mutationOptions({
  mutationFn: (change: StatusChange & BulkSelection) => call(setStatusOfMany, change),
  onMutate: ({ ids = [], status }, { client }) =>
    updateOptimistically(client, new Set(ids), (issue) => ({ ...issue, status })),
  onError: (_error, _change, undo) => undo?.(),
})

/**
 * Undoes a bulk change: restores each issue's previous status and ignore terms. A regression becomes open, because only
 * a scan can set that status.
 *
 * @returns how many issues were skipped because they changed in the meantime
 */
export async function undoBulkChange(
  client: QueryClient,
  { before = [], decideTime }: Pick<ResultOf<typeof setStatusOfMany>, 'before' | 'decideTime'>,
): Promise<number> {
  const since = decideTime === undefined ? {} : { unchangedSinceTime: decideTime }
  const requests = before.map(({ status, ...group }) => {
    const chosen: SettableStatus = status === 'STATUS_REGRESSION' ? 'STATUS_OPEN' : status
    return () => call(setStatusOfMany, { ...group, status: chosen, ...since })
  })
  return undoAll(client, requests)
}

/** Runs the requests one after another, and returns how many issues they skipped. */
async function undoAll(
  client: QueryClient,
  requests: readonly (() => Promise<{ readonly skippedCount: number }>)[],
): Promise<number> {
  let left = 0
  for (const request of requests) {
    // `call` already shows a toast on failure.
    left += await request().then(
      ({ skippedCount }) => skippedCount,
      () => 0,
    )
  }
  await refreshAll(client)
  return left
}

/** The changed fields of a bulk update. */
export type BulkUpdate = InputOf<typeof updateManyIssues>['issue']

/** Assigns several issues, or sets their due date. */
export const updateInBulk = mutationOptions({
  mutationFn: ({ issue, ...selection }: BulkSelection & { readonly issue: BulkUpdate }) =>
    call(updateManyIssues, { ...selection, issue, updateMask: { paths: Object.keys(issue) } }),
})

/**
 * Undoes a bulk update: restores each issue's previous values.
 *
 * @returns how many issues were skipped because someone changed the same fields in the meantime
 */
export async function undoBulkUpdate(
  client: QueryClient,
  {
    before = [],
    issue: expectedIssue,
  }: Pick<ResultOf<typeof updateManyIssues>, 'before'> & { readonly issue: BulkUpdate },
): Promise<number> {
  const updateMask = { paths: Object.keys(expectedIssue) }
  const requests = before.map((group) => () => call(updateManyIssues, { ...group, updateMask, expectedIssue }))
  return undoAll(client, requests)
}

/**
 * Undoes a change to one issue: restores its previous status and ignore terms.
 *
 * @returns false if the issue changed in the meantime and was left unchanged
 */
export async function undoStatusChange(
  client: QueryClient,
  { before, changed }: { readonly before: Issue; readonly changed: Issue },
): Promise<boolean> {
  const { id } = before
  try {
    const { issue: now } = await call(getIssue, { id })
    if (JSON.stringify(now.history) !== JSON.stringify(changed.history)) return false
    await call(setIssueStatus, { id, ...changeThatRestores(before) })
  } catch {
    // `call` already shows a toast on failure.
  } finally {
    await refreshAll(client)
  }
  return true
}

/** The decision that restores the current status. Only a scan can set a regression, so that becomes open. */
export function changeThatRestores({ status, ignored }: Pick<Issue, 'status' | 'ignored'>): StatusChange {
  if (status === 'STATUS_REGRESSION') return { status: 'STATUS_OPEN' }
  if (status !== 'STATUS_IGNORED' || !ignored?.reason) return { status }
  const { reason, comment, untilTime } = ignored
  return {
    status,
    reason,
    ...(comment && { comment }),
    ...(untilTime && { ignoreUntilTime: untilTime }),
  }
}

/** Applies a change to the cached issues and lists. Returns the rollback. */
async function updateOptimistically(
  client: QueryClient,
  ids: ReadonlySet<string>,
  change: (issue: Issue) => Issue,
): Promise<() => void> {
  const keys = [keyOf(getIssue), keyOf(listIssues)]
  await Promise.all(keys.map((queryKey) => client.cancelQueries({ queryKey })))
  const before = keys.flatMap((queryKey) => client.getQueriesData({ queryKey }))
  const updated = (issue: Issue) => (ids.has(issue.id) ? change(issue) : issue)
  client.setQueriesData({ queryKey: keyOf(getIssue) }, (data: ResultOf<typeof getIssue> | undefined) =>
    data?.issue ? { issue: updated(data.issue) } : data,
  )
  client.setQueriesData({ queryKey: keyOf(listIssues) }, (data: ResultOf<typeof listIssues> | undefined) =>
    data?.issues ? { ...data, issues: data.issues.map(updated) } : data,
  )
  return () => {
    for (const [key, data] of before) client.setQueryData(key, data)
  }
}

/** Updates assignee, due date, or tags. */
export const editIssue = mutationOptions({
  mutationFn: (input: InputOf<typeof updateIssue>) => call(updateIssue, input),
  onSuccess: (response, { id }, _, { client }) => client.setQueryData(detail(id).queryKey, response),
})

export const addComment = mutationOptions({
  mutationFn: (input: InputOf<typeof createComment>) => call(createComment, input),
})

export const removeComment = mutationOptions({
  mutationFn: (input: InputOf<typeof deleteComment>) => call(deleteComment, input),
})

export const saveView = mutationOptions({ mutationFn: (input: InputOf<typeof createView>) => call(createView, input) })

export const shareView = mutationOptions({
  mutationFn: ({ id, shared }: { readonly id: string; readonly shared: boolean }) =>
    call(updateView, { id, view: { shared }, updateMask: { paths: ['shared'] } }),
})

export const removeView = mutationOptions({
  mutationFn: (input: InputOf<typeof deleteView>) => call(deleteView, input),
})
