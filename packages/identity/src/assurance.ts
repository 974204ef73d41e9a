/** Authenticator assurance: which factors a session has completed, and how recently. */
import type { Service, LiveSession } from '#service.ts'

/** Credential types that count as a second factor. */
export const secondFactorTypes: ReadonlySet<string> = new Set(['totp', 'lookup_secret', 'webauthn'])

/** True when the identity has a second factor that this session hasn't completed. Such a session may only complete it. */
export function lacksSecondFactor({ hasMailedSecondFactor }: Service, { aal, identity }: LiveSession): boolean {
  if (aal !== 'aal1') return false
  return hasMailedSecondFactor || identity.credential_types.some((type) => secondFactorTypes.has(type))
}

/** True while the session is recent enough to change credentials or the email address (a privileged session). */
export function isPrivileged(service: Service, session: LiveSession): boolean {
  return service.now().getTime() - session.authenticated_at.getTime() <= service.lifespans.privilegedMs
}
