/** Creates exchanges and sets cookies on their responses. */
import type { FastifyRequest } from 'fastify'
import { readBody } from '#http/body.ts'
import { expireCookie, readCookies, writeCookie } from '#http/cookie.ts'
import { isToken, newToken } from '#http/csrf.ts'
import { acceptsJson, wantsJson } from '#http/negotiate.ts'
import type { EventKind } from '#options.ts'
import { type IssuedSession, findSession, sessionCookie, truncateUserAgent } from '#session.ts'
import type { Exchange, LiveSession, Service } from '#service.ts'

export type HttpResponse =
  | {
      readonly kind: 'json'
      readonly status: number
      readonly body: unknown
      readonly headers?: Record<string, string>
    }
  | {
      readonly kind: 'text'
      readonly contentType: string
      readonly body: string
      readonly headers: Record<string, string>
    }
  | { readonly kind: 'redirect'; readonly status: 302 | 303; readonly location: string }
  | { readonly kind: 'empty' }

/** Creates the exchange of a request. `prefix` is the path at which the host mounted the plugin. */
export function createExchange(service: Service, request: FastifyRequest, prefix: string): Exchange {
  const path = request.url.slice(prefix.length)
  const { accept, cookie, 'content-type': contentType } = request.headers
  const cookies = readCookies(cookie)
  const mode = request.headers['sec-fetch-mode']
  let session: Promise<LiveSession | null> | undefined
  return {
    service,
    query: new URLSearchParams(path.split('?').slice(1).join('?')),
    url: `${service.publicUrl}${path}`,
    client: { ip: normalizeIp(request.ip), userAgent: truncateUserAgent(request.headers['user-agent']) },
    cookies,
    hasCookieHeader: Boolean(cookie),
    isFetch: mode === 'cors' || mode === 'same-origin',
    wantsJson: wantsJson(accept, contentType),
    acceptsJson: acceptsJson(accept),
    body: readBody(contentType, Buffer.isBuffer(request.body) ? request.body : undefined),
    setCookies: new Map(),
    newCsrfToken: null,
    session: () => (session ??= findSession(service, cookies.get(sessionCookie))),
  }
}

/** Converts an IPv4-mapped IPv6 address to IPv4. */
function normalizeIp(ip: string): string {
  return ip.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '')
}

/** The CSRF token in the request's cookie, or null. */
export function csrfTokenFromCookie({ service, cookies }: Exchange): string | null {
  const value = cookies.get(service.csrfCookie)
  return isToken(value) ? value : null
}

/** The browser's CSRF token. Sets the cookie if the browser has none. */
export function ensureCsrfToken(exchange: Exchange): string {
  return exchange.newCsrfToken ?? csrfTokenFromCookie(exchange) ?? renewCsrfToken(exchange)
}

/** Sets a new CSRF token, which invalidates the browser's existing forms. */
export function renewCsrfToken(exchange: Exchange, token: string = newToken()): string {
  const { service, setCookies } = exchange
  const line = writeCookie(service.csrfCookie, token, { maxAgeSeconds: 31_536_000, secure: service.isSecure })
  setCookies.set(service.csrfCookie, line)
  exchange.newCsrfToken = token
  return token
}

export function setSessionCookie({ service, setCookies }: Exchange, { session, token }: IssuedSession): void {
  const remainingMs = session.expires_at.getTime() - service.now().getTime()
  const line = writeCookie(sessionCookie, token, {
    maxAgeSeconds: Math.floor(remainingMs / 1000),
    expires: session.expires_at,
    secure: service.isSecure,
  })
  setCookies.set(sessionCookie, line)
}

export function clearSessionCookie({ service, setCookies }: Exchange): void {
  setCookies.set(sessionCookie, expireCookie(sessionCookie, service.isSecure))
}

/** Emits an audit event with the client of this exchange. */
export function emitEvent(exchange: Exchange, kind: EventKind, identityId: string | null, detail?: string): void {
  const { service, client } = exchange
  service.emit({ kind, identityId, ...client, at: service.now(), ...(detail !== undefined && { detail }) })
}

export function json(status: number, body: unknown, headers?: Record<string, string>): HttpResponse {
  return { kind: 'json', status, body, ...(headers && { headers }) }
}

export function redirect(location: string, status: 302 | 303 = 303): HttpResponse {
  return { kind: 'redirect', status, location }
}
