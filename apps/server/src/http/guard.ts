/** Authenticates and authorizes every API request. */
import type { Session } from '@glacis/contract/identity'
import type { IncomingHttpHeaders } from 'node:http'
import type { createAccounts } from '#accounts.ts'
import type { Actor, Log } from '#ctx.ts'
import { ApiError } from '#errors.ts'
import { ownerOfToken, tokenPrefix, type TokenOwner } from '#tokens.ts'
import type { Database } from '#database/index.ts'
import type { TokenScope } from '@glacis/contract/access'
import type { FastifyRequest } from 'fastify'

export interface Guard {
  /**
   * Returns the account and actor of a request.
   * @throws ApiError `unauthenticated` without a valid session or token; `forbidden` for cross-origin changes and for
   *   tokens without the required scope
   */
  admit(request: FastifyRequest, scope?: TokenScope | 'session'): Promise<{ account: string; actor: Actor; log: Log }>
}

export type Whoami = (headers: IncomingHttpHeaders) => Promise<Session | null>

export function createGuard(
  whoami: Whoami,
  accounts: ReturnType<typeof createAccounts>,
  origins: readonly string[],
  database: Database,
): Guard {
  return {
    async admit(request, scope = isReading(request) ? 'SCOPE_READ' : 'SCOPE_WRITE') {
      const token = bearerOf(request)
      if (token) return admitToken(request, await ownerOfToken(database, token), scope)
      const session = await whoami(request.headers)
      if (!session) throw new ApiError('unauthenticated', 'Authentication required')
      if (!isSameOrigin(request, origins)) throw new ApiError('forbidden', originErrorMessage(request, origins))
      const account = await accounts.of(session)
      return { account: account.id, actor: { kind: 'person', name: account.name, ip: request.ip }, log: request.log }
    },
  }
}

/** Returns an API token. Session tokens have another prefix and are passed to the identity service. */
function bearerOf({ headers }: FastifyRequest): string | null {
  const [, token] = /^Bearer (\S+)$/i.exec(headers.authorization ?? '') ?? []
  return token?.startsWith(tokenPrefix) ? token : null
}

const covers: Readonly<Record<TokenScope, readonly TokenScope[]>> = {
  SCOPE_READ: ['SCOPE_READ'],
  SCOPE_SCAN: ['SCOPE_READ', 'SCOPE_SCAN'],
  SCOPE_WRITE: ['SCOPE_READ', 'SCOPE_SCAN', 'SCOPE_WRITE'],
}

function admitToken(request: FastifyRequest, owner: TokenOwner | null, scope: TokenScope | 'session') {
  if (!owner) throw new ApiError('unauthenticated', 'This API token is invalid, revoked, or expired')
  if (scope === 'session') throw new ApiError('forbidden', 'API tokens cannot perform this action; sign in instead')
  if (!owner.scopes.some((granted) => covers[granted].includes(scope)))
    throw new ApiError('forbidden', `This API token lacks the scope ${scope}`)
  const actor: Actor = { kind: 'token', name: `API token ${owner.name}`, ip: request.ip }
  return { account: owner.account, actor, log: request.log }
}

/**
 * Prevents cross-site request forgery: a change authenticated by a cookie must come from our own origin. Requests
 * without a cookie or with a session token can't be forged by another site.
 */
function isSameOrigin(request: FastifyRequest, origins: readonly string[]): boolean {
  const { headers } = request
  if (isReading(request)) return true
  if (headers.origin !== undefined) return origins.includes(headers.origin)
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  return headers.cookie === undefined || headers['x-session-token'] !== undefined
}

/** Explains a wrong origin. If the portal itself was opened under another URL, names the configured one. */
function originErrorMessage({ headers }: FastifyRequest, origins: readonly string[]): string {
  const { origin = '', host } = headers
  const isOwnPage =
    headers['sec-fetch-site'] === 'same-origin' || (URL.canParse(origin) && new URL(origin).host === host)
  return isOwnPage
    ? `This page was opened as ${origin}, but Glacis is configured for ${origins.join(', ')}; open that URL or set GLACIS_URL`
    : 'Cross-origin requests cannot change data'
}

function isReading({ method }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD'
}
