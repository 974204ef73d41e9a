/** What a session is good for: by how many factors its holder has proved who it is, and how lately. */
import type { Service, LiveSession } from '#service.ts'

/** Types of credentials that prove a second factor. */
export const secondFactors: ReadonlySet<string> = new Set(['totp', 'lookup_secret', 'webauthn'])

/** True for a session whose account has a second factor that was not given yet: it opens nothing but that step. */
export function lacksSecondFactor({ hasMailedSecondFactor }: Service, { aal, identity }: LiveSession): boolean {
  if (aal !== 'aal1') return false
  return hasMailedSecondFactor || identity.credential_types.some((type) => secondFactors.has(type))
}

/** True while the session is young enough to change a password or an address. */
export function isPrivileged(service: Service, session: LiveSession): boolean {
  return service.now().getTime() - session.authenticated_at.getTime() <= service.lifespans.privilegedMs
}
