/** Reads pages of a web server that don't depend on each other. */
import type { HttpFailure, HttpResponse } from '#net/http-message.ts'
import { isSerial } from '#net/serial-servers.ts'
import { forEachOf } from '#pool.ts'

/** One request after another would take minutes if each takes longer. */
const slowMs = 300
const slowRequestsAtOnce = 4

/** Requests to send concurrently to a server, judging by its first response: several if it is slow. */
export function requestsAtOnceTo(first: HttpResponse): number {
  return first.durationMs > slowMs && !isSerial(first) ? slowRequestsAtOnce : 1
}

/**
 * Reads pages, `atOnce` concurrently, until a request fails.
 *
 * @param isLast whether to read no more pages after this one, which isn't returned
 * @returns the responses, in the order of the paths
 */
export async function readPages(
  paths: readonly string[],
  read: (path: string) => Promise<HttpResponse | HttpFailure>,
  { atOnce, isLast = () => false }: { readonly atOnce: number; readonly isLast?: (page: HttpResponse) => boolean },
): Promise<readonly (readonly [string, HttpResponse])[]> {
  const pages = new Map<string, HttpResponse>()
  const distinct = new Set(paths)
  let isOver = false
  await forEachOf(distinct, atOnce, async (path) => {
    if (isOver) return
    const page = await read(path)
    if (page.kind === 'failure' || isLast(page)) isOver = true
    else pages.set(path, page)
  })
  return [...distinct].flatMap((path) => {
    const page = pages.get(path)
    return page ? [[path, page] as const] : []
  })
}
