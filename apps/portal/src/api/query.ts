/** How calls become queries: one key per call, so that whoever changes something can name what is stale. */
import type { Endpoint, InputOf } from '@glacis/contract/endpoint'
import {
  MutationCache,
  notifyManager,
  QueryCache,
  QueryClient,
  type QueryKey,
  queryOptions,
  useQuery,
  type UseQueryOptions,
} from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import { call } from '#api/call.ts'
import { isFailure } from '#api/failure.ts'

/** Data that nothing on the page uses is kept for five minutes. */
const unusedDataMs = 5 * 60_000

/** What was read this long ago is not read again because something else shows it: a page begins with what its route has just asked for. */
const freshMs = 2000

/**
 * What the page remembers of everything it has read; one for as long as it is open. What is found to be gone is
 * forgotten, so that its page says so, and a change of something that is gone has everything on show looked at again.
 */
export function createQueryClient(): QueryClient {
  // A button is told that its change is under way before another press of it can arrive.
  notifyManager.setScheduler(queueMicrotask)
  const client = new QueryClient({
    // A browser that calls itself offline may well reach a server of this house or of its own machine: it is asked, and
    // what does not arrive has failed, as it has when the server is away. Nothing waits in silence.
    defaultOptions: {
      queries: { gcTime: unusedDataMs, staleTime: freshMs, networkMode: 'always', refetchOnReconnect: true },
      mutations: { networkMode: 'always' },
    },
    queryCache: new QueryCache({
      onError: (error, gone) => {
        if (isFailure(error, 404) && gone.state.data !== undefined) gone.setState({ data: undefined })
      },
    }),
    mutationCache: new MutationCache({
      onError: (error) => {
        if (isFailure(error, 404)) void refreshAll(client)
      },
    }),
  })
  return client
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

/** Reads anew what is on show of the API, and the rest when it is shown; a hidden tab waits until it is looked at. */
export function refreshAll(client: QueryClient): Promise<void> {
  return client.invalidateQueries({
    predicate: ({ queryKey: [path] }) => typeof path === 'string' && path.startsWith('/v1/'),
    refetchType: document.visibilityState === 'visible' ? 'active' : 'none',
  })
}

/** How often something that runs is asked for again, in milliseconds. A hidden tab does not ask. */
export const pollMs = 5000
