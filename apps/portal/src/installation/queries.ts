/** Queries and mutations of installation administrators. */
import {
  checkInstallation,
  getInstallation,
  listAccounts,
  listAllWorkspaces,
  listInstallationFeeds,
  listQueues,
  retryJob,
  sendTestEmail,
  setAccountState,
  setInstallationNetworks,
} from '@glacis/contract/installation'
import type { InputOf } from '@glacis/contract/endpoint'
import { infiniteQueryOptions, mutationOptions, queryOptions } from '@tanstack/react-query'
import { call } from '#api/call.ts'
import { pollMs, query } from '#api/query.ts'

const pageSize = 20
const paging = {
  initialPageParam: '',
  getNextPageParam: ({ nextPageToken }: { nextPageToken: string }) => nextPageToken || undefined,
  retry: false,
} as const

/** Fails for everyone but administrators; the page shows why. */
export function installation() {
  return queryOptions({
    ...query(getInstallation, {}),
    queryFn: ({ signal }) => call(getInstallation, {}, { signal, isFailureShown: true }),
  })
}

export function checks() {
  return query(checkInstallation, {})
}

export function feeds() {
  return query(listInstallationFeeds, {})
}

export function queues() {
  return { ...query(listQueues, {}), refetchInterval: pollMs }
}

/** @param text part of a name or address */
export function accounts(text: string) {
  return infiniteQueryOptions({
    queryKey: [listAccounts.path, text],
    queryFn: ({ pageParam, signal }) =>
      call(
        listAccounts,
        { pageSize, ...(text && { query: text }), ...(pageParam && { pageToken: pageParam }) },
        { signal },
      ),
    ...paging,
  })
}

export function allWorkspaces() {
  return infiniteQueryOptions({
    queryKey: [listAllWorkspaces.path],
    queryFn: ({ pageParam, signal }) =>
      call(listAllWorkspaces, { pageSize, ...(pageParam && { pageToken: pageParam }) }, { signal }),
    ...paging,
  })
}

export const changeState = mutationOptions({
  mutationFn: (change: InputOf<typeof setAccountState>) => call(setAccountState, change),
})

export const retry = mutationOptions({ mutationFn: (id: string) => call(retryJob, { id }) })

export const testEmail = mutationOptions({ mutationFn: () => call(sendTestEmail, {}) })

export async function saveNetworks(change: InputOf<typeof setInstallationNetworks>): Promise<string[]> {
  return (await call(setInstallationNetworks, change, { isFailureShown: true })).installation.signInNetworks
}
