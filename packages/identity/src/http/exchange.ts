/** One request and the answer that is being made for it. */
import type { FastifyRequest } from 'fastify'
import { readBody } from '#http/body.ts'
import { expireCookie, readCookies, writeCookie } from '#http/cookie.ts'
import { isToken, newToken } from '#http/csrf.ts'
import { acceptsJson, wantsJson } from '#http/negotiate.ts'
import type { EventKind } from '#options.ts'
import { type IssuedSession, findSession, sessionCookie, shortUserAgent } from '#session.ts'
import type { Exchange, LiveSession, Service } from '#service.ts'

export type Answer =
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

/** Opens an exchange; `prefix` is the path at which the host mounted the plugin. */
export function openExchange(service: Service, request: FastifyRequest, prefix: string): Exchange {
  const path = request.url.slice(prefix.length)
  const { accept, cookie, 'content-type': contentType } = request.headers
  const cookies = readCookies(cookie)
  const mode = request.headers['sec-fetch-mode']
  let session: Promise<LiveSession | null> | undefined
  return {
    service,
    query: new URLSearchParams(path.split('?').slice(1).join('?')),
    url: `${service.publicUrl}${path}`,
    client: { ip: plainAddress(request.ip), userAgent: shortUserAgent(request.headers['user-agent']) },
    cookies,
    hasCookieHeader: Boolean(cookie),
    isFetch: mode === 'cors' || mode === 'same-origin',
    wantsJson: wantsJson(accept, contentType),
    acceptsJson: acceptsJson(accept),
    body: readBody(contentType, Buffer.isBuffer(request.body) ? request.body : undefined),
    setCookies: new Map(),
    givenOut: null,
    session: () => (session ??= findSession(service, cookies.get(sessionCookie))),
  }
}

/** An IPv4 address that came over an IPv6 socket, as people write it. */
function plainAddress(ip: string): string {
  return ip.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '')
}

/** The CSRF token that the browser came with, or null. */
export function givenCsrf({ service, cookies }: Exchange): string | null {
  const value = cookies.get(service.csrfCookie)
  return isToken(value) ? value : null
}

/** The CSRF token of this browser; one without gets its cookie now. */
export function csrfOf(exchange: Exchange): string {
  return exchange.givenOut ?? givenCsrf(exchange) ?? renewCsrf(exchange)
}

/** Gives the browser a new CSRF token: forms that it was shown before are void. */
export function renewCsrf(exchange: Exchange, token: string = newToken()): string {
  const { service, setCookies } = exchange
  const line = writeCookie(service.csrfCookie, token, { maxAgeSeconds: 31_536_000, secure: service.isSecure })
  setCookies.set(service.csrfCookie, line)
  exchange.givenOut = token
  return token
}

/** Hands a session to the browser. */
export function setSession({ service, setCookies }: Exchange, { session, token }: IssuedSession): void {
  const remainingMs = session.expires_at.getTime() - service.now().getTime()
  const line = writeCookie(sessionCookie, token, {
    maxAgeSeconds: Math.floor(remainingMs / 1000),
    expires: session.expires_at,
    secure: service.isSecure,
  })
  setCookies.set(sessionCookie, line)
}

/** Takes the session cookie from the browser. */
export function clearSession({ service, setCookies }: Exchange): void {
  setCookies.set(sessionCookie, expireCookie(sessionCookie, service.isSecure))
}

/** Tells the audit trail what happened in this exchange. */
export function tell(exchange: Exchange, kind: EventKind, identityId: string | null, detail?: string): void {
  const { service, client } = exchange
  service.tell({ kind, identityId, ...client, at: service.now(), ...(detail !== undefined && { detail }) })
}

/** A JSON answer. */
export function json(status: number, body: unknown, headers?: Record<string, string>): Answer {
  return { kind: 'json', status, body, ...(headers && { headers }) }
}

/** Sends a browser elsewhere. */
export function redirect(location: string, status: 302 | 303 = 303): Answer {
  return { kind: 'redirect', status, location }
}
