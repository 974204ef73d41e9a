/** Who is signed in. The session is asked for once, kept, and asked for again when it is no longer valid. */
import type { Session } from '@glacis/contract/identity'
import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query'
import { listSessions, whoami } from '#identity/client.ts'
import { IdentityFailure } from '#identity/failure.ts'
import { serverNow } from '#lib/server-time.ts'

export const sessionKey = ['identity', 'session'] as const

/** Refusals are final; what never arrived is tried again as the library does. */
const retry = (count: number, error: Error) => !(error instanceof IdentityFailure) && count < 3

/** The session of this browser; null when there is none. */
export function sessionQuery() {
  return queryOptions({
    queryKey: sessionKey,
    queryFn: ({ signal }) => whoami(signal),
    staleTime: Number.POSITIVE_INFINITY,
    retry,
  })
}

/** The person's other sessions. */
export function otherSessionsQuery() {
  return queryOptions({ queryKey: ['identity', 'sessions'], queryFn: ({ signal }) => listSessions(signal), retry })
}

/** Active, and its end is in the future. */
export function isValid(session: Session | null | undefined, now: number = serverNow()): session is Session {
  return Boolean(session?.active) && Date.parse(session?.expires_at ?? '') > now
}

/**
 * The session, from the cache while it is valid, else from the service.
 *
 * @returns null when nobody is signed in.
 * @throws IdentityFailure `session_aal2_required` when a second factor is missing.
 */
export async function validSession(client: QueryClient): Promise<Session | null> {
  const cached = client.getQueryData(sessionKey)
  if (isValid(cached as Session | null | undefined)) return cached as Session
  const fresh = await client.fetchQuery({ ...sessionQuery(), staleTime: 0 })
  return isValid(fresh) ? fresh : null
}

/** The person who is signed in, behind the guard of the app routes. */
export function useSession(): Session | null {
  return useQuery(sessionQuery()).data ?? null
}

/** `Nora Ammann` */
export function fullName({ identity }: Session): string {
  const { first, last } = identity.traits.name
  return `${first} ${last}`.trim()
}
