/** Shares the response to a request among the identification and the checks of a host, so that it is sent once. */
import type { HttpClient } from '#net/http.ts'
import type { HttpFailure, HttpRequest, HttpResponse, Origin } from '#net/http-message.ts'
import { requestHeaders } from '#net/http-exchange.ts'

/** Number and memory of cached responses per host, and memory of all caches together. */
const RESPONSES_MAX = 6_000
const BYTES_MAX = 48 * 1024 * 1024
const TOTAL_BYTES_MAX = 96 * 1024 * 1024

let totalBytes = 0

export interface SharedClient {
  /** Like the HTTP client, but equal requests share one cached response. */
  readonly request: HttpClient['request']
  /** Bypasses the cache, because the response may depend on cookies, time, or earlier requests. */
  readonly requestUncached: HttpClient['request']
  readonly usesHttp2: HttpClient['usesHttp2']
  /** Whether the response to a request is cached. */
  isCached(origin: Origin, request: HttpRequest): boolean
  /** Cached responses to GET requests without a query and headers of their own, in the order of their arrival. */
  pagesOf(origin: Origin): readonly CachedPage[]
  /** Number of requests sent. */
  readonly sent: () => number
  /** Clears the cache. */
  clear(): void
}

interface CachedPage {
  readonly request: HttpRequest
  readonly response: HttpResponse
}

export function createSharedClient(client: Pick<HttpClient, 'request' | 'usesHttp2'>): SharedClient {
  const kept = new Map<string, HttpResponse | HttpFailure>()
  const pages = new Map<string, { readonly site: string; readonly request: HttpRequest }>()
  const pending = new Map<string, Promise<HttpResponse | HttpFailure>>()
  let bytes = 0
  let sent = 0
  const evict = (key: string) => {
    const size = sizeOf(kept.get(key))
    if (!kept.delete(key)) return
    pages.delete(key)
    bytes -= size
    totalBytes -= size
  }
  const store = (key: string, response: HttpResponse | HttpFailure) => {
    const size = sizeOf(response)
    if (size > BYTES_MAX / 8 || totalBytes + size > TOTAL_BYTES_MAX) return
    kept.set(key, response)
    bytes += size
    totalBytes += size
    for (const oldest of kept.keys()) {
      if (kept.size <= RESPONSES_MAX && bytes <= BYTES_MAX) break
      evict(oldest)
    }
  }
  const send = async (key: string, ...[origin, request, options]: Parameters<HttpClient['request']>) => {
    sent += 1
    const response = await client.request(origin, request, options)
    // Failures are cached too, so that other checks don't repeat them, unless those wait longer.
    if (response.kind === 'response' || options.deadlineMs === undefined) store(key, response)
    if (kept.has(key) && isPage(request)) pages.set(key, { site: siteOf(origin), request })
    return response
  }
  return {
    requestUncached(origin, request, options) {
      sent += 1
      return client.request(origin, request, options)
    },
    async request(origin, request, options) {
      const key = keyOf(origin, request)
      const response = kept.get(key) ?? pending.get(key)
      if (response) return response
      const sending = send(key, origin, request, options).finally(() => pending.delete(key))
      pending.set(key, sending)
      return sending
    },
    usesHttp2: client.usesHttp2,
    isCached: (origin, request) => kept.has(keyOf(origin, request)),
    pagesOf: (origin) =>
      [...pages].flatMap(([key, { site, request }]) => {
        const response = site === siteOf(origin) ? kept.get(key) : undefined
        return response?.kind === 'response' ? [{ request, response }] : []
      }),
    sent: () => sent,
    clear() {
      for (const key of kept.keys()) evict(key)
    },
  }
}

function isPage({ method, path, headers = {}, body }: HttpRequest): boolean {
  return method === 'GET' && !path.includes('?') && Object.keys(headers).length === 0 && body === undefined
}

function siteOf({ port, tls, hostname }: Origin): string {
  return `${tls} ${port} ${hostname}`
}

/**
 * A cached response retains its body and derived texts: the body, head plus body, and parsed
 * headers.
 */
function sizeOf(response: HttpResponse | HttpFailure | undefined): number {
  if (response?.kind !== 'response') return 0
  const head = response.headers.reduce((sum, [name, value]) => sum + name.length + value.length, 0)
  return response.body.length * 4 + head * 4
}

/** Built from the headers as sent, so that a header with its default value makes no difference. */
function keyOf(origin: Origin, request: HttpRequest): string {
  const flat = requestHeaders(origin, request)
  const headers = Object.fromEntries(
    flat.flatMap((name, at) => (at % 2 === 0 ? [[name.toLowerCase(), flat[at + 1] ?? '']] : [])),
  )
  return `${siteOf(origin)} ${requestKey({ ...request, headers })}`
}

/** Identity of a request: everything that is sent to the service. */
function requestKey(request: HttpRequest): string {
  const headers = Object.entries(request.headers ?? {}).map(([name, value]) => `${name}: ${value}`)
  return [request.method, request.path, ...headers.sort(), '', bodyText(request)].join('\n')
}

function bodyText({ body = '' }: HttpRequest): string {
  return typeof body === 'string' ? body : Buffer.from(body).toString('latin1')
}
