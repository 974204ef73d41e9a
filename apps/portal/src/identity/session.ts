/** The user's session. It is cached and refetched when no longer valid. */
import type { Session } from '@glacis/contract/identity'
import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query'
import { listSessions, whoami } from '#identity/client.ts'
import { IdentityFailure } from '#identity/failure.ts'
import { serverNow } from '#lib/server-time.ts'

export const sessionKey = ['identity', 'session'] as const

/** Retries network errors but not error responses. */
const retry = (count: number, error: Error) => !(error instanceof IdentityFailure) && count < 3

/** The session of this browser, or null. */
export function sessionQuery() {
  return queryOptions({
    queryKey: sessionKey,
    queryFn: ({ signal }) => whoami(signal),
    staleTime: Number.POSITIVE_INFINITY,
    retry,
  })
}

/** The user's other sessions. */
export function otherSessionsQuery() {
  return queryOptions({ queryKey: ['identity', 'sessions'], queryFn: ({ signal }) => listSessions(signal), retry })
}

/** True if the session is active and hasn't expired. */
export function isValid(session: Session | null | undefined, now: number = serverNow()): session is Session {
  return Boolean(session?.active) && Date.parse(session?.expires_at ?? '') > now
}

/**
 * The session, from the cache if valid, else from the service.
 *
 * @returns null if the user isn't signed in.
 * @throws IdentityFailure `session_aal2_required` if a second factor is required.
 */
export async function validSession(client: QueryClient): Promise<Session | null> {
  const cached = client.getQueryData(sessionQuery().queryKey)
  if (isValid(cached)) return cached
  const fresh = await client.fetchQuery({ ...sessionQuery(), staleTime: 0 })
  return isValid(fresh) ? fresh : null
}

/** The current session. Always present behind the guard of the app routes. */
export function useSession(): Session | null {
  return useQuery(sessionQuery()).data ?? null
}

/** `Nora Ammann` */
export function fullName({ identity }: Session): string {
  const { first, last } = identity.traits.name
  return `${first} ${last}`.trim()
}
