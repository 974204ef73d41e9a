/** Identity service: identities, self-service flows, and sessions, wire-compatible with Ory Kratos v26.2.0. */
import type { IncomingHttpHeaders } from 'node:http'
import { Session } from '@glacis/contract/identity'
import type { FastifyPluginAsync } from 'fastify'
import { lacksSecondFactor } from '#assurance.ts'
import { createCourier } from '#courier.ts'
import { readCookies } from '#http/cookie.ts'
import { buildPlugin } from '#http/plugin.ts'
import { decoyHash } from '#method/argon2.ts'
import { enabledMethods } from '#method/methods.ts'
import type { IdentityOptions } from '#options.ts'
import { buildService } from '#create-service.ts'
import { findSession, sessionBody, sessionCookie } from '#session.ts'
import { createCleanup } from '#cleanup.ts'

export type {
  IdentityEvent,
  IdentityOptions,
  Mail,
  OrganizationOptions,
  OrganizationProvider,
  OrganizationSignIn,
} from '#options.ts'
export { checkProvider } from '#oidc/organization.ts'
export { type RelyingParty, createRelyingParty } from '#oidc/relying-party.ts'
export { seal, unseal } from '#seal.ts'
export { actionMail } from '#mail.ts'
export { migrations } from '#migrations.ts'
export {
  type CreateIdentityResult,
  type IdentityAdmin,
  type IdentitySummary,
  createIdentityAdmin,
} from '#identity-admin.ts'

export interface Identity {
  /** Fastify plugin with the browser API. Register it at the path of the public URL. */
  readonly plugin: FastifyPluginAsync
  /**
   * Returns the request's session. Null if it is missing, expired, revoked, or lacks a required second factor.
   *
   * @param isActivity whether the request keeps an idle session alive; true by default
   */
  whoami(headers: IncomingHttpHeaders, options?: { isActivity?: boolean }): Promise<Session | null>
  /**
   * Delivers a queued email.
   *
   * @throws if delivery failed, so that the job queue retries
   */
  deliverMail(id: string): Promise<void>
  /** Starts the periodic cleanup of expired rows. */
  start(): Promise<void>
  /** Stops the cleanup. */
  close(): Promise<void>
}

/**
 * Creates the service. Background work begins with `start`. The tables must exist; see `migrations`.
 *
 * @throws Error if a URL isn't absolute or the secret is shorter than 32 bytes
 */
export function createIdentity(options: IdentityOptions): Identity {
  const now = options.now ?? (() => new Date())
  const courier = createCourier({ ...options, now })
  const service = buildService(options, courier, enabledMethods(options))
  const cleanup = createCleanup(service)
  return {
    plugin: buildPlugin(service),
    async whoami(headers, activity) {
      const session = await findSession(service, readCookies(headers.cookie).get(sessionCookie), activity)
      if (!session || lacksSecondFactor(service, session)) return null
      return Session.parse(sessionBody(session, service.publicUrl))
    },
    deliverMail: (id) => courier.deliver(id),
    async start() {
      // Precompute the decoy hash: otherwise the first sign-in with an unknown address would take measurably longer.
      await decoyHash(service.hashing)
      cleanup.start()
    },
    async close() {
      await cleanup.close()
    },
  }
}
