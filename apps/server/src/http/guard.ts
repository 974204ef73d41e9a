/** Authenticates and authorizes every API request. */
import type { TokenScope } from '@glacis/contract/access'
import type { Session } from '@glacis/contract/identity'
import { type CallName, isAllowed, isWithin, permissions, roleMessage } from '@glacis/contract/permissions'
import { type Role, errorReasons, workspaceHeader } from '@glacis/contract/role'
import type { IncomingHttpHeaders } from 'node:http'
import type { Actor, Log, Person, Visit } from '#ctx.ts'
import type { Database } from '#database/index.ts'
import { ApiError, notFound } from '#errors.ts'
import { accessOf } from '#installation/index.ts'
import { isWithinNetworks, requireNetwork } from '#networks.ts'
import { ownerOfToken, tokenPrefix, type TokenOwner } from '#tokens.ts'
import { type Memberships, personOf } from '#workspaces/index.ts'
import type { FastifyRequest } from 'fastify'

export interface Admitted {
  readonly workspace: string
  readonly actor: Actor
  readonly log: Log
}

export interface Guard {
  /**
   * Returns the workspace and actor of a request.
   * @param workspace overrides the request, to check again what was admitted before; doesn't count as activity of the user
   * @throws ApiError `unauthenticated` without a valid session or token; `forbidden` for cross-origin changes, roles that
   *   may not make the call, and tokens without the required scope; `not_found` for someone else's workspace
   */
  admit(request: FastifyRequest, call: CallName, workspace?: string): Promise<Admitted>
  /** Returns the person of a request that isn't about a workspace. @throws ApiError like `admit` */
  admitPerson(request: FastifyRequest): Promise<Visit>
  /** Returns the administrator of a request about the installation. @throws ApiError like `admitPerson`; `forbidden` for others */
  admitAdministrator(request: FastifyRequest): Promise<Visit>
}

/** @param isActivity false if no user caused the request, so that it doesn't keep an idle session alive */
export type Whoami = (headers: IncomingHttpHeaders, options?: { isActivity?: boolean }) => Promise<Session | null>

export function createGuard(
  whoami: Whoami,
  memberships: Memberships,
  origins: readonly string[],
  database: Pick<Database, 'owner'>,
): Guard {
  const personIn = async (request: FastifyRequest, isActivity = true): Promise<Person> => {
    const session = await whoami(request.headers, { isActivity })
    if (!session) throw new ApiError('unauthenticated', 'Authentication required')
    if (!isSameOrigin(request, origins)) throw new ApiError('forbidden', originErrorMessage(request, origins))
    return personOf(session)
  }
  const visitOf = async (request: FastifyRequest) => {
    if (bearerOf(request)) throw notForTokens()
    const person = await personIn(request)
    const { isAdministrator, signInNetworks } = await accessOf(database.owner, person.identityId)
    requireNetwork([signInNetworks], request.ip)
    return { visit: { person, actor: actorOf(request, person), log: request.log }, isAdministrator }
  }
  return {
    async admit(request, call, admitted) {
      const token = bearerOf(request)
      if (token) return admitToken(request, await ownerOfToken(database, token), call)
      const person = await personIn(request, admitted === undefined)
      const { workspace, role, networks } = await memberships.of(person, admitted ?? requestedWorkspace(request), {
        actor: actorOf(request, person),
        isActivity: admitted === undefined,
      })
      requireNetwork(networks, request.ip)
      requireRole(role, call)
      return { workspace, actor: { ...actorOf(request, person), role }, log: request.log }
    },
    async admitPerson(request) {
      return (await visitOf(request)).visit
    },
    async admitAdministrator(request) {
      const { visit, isAdministrator } = await visitOf(request)
      if (isAdministrator) return visit
      throw new ApiError('forbidden', 'Only administrators of the installation can do this', {
        reason: errorReasons.administrator,
      })
    },
  }
}

/** The header, or a query parameter for streams and downloads, for which browsers send no header. */
function requestedWorkspace({ headers, url }: FastifyRequest): string | undefined {
  const value = headers[workspaceHeader.toLowerCase()] ?? new URLSearchParams(url.split('?')[1]).get('workspace')
  return typeof value === 'string' && value !== '' ? value.toLowerCase() : undefined
}

const userAgentMax = 512

function actorOf(request: FastifyRequest, { identityId, name }: Person): Actor {
  return { kind: 'person', name, ip: request.ip, id: identityId, userAgent: userAgentOf(request) }
}

function userAgentOf({ headers }: FastifyRequest): string {
  return (headers['user-agent'] ?? '').slice(0, userAgentMax)
}

function requireRole(role: Role, call: CallName): void {
  if (isAllowed(role, call)) return
  throw new ApiError('forbidden', roleMessage(role, call), {
    reason: errorReasons.role,
    metadata: { role, allowedRoles: permissions[call].roles?.join(',') ?? '' },
  })
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

function admitToken(request: FastifyRequest, owner: TokenOwner | null, call: CallName): Admitted {
  if (!owner) throw new ApiError('unauthenticated', 'This API token is invalid, revoked, or expired')
  if (owner.creatorRole === null)
    throw new ApiError('unauthenticated', 'The member who created this API token no longer has access')
  if (!isWithinNetworks(owner.allowedNetworks, request.ip))
    throw new ApiError('forbidden', `This API token can't be used from ${request.ip}`)
  const { scope } = permissions[call]
  if (scope === 'session' || scope === 'installation' || scope === 'none') throw notForTokens()
  if (!owner.scopes.some((granted) => covers[granted].includes(scope)))
    throw new ApiError('forbidden', `This API token lacks the scope ${scope}`)
  const requested = requestedWorkspace(request)
  if (requested !== undefined && requested !== owner.workspace) throw notFound('workspace', requested.slice(0, 100))
  // Check both roles, because the creator's role may have been lowered since the token was created.
  requireRole(owner.creatorRole, call)
  requireRole(owner.role, call)
  const actor: Actor = {
    kind: 'token',
    name: `API token ${owner.name}`,
    ip: request.ip,
    id: owner.creatorId,
    role: isWithin(owner.role, owner.creatorRole) ? owner.role : owner.creatorRole,
    userAgent: userAgentOf(request),
  }
  return { workspace: owner.workspace, actor, log: request.log }
}

function notForTokens(): ApiError {
  return new ApiError('forbidden', 'API tokens cannot perform this action; sign in instead')
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
