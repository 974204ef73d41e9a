/** What the portal asks of targets. */
import { type InputOf } from '@glacis/contract/endpoint'
import { statsSummary } from '@glacis/contract/insights'
import { getSubscription } from '@glacis/contract/account'
import { listScans } from '@glacis/contract/scan'
import {
  createTag,
  createTarget,
  deleteTarget,
  getTarget,
  listTags,
  listTargets,
  parseTargets,
  updateTarget,
} from '@glacis/contract/target'
import { keepPreviousData, mutationOptions, type QueryClient } from '@tanstack/react-query'
import { call } from '#api/call.ts'
import { keyOf, query, refresh } from '#api/query.ts'

export function list(input: InputOf<typeof listTargets>) {
  return { ...query(listTargets, input), placeholderData: keepPreviousData }
}

/** As many targets as one answer holds, for menus and pickers. */
export function all() {
  return list({ pageSize: 500 })
}

export function one(id: string) {
  return query(getTarget, { id })
}

export function tags() {
  return query(listTags, {})
}

/** How the server would understand an address. The answer for one text never changes. */
export function understood(address: string) {
  return { ...query(parseTargets, { addresses: [address] }), staleTime: Number.POSITIVE_INFINITY }
}

const touched = [listTargets, getTarget, statsSummary, getSubscription, listScans].map((endpoint) => [endpoint.path])

export function create(client: QueryClient) {
  return mutationOptions({
    mutationKey: [createTarget.path],
    mutationFn: (target: InputOf<typeof createTarget>) => call(createTarget, target),
    onSuccess: () => refresh(client, touched),
  })
}

export function update(client: QueryClient) {
  return mutationOptions({
    mutationKey: [updateTarget.path],
    mutationFn: (change: InputOf<typeof updateTarget>) => call(updateTarget, change),
    onSuccess: () => refresh(client, touched),
  })
}

export function remove(client: QueryClient) {
  return mutationOptions({
    mutationKey: [deleteTarget.path],
    mutationFn: (id: string) => call(deleteTarget, { id }),
    onSuccess: async (_, id) => {
      client.removeQueries({ queryKey: one(id).queryKey })
      await refresh(client, [...touched, ['/v1/hosts'], ['/v1/issues'], ['/v1/ecosystem']])
    },
  })
}

/** A name that exists already gives back the tag of that name. */
export function makeTag(client: QueryClient) {
  return mutationOptions({
    mutationKey: [createTag.path],
    mutationFn: (tag: InputOf<typeof createTag>['tag']) => call(createTag, { tag }),
    onSuccess: () => refresh(client, [keyOf(listTags)]),
  })
}
