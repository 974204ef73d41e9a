/** Who asks. Every call of the product API passes here before anything else happens. */
import type { Session } from '@glacis/contract/identity'
import type { IncomingHttpHeaders } from 'node:http'
import type { createAccounts } from '#accounts.ts'
import type { Actor, Log } from '#ctx.ts'
import { Refusal } from '#errors.ts'
import { holderOf, tokenPrefix, type TokenHolder } from '#tokens.ts'
import type { Database } from '#database/index.ts'
import type { TokenScope } from '@glacis/contract/access'
import type { FastifyRequest } from 'fastify'

export interface Guard {
  /**
   * The account and actor of a request.
   * @throws Refusal `unauthenticated` without a valid session; `forbidden` for a change that
   *   another site's page has caused, and for a token whose scopes do not cover the call
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
      if (token) return admitToken(request, await holderOf(database, token), scope)
      const session = await whoami(request.headers)
      if (!session) throw new Refusal('unauthenticated', 'Sign in to use this')
      if (!isSameOrigin(request, origins)) throw new Refusal('forbidden', wordsFor(request, origins))
      const account = await accounts.of(session)
      return { account: account.id, actor: { kind: 'person', name: account.name, ip: request.ip }, log: request.log }
    },
  }
}

/** A token of ours; those of the identity service look different and go to it. */
function bearerOf({ headers }: FastifyRequest): string | null {
  const [, token] = /^Bearer (\S+)$/i.exec(headers.authorization ?? '') ?? []
  return token?.startsWith(tokenPrefix) ? token : null
}

const covers: Readonly<Record<TokenScope, readonly TokenScope[]>> = {
  SCOPE_READ: ['SCOPE_READ'],
  SCOPE_SCAN: ['SCOPE_READ', 'SCOPE_SCAN'],
  SCOPE_WRITE: ['SCOPE_READ', 'SCOPE_SCAN', 'SCOPE_WRITE'],
}

function admitToken(request: FastifyRequest, holder: TokenHolder | null, scope: TokenScope | 'session') {
  if (!holder) throw new Refusal('unauthenticated', 'This API token is unknown, was revoked or has expired')
  if (scope === 'session') throw new Refusal('forbidden', 'An API token may not do this; sign in for it')
  if (!holder.scopes.some((own) => covers[own].includes(scope)))
    throw new Refusal('forbidden', `This API token lacks ${scope}`)
  const actor: Actor = { kind: 'token', name: `API token ${holder.name}`, ip: request.ip }
  return { account: holder.account, actor, log: request.log }
}

/**
 * A cookie proves nothing about who wrote a request: a change that comes with one must say that it comes from our own
 * origin. A program that is no browser sends a token, which no other site's page can, or names our origin itself.
 */
function isSameOrigin(request: FastifyRequest, origins: readonly string[]): boolean {
  const { headers } = request
  if (isReading(request)) return true
  if (headers.origin !== undefined) return origins.includes(headers.origin)
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  return headers.cookie === undefined || headers['x-session-token'] !== undefined
}

/** Our own page, opened under another address than the operator has named, is told which one that is. */
function wordsFor({ headers }: FastifyRequest, origins: readonly string[]): string {
  const { origin = '', host } = headers
  const isHere = headers['sec-fetch-site'] === 'same-origin' || (URL.canParse(origin) && new URL(origin).host === host)
  return isHere
    ? `This page was opened as ${origin}, but Glacis is at ${origins.join(', ')}: open it there, or name its address in GLACIS_URL`
    : 'Changes are accepted from our own pages only'
}

function isReading({ method }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD'
}
