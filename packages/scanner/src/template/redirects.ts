/** Sends a request and follows redirects as the template's policy allows. */
import type { HttpClient } from '#net/http.ts'
import type { HttpFailure, HttpRequest, HttpResponse, Origin } from '#net/http-message.ts'
import type { Jar } from '#net/cookie-jar.ts'
import { encodePath } from '#template/request-target.ts'
import type { RedirectPolicy } from '#template/template.ts'

/** One request of a redirect chain and its response. */
export interface Exchange {
  readonly origin: Origin
  readonly path: string
  readonly request: HttpRequest
  readonly response: HttpResponse
}
export interface Chain {
  /** In order; matchers run on every response. */
  readonly exchanges: readonly Exchange[]
  /** Why the chain ended early; null when it is complete. */
  readonly failure: HttpFailure | null
  /** The request that failed. */
  readonly failedRequest?: HttpRequest
}

/** Whether the last request got no answer to what it asked: none at all, or 429 even after a pause. */
export function isUnanswered({ exchanges, failure }: Chain): boolean {
  return failure !== null || exchanges.at(-1)?.response.status === 429
}

export interface FollowOptions {
  readonly policy: RedirectPolicy
  readonly redirectsMax: number
  readonly signal: AbortSignal
  /** Adds cookies to requests and stores those of responses. */
  readonly jar?: Jar
  /** Timeout per response, in milliseconds; absent: the client's default. */
  readonly deadlineMs?: number
}

/**
 * Sends a request and follows its redirects. A redirect to another host is never followed: its
 * response ends the chain.
 */
export async function follow(
  client: Pick<HttpClient, 'request'>,
  start: Origin,
  first: HttpRequest,
  { policy, redirectsMax, signal, jar, deadlineMs }: FollowOptions,
): Promise<Chain> {
  const exchanges: Exchange[] = []
  const seen = new Set<string>()
  let origin = start
  let request = first
  for (;;) {
    const sent = jar?.addCookies(request) ?? request
    const response = await client.request(origin, sent, { signal, ...(deadlineMs !== undefined && { deadlineMs }) })
    if (response.kind === 'failure') return { exchanges, failure: response, failedRequest: sent }
    jar?.storeCookies(request.path, response)
    exchanges.push({ origin, path: request.path, request: sent, response })
    const next = policy === 'none' ? null : nextHop(origin, request, response, policy)
    const key = next && [next.origin.port, next.origin.tls, next.request.method, next.request.path].join(' ')
    if (!next || key === null || seen.has(key) || exchanges.length > redirectsMax) return { exchanges, failure: null }
    seen.add(key)
    origin = next.origin
    request = next.request
  }
}

function nextHop(origin: Origin, request: HttpRequest, response: HttpResponse, policy: RedirectPolicy) {
  if (![301, 302, 303, 307, 308].includes(response.status)) return null
  const location = response.headers.find(([name]) => name.toLowerCase() === 'location')?.[1]
  const target = location === undefined ? null : resolveLocation(origin, request.path, location)
  if (!target) return null
  const isSameOrigin = target.origin.port === origin.port && target.origin.tls === origin.tls
  if (policy === 'same-origin' && !isSameOrigin) return null
  const keepsMethod = response.status === 307 || response.status === 308 || ['GET', 'HEAD'].includes(request.method)
  const { body: _body, ...withoutBody } = request
  return {
    origin: target.origin,
    request: keepsMethod ? { ...request, path: target.path } : { ...withoutBody, method: 'GET', path: target.path },
  }
}

/** Resolves a `Location` header; null for another host or a non-HTTP URL. */
function resolveLocation(origin: Origin, path: string, location: string): { origin: Origin; path: string } | null {
  const [, scheme, host, rest = ''] = /^(?:(https?):)?\/\/([^/?#]*)([^]*)$/i.exec(location.trim()) ?? []
  if (host === undefined) {
    if (/^[a-z][a-z\d+.-]*:/i.test(location.trim())) return null
    return { origin, path: encodePath(relativePath(path, location.trim())) }
  }
  const [, name = '', port] = /^(\[[^\]]+\]|[^:@]+)(?::(\d{1,5}))?$/.exec(host) ?? []
  const bareHost = name.replace(/^\[|\]$/g, '').toLowerCase()
  if (bareHost !== origin.hostname.toLowerCase() && bareHost !== origin.address) return null
  const tls = scheme === undefined ? origin.tls : scheme.toLowerCase() === 'https'
  const number = port === undefined ? (tls ? 443 : 80) : Number(port)
  if (number < 1 || number > 65_535) return null
  return { origin: { ...origin, tls, port: number }, path: encodePath(rest.startsWith('/') ? rest : `/${rest}`) }
}

function relativePath(path: string, location: string): string {
  if (location.startsWith('/')) return location
  const [folder = '/'] = /^[^?#]*\//.exec(path) ?? []
  const [pathOnly = ''] = path.split('?', 1)
  return location.startsWith('?') ? pathOnly + location : folder + location
}
