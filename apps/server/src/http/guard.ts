/** Who asks. Every call of the product API passes here before anything else happens. */
import type { Session } from '@glacis/contract/identity'
import type { IncomingHttpHeaders } from 'node:http'
import type { createAccounts } from '#accounts.ts'
import type { Actor, Log } from '#ctx.ts'
import { Refusal } from '#errors.ts'
import type { FastifyRequest } from 'fastify'

export interface Guard {
  /**
   * The account and actor of a request.
   * @throws Refusal `unauthenticated` without a valid session; `forbidden` for a change that
   *   another site's page has caused
   */
  admit(request: FastifyRequest): Promise<{ account: string; actor: Actor; log: Log }>
}

export type Whoami = (headers: IncomingHttpHeaders) => Promise<Session | null>

export function createGuard(
  whoami: Whoami,
  accounts: ReturnType<typeof createAccounts>,
  origins: readonly string[],
): Guard {
  return {
    async admit(request) {
      const session = await whoami(request.headers)
      if (!session) throw new Refusal('unauthenticated', 'Sign in to use this')
      if (!isSameOrigin(request, origins))
        throw new Refusal('forbidden', 'Changes are accepted from our own pages only')
      const account = await accounts.of(session)
      return { account: account.id, actor: { kind: 'person', name: account.name, ip: request.ip }, log: request.log }
    },
  }
}

/**
 * A cookie proves nothing about who wrote a request: a change must come from our own origin.
 * Programs that are no browsers send neither header and hold the cookie on purpose.
 */
function isSameOrigin(request: FastifyRequest, origins: readonly string[]): boolean {
  if (request.method === 'GET' || request.method === 'HEAD') return true
  const { origin } = request.headers
  if (origin !== undefined) return origins.includes(origin)
  const site = request.headers['sec-fetch-site']
  return site === undefined || site === 'same-origin' || site === 'none'
}
