/** Queries for the graph and for its layout, which is computed in the browser. */
import type { InputOf } from '@glacis/contract/endpoint'
import { getEcosystem } from '@glacis/contract/insights'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { query } from '#api/query.ts'
import type { LayoutResult, LayoutRequest } from '#graph/layout-worker.ts'
import type { MapGraph } from '#graph/model.ts'
import { ecosystemInput } from '#graph/search.ts'

export function ecosystem(input: InputOf<typeof getEcosystem>) {
  return { ...query(getEcosystem, input), placeholderData: keepPreviousData }
}

/** The map's default query, for prefetching. */
export function first() {
  return ecosystem(ecosystemInput({}))
}

/** The node positions of a graph. `key` must identify the graph; the layout is cached under it. */
export function layout(key: readonly unknown[], graph: MapGraph) {
  return queryOptions({
    queryKey: ['layout', ...key],
    queryFn: ({ signal }) => runLayoutWorker({ count: graph.nodes.length, links: graph.links }, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    retry: false,
  })
}

/** Runs the layout in a worker. Aborting terminates the worker. */
async function runLayoutWorker(request: LayoutRequest, signal: AbortSignal): Promise<LayoutResult> {
  const worker = new Worker(new URL('./layout-worker.ts', import.meta.url), { type: 'module', name: 'layout' })
  const { promise, resolve, reject } = Promise.withResolvers<LayoutResult>()
  worker.addEventListener('message', ({ data }: MessageEvent<LayoutResult>) => resolve(data))
  worker.addEventListener('error', (event) => reject(new Error(event.message || 'Graph layout failed')))
  signal.addEventListener('abort', () => reject(signal.reason))
  worker.postMessage(request)
  try {
    return await promise
  } finally {
    worker.terminate()
  }
}
