/** Maps API calls to queries, and defines how mutations refresh them. */
import type { Endpoint, InputOf } from '@glacis/contract/endpoint'
import {
  infiniteQueryOptions,
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

/** Unused query data is kept for five minutes. */
const unusedDataMs = 5 * 60_000

/**
 * Data younger than this isn't refetched when another component mounts, so a page reuses what its route's loader
 * fetched.
 */
const staleMs = 2000

/** A component that mounts this soon after a failure shows the error. Loaders, events, and "Try again" refetch. */
const failureShownMs = 30_000

/**
 * The page's query cache. A 404 drops the cached data, so that the page shows that the item no longer exists. Every
 * mutation, even a failed one, refreshes all data on screen and stays pending until that completes.
 */
export function createQueryClient(): QueryClient {
  // Notifies in a microtask, so that a button is disabled before it can be clicked again.
  notifyManager.setScheduler(queueMicrotask)
  const client = new QueryClient({
    // A browser that reports itself offline may still reach a local server. Requests are always sent, and fail if they
    // don't get through, instead of waiting silently.
    defaultOptions: {
      queries: {
        gcTime: unusedDataMs,
        staleTime: staleMs,
        networkMode: 'always',
        refetchOnReconnect: true,
        // Prevents a component from repeating a request that just failed in the loader, however long its code takes to
        // load.
        retryOnMount: ({ state }) => Date.now() - state.errorUpdatedAt > failureShownMs,
      },
      mutations: { networkMode: 'always' },
    },
    queryCache: new QueryCache({
      onError: (error, failedQuery) => {
        if (isFailure(error, 404) && failedQuery.state.data !== undefined) failedQuery.setState({ data: undefined })
      },
    }),
    mutationCache: new MutationCache({
      onSettled: (_data, _error, _variables, _result, { meta }) => refreshAll(client, meta),
    }),
  })
  return client
}

/** The key of all queries of an endpoint, or of those whose input starts with `input`. */
export function keyOf<E extends Endpoint>(endpoint: E, input?: InputOf<E>): QueryKey {
  return input === undefined ? [endpoint.path] : [endpoint.path, input]
}

/** Query options for an endpoint: aborted when unused, never retried. */
export function query<E extends Endpoint>(endpoint: E, input: InputOf<E>) {
  return queryOptions({
    queryKey: keyOf(endpoint, input),
    queryFn: ({ signal }) => call(endpoint, input, { signal }),
    retry: false,
  })
}

/** Query options for the pages of a list, one after the other; never retried. */
export function pages<Page extends { readonly nextPageToken: string }>(
  queryKey: QueryKey,
  load: (pageToken: string | undefined, options: { readonly signal: AbortSignal }) => Promise<Page>,
) {
  return infiniteQueryOptions({
    queryKey: [...queryKey, 'pages'],
    queryFn: ({ pageParam, signal }) => load(pageParam || undefined, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ nextPageToken }) => nextPageToken || undefined,
    retry: false,
  })
}

/**
 * A query for a view that is slow to render, such as a chart. It renders in the background, so that user input takes
 * priority; until then `data` is the previous value.
 */
export function useDeferredQuery<Data, Key extends QueryKey>(options: UseQueryOptions<Data, Error, Data, Key>) {
  const { data, isError, refetch } = useQuery(options)
  return { data: useDeferredValue(data), isError, refetch }
}

interface Scope {
  /** Prefix of the API paths to refresh; all by default. */
  readonly only?: string
  /** Prefix of the API paths to skip. */
  readonly except?: string
}
declare module '@tanstack/react-query' {
  interface Register {
    mutationMeta: Pick<Scope, 'except'>
  }
}

/**
 * Refetches the API data on screen immediately and the rest when it is next used. A hidden tab refetches when it
 * becomes visible.
 */
export function refreshAll(client: QueryClient, { only = '/v1/', except }: Scope = {}): Promise<void> {
  const isInScope = (path: string) => path.startsWith(only) && !(except && path.startsWith(except))
  return client.invalidateQueries({
    predicate: ({ queryKey: [path] }) => typeof path === 'string' && isInScope(path),
    refetchType: document.visibilityState === 'visible' ? 'active' : 'none',
  })
}

/** Polling interval while something is running, in milliseconds. Hidden tabs don't poll. */
export const pollMs = 5000
