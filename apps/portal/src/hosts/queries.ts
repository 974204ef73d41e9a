/** Host queries and mutations. */
import type { InputOf } from '@glacis/contract/endpoint'
import { affectedHostsOverTime } from '@glacis/contract/insights'
import { getHost, hostTimeline, listHosts, mergeHosts, splitHost, updateHost } from '@glacis/contract/host'
import { keepPreviousData, mutationOptions } from '@tanstack/react-query'
import { call } from '#api/call.ts'
import { keyOf, pages, query } from '#api/query.ts'
import { hostsInput } from '#hosts/search.ts'

export function list(input: InputOf<typeof listHosts>) {
  return { ...query(listHosts, input), placeholderData: keepPreviousData }
}

/** The list's default query, for prefetching. */
export function first() {
  return list(hostsInput({}))
}

export function detail(id: string) {
  return query(getHost, { id })
}

/** The number of hosts with at least one active issue over a period. */
export function affectedOverTime(input: InputOf<typeof affectedHostsOverTime>) {
  return { ...query(affectedHostsOverTime, input), placeholderData: keepPreviousData }
}

/** The events of a host, newest first. */
export function timeline(id: string) {
  return pages(keyOf(hostTimeline, { id }), (pageToken, options) =>
    call(hostTimeline, { id, pageSize: 20, pageToken }, options),
  )
}

export const update = mutationOptions({
  mutationFn: (change: InputOf<typeof updateHost>) => call(updateHost, change),
  onSuccess: (response, _variables, _result, { client }) =>
    client.setQueryData(detail(response.host.id).queryKey, response),
})

export const merge = mutationOptions({ mutationFn: (input: InputOf<typeof mergeHosts>) => call(mergeHosts, input) })

export const split = mutationOptions({ mutationFn: (id: string) => call(splitHost, { id }) })
