/** What the portal asks of hosts. */
import { type InputOf } from '@glacis/contract/endpoint'
import { affectedHostsOverTime } from '@glacis/contract/insights'
import { getHost, hostTimeline, listHosts, mergeHosts, splitHost, updateHost } from '@glacis/contract/host'
import { listIssues } from '@glacis/contract/issue'
import { infiniteQueryOptions, keepPreviousData, mutationOptions, type QueryClient } from '@tanstack/react-query'
import { call } from '#api/call.ts'
import { keyOf, query, refresh } from '#api/query.ts'
import { hostsInput } from '#hosts/search.ts'

export function list(input: InputOf<typeof listHosts>) {
  return { ...query(listHosts, input), placeholderData: keepPreviousData }
}

/** What the page of the list begins with. */
export function first() {
  return list(hostsInput({}))
}

export function one(id: string) {
  return query(getHost, { id })
}

/** Hosts with at least one active issue, over a period. */
export function affectedOverTime(input: InputOf<typeof affectedHostsOverTime>) {
  return { ...query(affectedHostsOverTime, input), placeholderData: keepPreviousData }
}

/** What happened on a host, newest first, page by page. */
export function timeline(id: string) {
  return infiniteQueryOptions({
    queryKey: [...keyOf(hostTimeline, { id }), 'pages'],
    queryFn: ({ pageParam, signal }) =>
      call(hostTimeline, { id, pageSize: 20, pageToken: pageParam || undefined }, { signal }),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextPageToken || undefined,
    retry: false,
  })
}

const touched = [listHosts, getHost, hostTimeline, listIssues].map((endpoint) => [endpoint.path])

export function update(client: QueryClient) {
  return mutationOptions({
    mutationKey: [updateHost.path],
    mutationFn: (change: InputOf<typeof updateHost>) => call(updateHost, change),
    onSuccess: (answer) => {
      client.setQueryData(one(answer.host.id).queryKey, answer)
      return refresh(client, touched)
    },
  })
}

export function merge(client: QueryClient) {
  return mutationOptions({
    mutationKey: [mergeHosts.path],
    mutationFn: (input: InputOf<typeof mergeHosts>) => call(mergeHosts, input),
    onSuccess: () => refresh(client, touched),
  })
}

export function split(client: QueryClient) {
  return mutationOptions({
    mutationKey: [splitHost.path],
    mutationFn: (id: string) => call(splitHost, { id }),
    onSuccess: () => refresh(client, touched),
  })
}
