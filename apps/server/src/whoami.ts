/** Resolves sessions with an external identity service over HTTP. */
import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { Session } from '@glacis/contract/identity'
import type { Log } from '#ctx.ts'

/** Cache lifetime: a revoked session is rejected within this time. */
const rememberMs = 5000
const answerMs = 5000
const rememberedMax = 10_000

/** Calls `GET /sessions/whoami` of the service at `url` and caches the result briefly by credential. */
export function askOver(url: string, log: Log): (headers: IncomingHttpHeaders) => Promise<Session | null> {
  const known = new Map<string, { readonly until: number; readonly session: Session | null }>()
  return async (headers) => {
    const credentials = pick(headers)
    if (Object.keys(credentials).length === 0) return null
    const key = createHash('sha256').update(JSON.stringify(credentials)).digest('base64')
    const before = known.get(key)
    if (before && before.until > Date.now()) return before.session
    const session = await ask(url, credentials, log)
    if (known.size >= rememberedMax) known.clear()
    known.set(key, { until: Date.now() + rememberMs, session })
    return session
  }
}

function pick(headers: IncomingHttpHeaders): Record<string, string> {
  const wanted = ['cookie', 'x-session-token', 'authorization'] as const
  return Object.fromEntries(
    wanted.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]]] : [])),
  )
}

async function ask(url: string, credentials: Record<string, string>, log: Log): Promise<Session | null> {
  const response = await fetch(`${url}/sessions/whoami`, {
    headers: { ...credentials, accept: 'application/json' },
    signal: AbortSignal.timeout(answerMs),
  })
  if (response.status === 401 || response.status === 403) return null
  if (!response.ok) {
    log.error({ status: response.status }, 'identity service whoami failed')
    throw new Error(`The identity service responded with status ${response.status}`)
  }
  const session = Session.parse(await response.json())
  return session.active ? session : null
}
