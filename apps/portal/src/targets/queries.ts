/** What the portal asks of targets. */
import { getAgent, listAgents } from '@glacis/contract/agent'
import type { InputOf, ResultOf } from '@glacis/contract/endpoint'
import { statsSummary } from '@glacis/contract/insights'
import { getSubscription } from '@glacis/contract/account'
import { listScans } from '@glacis/contract/scan'
import { createTag, listTags } from '@glacis/contract/tag'
import {
  changeTargets,
  createTarget,
  deleteTarget,
  deleteTargets,
  getTarget,
  listTargets,
  parseTargets,
  type TargetState,
  updateTarget,
} from '@glacis/contract/target'
import { keepPreviousData, mutationOptions, type QueryClient, queryOptions } from '@tanstack/react-query'
import { call } from '#api/call.ts'
import { keyOf, query, refresh } from '#api/query.ts'
import { createEach } from '#targets/create-each.ts'
import { askable, entriesOf, verdictsOf } from '#targets/many.ts'
import { targetsInput } from '#targets/search.ts'

export function list(input: InputOf<typeof listTargets>) {
  return { ...query(listTargets, input), placeholderData: keepPreviousData }
}

/** What the page of the list begins with. */
export function first() {
  return list(targetsInput({}))
}

/** As many targets as one answer holds, for menus and pickers. */
export function all() {
  return list({ pageSize: 500 })
}

/** More targets than this in one state are told as "more than". */
export const attentionMax = 24

/** The first targets in a state, to say how many need somebody. */
export function inState(state: TargetState) {
  return list({ pageSize: attentionMax + 1, filter: { states: [state] } })
}

export function one(id: string) {
  return query(getTarget, { id })
}

export function tags() {
  return query(listTags, {})
}

/** How the server would understand an address. The answer for one text changes with the targets alone. */
export function understood(address: string) {
  return { ...query(parseTargets, { addresses: [address] }), staleTime: Number.POSITIVE_INFINITY }
}

/** What becomes of each address of a list; what was said of the list before stands until then. */
export function readList(text: string) {
  const entries = entriesOf(text)
  const addresses = askable(entries)
  return queryOptions({
    queryKey: [parseTargets.path, 'list', text],
    queryFn: async ({ signal }) => {
      const { results } = addresses.length === 0 ? { results: [] } : await call(parseTargets, { addresses }, { signal })
      return verdictsOf(entries, results)
    },
    retry: false,
    placeholderData: keepPreviousData,
  })
}

const touched = [
  listTargets,
  getTarget,
  parseTargets,
  statsSummary,
  getSubscription,
  listScans,
  listAgents,
  getAgent,
].map((endpoint) => [endpoint.path])

export function create(client: QueryClient) {
  return mutationOptions({
    mutationKey: [createTarget.path],
    mutationFn: (target: InputOf<typeof createTarget>) => call(createTarget, target),
    onSuccess: () => refresh(client, touched),
  })
}

/** Makes many, one after the other: the answer tells what became of each. */
export function createMany(client: QueryClient) {
  return mutationOptions({
    mutationKey: [createTarget.path, 'many'],
    mutationFn: createEach,
    onSettled: () => refresh(client, touched),
  })
}

export function update(client: QueryClient) {
  return mutationOptions({
    mutationKey: [updateTarget.path],
    mutationFn: (change: InputOf<typeof updateTarget>) => call(updateTarget, change),
    onSuccess: () => refresh(client, touched),
  })
}

type TargetPage = ResultOf<typeof listTargets>

function without(page: TargetPage | undefined, id: string): TargetPage | undefined {
  return page && { ...page, targets: page.targets.filter((target) => target.id !== id) }
}

const touchedByRemoval = [
  ...touched.filter(([path]) => path !== getTarget.path),
  ...['/v1/hosts', '/v1/products', '/v1/issues', '/v1/stats/issues-by-severity', '/v1/stats/issues-by-status'].map(
    (path) => [path],
  ),
  ['/v1/ecosystem'],
]

/** Forgets a target that is gone. */
export function forget(client: QueryClient, id: string): void {
  client.removeQueries({ queryKey: one(id).queryKey })
}

export function remove(client: QueryClient) {
  return mutationOptions({
    mutationKey: [deleteTarget.path],
    mutationFn: (id: string) => call(deleteTarget, { id }),
    onSuccess: (_, id) => {
      // Lists lose it at once. The target itself is still on screen: whoever leaves its page forgets it.
      client.setQueriesData<TargetPage>({ queryKey: keyOf(listTargets) }, (page) => without(page, id))
      void refresh(client, touchedByRemoval)
    },
  })
}

/** Changes many at once; the answer says which were left out, and why. */
export function changeMany(client: QueryClient) {
  return mutationOptions({
    mutationKey: [changeTargets.path],
    mutationFn: (change: InputOf<typeof changeTargets>) => call(changeTargets, change),
    onSuccess: () => refresh(client, touched),
  })
}

export function removeMany(client: QueryClient) {
  return mutationOptions({
    mutationKey: [deleteTargets.path],
    mutationFn: (ids: readonly string[]) => call(deleteTargets, { ids: [...ids] }),
    onSuccess: () => refresh(client, [...touched, ...touchedByRemoval]),
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
