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
import { mutationOptions, queryOptions } from '@tanstack/react-query'
import { call } from '#api/call.ts'
import { keyOf, pages, pollMs, query } from '#api/query.ts'

const pageSize = 20

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
  const query = text || undefined
  return pages(keyOf(listAccounts, { query }), (pageToken, options) =>
    call(listAccounts, { query, pageSize, pageToken }, options),
  )
}

export function allWorkspaces() {
  return pages(keyOf(listAllWorkspaces), (pageToken, options) =>
    call(listAllWorkspaces, { pageSize, pageToken }, options),
  )
}

export const changeState = mutationOptions({
  mutationFn: (change: InputOf<typeof setAccountState>) => call(setAccountState, change),
})

export const retry = mutationOptions({ mutationFn: (id: string) => call(retryJob, { id }) })

export const testEmail = mutationOptions({ mutationFn: () => call(sendTestEmail, {}) })

export async function saveNetworks(change: InputOf<typeof setInstallationNetworks>): Promise<string[]> {
  return (await call(setInstallationNetworks, change, { isFailureShown: true })).installation.signInNetworks
}
