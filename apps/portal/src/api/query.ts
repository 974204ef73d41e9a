/** How calls become queries: one key per call, so that whoever changes something can name what is stale. */
import type { Endpoint, InputOf } from '@glacis/contract/endpoint'
import { QueryClient, type QueryKey, queryOptions, useQuery, type UseQueryOptions } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import { call } from '#api/call.ts'

/** Data that nothing on the page uses is kept for five minutes. */
const unusedDataMs = 5 * 60_000

/** What was read this long ago is not read again because something else shows it: a page begins with what its route has just asked for. */
const freshMs = 2000

/** What the page remembers of everything it has read; one for as long as it is open. */
export function createQueryClient(): QueryClient {
  return new QueryClient({ defaultOptions: { queries: { gcTime: unusedDataMs, staleTime: freshMs } } })
}

/** Every reading of one call, or of its inputs that begin like `input`. */
export function keyOf<E extends Endpoint>(endpoint: E, input?: InputOf<E>): QueryKey {
  return input === undefined ? [endpoint.path] : [endpoint.path, input]
}

/** A reading of the API as a query: aborted when nobody waits for it, never retried. */
export function query<E extends Endpoint>(endpoint: E, input: InputOf<E>) {
  return queryOptions({
    queryKey: keyOf(endpoint, input),
    queryFn: ({ signal }) => call(endpoint, input, { signal }),
    retry: false,
  })
}

/**
 * A reading for something that takes long to draw, such as a chart: it is drawn bit by bit, and what somebody does
 * meanwhile goes first. Until that has been done, `data` is what it was.
 */
export function useDrawn<Data, Key extends QueryKey>(options: UseQueryOptions<Data, Error, Data, Key>) {
  const { data, isError, refetch } = useQuery(options)
  return { data: useDeferredValue(data), isError, refetch }
}

/** Marks every reading of these calls stale and refreshes those on screen. */
export async function refresh(client: QueryClient, keys: readonly QueryKey[]): Promise<void> {
  await Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })))
}

/** How often something that runs is asked for again, in milliseconds. A hidden tab does not ask. */
export const pollMs = 5000
