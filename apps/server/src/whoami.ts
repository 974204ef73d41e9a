/** Who holds a session: asked of the embedded service in process, of another one over HTTP. */
import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { Session } from '@glacis/contract/identity'
import type { Log } from '#ctx.ts'

/** A revoked session is refused at the latest after this time. */
const rememberMs = 5000
const answerMs = 5000
const rememberedMax = 10_000

/** Asks `GET /sessions/whoami` of the service at `url`, and remembers the answer for a short while by credential. */
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
    log.error({ status: response.status }, 'the identity service does not answer whoami')
    throw new Error(`the identity service answered ${response.status}`)
  }
  const session = Session.parse(await response.json())
  return session.active ? session : null
}
