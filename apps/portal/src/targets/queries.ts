/** Queries and mutations for targets and tags. */
import type { InputOf, ResultOf } from '@glacis/contract/endpoint'
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
import { keyOf, query } from '#api/query.ts'
import { createTargets } from '#targets/create-targets.ts'
import { addressesToParse, parseEntries, toVerdicts } from '#targets/address-list.ts'
import { splitPort } from '#targets/form.ts'
import { targetsInput } from '#targets/search.ts'

export function list(input: InputOf<typeof listTargets>) {
  return { ...query(listTargets, input), placeholderData: keepPreviousData }
}

/** The first page of the list without filters, for the route loader. */
export function first() {
  return list(targetsInput({}))
}

/** The maximum page of targets, for menus and pickers. */
export function all() {
  return list({ pageSize: 500 })
}

/** Counts above this are shown as "more than 24". */
export const maxAttentionCount = 24

/** Targets in a state that needs attention, just enough to count them up to `maxAttentionCount`. */
export function inState(state: TargetState) {
  return list({ pageSize: maxAttentionCount + 1, filter: { states: [state] } })
}

export function detail(id: string) {
  return query(getTarget, { id })
}

export function tags() {
  return query(listTags, {})
}

/**
 * The server's parse result for an address, or for the host of `HOST:PORT`. It never goes stale: it depends only on the
 * text and the targets.
 */
export function parsedAddress(address: string) {
  return {
    ...query(parseTargets, { addresses: [splitPort(address)?.host ?? address] }),
    staleTime: Number.POSITIVE_INFINITY,
  }
}

/** The verdict on each address of a list. The previous result stays visible while a new one loads. */
export function parsedList(text: string) {
  const entries = parseEntries(text)
  const addresses = addressesToParse(entries)
  return queryOptions({
    queryKey: [parseTargets.path, 'list', text],
    queryFn: async ({ signal }) => {
      const { results } = addresses.length === 0 ? { results: [] } : await call(parseTargets, { addresses }, { signal })
      return toVerdicts(entries, results)
    },
    retry: false,
    placeholderData: keepPreviousData,
  })
}

export const create = mutationOptions({
  mutationFn: (target: InputOf<typeof createTarget>) => call(createTarget, target),
})

/** Creates many targets sequentially; the result lists created and rejected ones. */
export const createMany = mutationOptions({ mutationFn: createTargets })

export const update = mutationOptions({
  mutationFn: (change: InputOf<typeof updateTarget>) => call(updateTarget, change),
})

type TargetPage = ResultOf<typeof listTargets>

function withoutTarget(page: TargetPage | undefined, id: string): TargetPage | undefined {
  return page && { ...page, targets: page.targets.filter((target) => target.id !== id) }
}

/** Removes a deleted target from the cache. */
export function removeFromCache(client: QueryClient, id: string): void {
  client.removeQueries({ queryKey: detail(id).queryKey })
}

export const remove = mutationOptions({
  mutationFn: (id: string) => call(deleteTarget, { id }),
  // The deleted target's page is still on screen.
  meta: { except: getTarget.path },
  onSuccess: (_data, id, _result, { client }) =>
    client.setQueriesData<TargetPage>({ queryKey: keyOf(listTargets) }, (page) => withoutTarget(page, id)),
})

/** Bulk update; the result lists skipped targets with reasons. */
export const changeMany = mutationOptions({
  mutationFn: (change: InputOf<typeof changeTargets>) => call(changeTargets, change),
})

export const removeMany = mutationOptions({
  mutationFn: (ids: readonly string[]) => call(deleteTargets, { ids: [...ids] }),
})

/** Returns the existing tag if one has the same name. */
export const createTagMutation = mutationOptions({
  mutationFn: (tag: InputOf<typeof createTag>['tag']) => call(createTag, { tag }),
})
