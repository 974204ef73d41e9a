/** The door-keeper: accounts, sign-in and sessions, spoken in the wire format of Ory Kratos v26.2.0. */
import type { IncomingHttpHeaders } from 'node:http'
import { Session } from '@glacis/contract/identity'
import type { FastifyPluginAsync } from 'fastify'
import { lacksSecondFactor } from '#assurance.ts'
import { createCourier } from '#courier.ts'
import { readCookies } from '#http/cookie.ts'
import { buildPlugin } from '#http/plugin.ts'
import { decoyHash } from '#method/argon2.ts'
import { methodsOf } from '#method/methods.ts'
import type { IdentityOptions } from '#options.ts'
import { buildService } from '#create-service.ts'
import { findSession, sessionBody, sessionCookie } from '#session.ts'
import { createSweep } from '#sweep.ts'

export type { IdentityEvent, IdentityOptions, Mail } from '#options.ts'
export { migrations } from '#migrations.ts'
export { type Made, type People, type Person, openPeople } from '#people.ts'

export interface Identity {
  /** The browser API; register it at the root of the public URL. */
  readonly plugin: FastifyPluginAsync
  /** Whose session a request carries; null for none, an expired or a revoked one, or one that still owes its second factor. */
  whoami(headers: IncomingHttpHeaders): Promise<Session | null>
  /**
   * Delivers a queued mail.
   *
   * @throws when that could not be done, so that the job queue tries again
   */
  deliverMail(id: string): Promise<void>
  /** Starts the sweep of expired rows. */
  start(): Promise<void>
  /** Stops it. */
  close(): Promise<void>
}

/**
 * Builds the service. Nothing runs before `start`, and the tables must be there (see `migrations`).
 *
 * @throws Error when a URL is not absolute or the secret is shorter than 32 bytes
 */
export function createIdentity(options: IdentityOptions): Identity {
  const now = options.now ?? (() => new Date())
  const courier = createCourier({ ...options, now })
  const service = buildService(options, courier, methodsOf(options))
  const sweep = createSweep(service)
  return {
    plugin: buildPlugin(service),
    async whoami(headers) {
      const session = await findSession(service, readCookies(headers.cookie).get(sessionCookie))
      if (!session || lacksSecondFactor(service, session)) return null
      return Session.parse(sessionBody(session, service.publicUrl))
    },
    deliverMail: (id) => courier.deliver(id),
    async start() {
      // The first sign-in of an unknown address must not be the one that makes the decoy.
      await decoyHash(service.hashing)
      sweep.start()
    },
    async close() {
      await sweep.close()
    },
  }
}
