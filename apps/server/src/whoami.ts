/** Resolves sessions with an external identity service over HTTP. */
import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { Session } from '@glacis/contract/identity'
import type { Log } from '#ctx.ts'
import { ApiError } from '#errors.ts'

/** Cache lifetime: a revoked session is rejected within this time. */
const cacheMs = 5000
const timeoutMs = 5000
const cacheSizeMax = 10_000

/**
 * Calls `GET /sessions/whoami` of the service at `url` and caches the result briefly by credential. The function throws ApiError
 * `unavailable` if the service can't be reached or fails.
 */
export function createWhoami(url: string, log: Log): (headers: IncomingHttpHeaders) => Promise<Session | null> {
  const cache = new Map<string, { readonly until: number; readonly session: Session | null }>()
  return async (headers) => {
    const credentials = credentialsOf(headers)
    if (Object.keys(credentials).length === 0) return null
    const key = createHash('sha256').update(JSON.stringify(credentials)).digest('base64')
    const cached = cache.get(key)
    if (cached && cached.until > Date.now()) return cached.session
    const session = await fetchSession(url, credentials, log)
    if (cache.size >= cacheSizeMax) cache.clear()
    cache.set(key, { until: Date.now() + cacheMs, session })
    return session
  }
}

function credentialsOf(headers: IncomingHttpHeaders): Record<string, string> {
  const credentialHeaders = ['cookie', 'x-session-token', 'authorization'] as const
  return Object.fromEntries(
    credentialHeaders.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]]] : [])),
  )
}

async function fetchSession(url: string, credentials: Record<string, string>, log: Log): Promise<Session | null> {
  const response = await fetch(`${url}/sessions/whoami`, {
    headers: { ...credentials, accept: 'application/json' },
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((error: unknown) => {
    log.error({ err: error }, 'identity service unreachable')
    throw unavailable(error)
  })
  if (response.status === 401 || response.status === 403) return null
  if (!response.ok) {
    log.error({ status: response.status }, 'identity service whoami failed')
    throw unavailable()
  }
  const session = Session.parse(await response.json())
  return session.active ? session : null
}

function unavailable(cause?: unknown): ApiError {
  return new ApiError('unavailable', 'The identity service is unavailable. Try again in a moment', { cause })
}
