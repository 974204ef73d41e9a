/**
 * Sessions that were read a moment ago. A page of the portal asks who it is a dozen times at once, and
 * each answer would be a query of its own.
 */
import { createHash } from 'node:crypto'
import { type LiveSession, findSession } from '#session.ts'
import type { Service } from '#service.ts'

/** What another process has changed is seen after this time; what this one has changed, at once. */
const rememberMs = 500
const rememberedMax = 10_000

export interface Recent {
  /** The session that a cookie opens, as `findSession` says. */
  find(token: string | undefined): Promise<LiveSession | null>
  /** Whatever was read may have changed since. */
  forget(): void
}

/** A memory with nothing in it. */
export function createRecent(service: Pick<Service, 'db' | 'now'>): Recent {
  const known = new Map<string, { readonly session: LiveSession; readonly until: number }>()
  /** Counts what was forgotten: an answer that was asked for before that is not kept. */
  let age = 0
  return {
    async find(token) {
      if (!token) return null
      const now = service.now().getTime()
      const key = createHash('sha256').update(token).digest('base64')
      const before = known.get(key)
      if (before && before.until > now && before.session.expires_at.getTime() > now) return before.session
      const asked = age
      const session = await findSession(service, token)
      if (known.size >= rememberedMax) known.clear()
      if (session && asked === age) known.set(key, { session, until: now + rememberMs })
      else known.delete(key)
      return session
    },
    forget() {
      age += 1
      known.clear()
    },
  }
}
