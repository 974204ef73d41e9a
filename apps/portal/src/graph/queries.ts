/** What the portal asks of the graph, and the layout that is made of it here. */
import type { InputOf } from '@glacis/contract/endpoint'
import { getEcosystem } from '@glacis/contract/insights'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { query } from '#api/query.ts'
import type { LayoutAnswer, LayoutRequest } from '#graph/layout/worker.ts'
import type { MapGraph } from '#graph/model.ts'
import { ecosystemInput } from '#graph/search.ts'

export function ecosystem(input: InputOf<typeof getEcosystem>) {
  return { ...query(getEcosystem, input), placeholderData: keepPreviousData }
}

/** What the page of the list begins with. */
export function first() {
  return ecosystem(ecosystemInput({}))
}

/** Where the nodes of a graph stand. `key` names the graph: the same key, the same picture. */
export function layout(key: readonly unknown[], graph: MapGraph) {
  return queryOptions({
    queryKey: ['layout', ...key],
    queryFn: ({ signal }) => layOutBeside({ count: graph.nodes.length, ...graph.springs }, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    retry: false,
  })
}

/** Runs the layout in a worker; aborting ends the worker. */
async function layOutBeside(request: LayoutRequest, signal: AbortSignal): Promise<LayoutAnswer> {
  const worker = new Worker(new URL('./layout/worker.ts', import.meta.url), { type: 'module', name: 'layout' })
  const { promise, resolve, reject } = Promise.withResolvers<LayoutAnswer>()
  worker.addEventListener('message', ({ data }: MessageEvent<LayoutAnswer>) => resolve(data))
  worker.addEventListener('error', (event) => reject(new Error(event.message || 'The layout could not be made')))
  signal.addEventListener('abort', () => reject(signal.reason))
  worker.postMessage(request)
  try {
    return await promise
  } finally {
    worker.terminate()
  }
}
