/**
 * The providers of organizations for users whose accounts and sessions are elsewhere, such as in an external Ory Kratos.
 * Uses the same client and checks as the flows of this service, but creates no account and no session.
 */
import type { Kysely } from 'kysely'
import { readCookies } from '#http/cookie.ts'
import { consumeState, expiredStateCookie, stateCookie } from '#oidc/authorization.ts'
import { createProviderFinder, vouchesFor } from '#oidc/organization.ts'
import type { Provider, ProviderUser } from '#oidc/provider.ts'
import type { Log, OrganizationOptions } from '#options.ts'

export interface RelyingPartyOptions {
  /** Connection with the owner role. Used states are stored in the schema `identity`. */
  // oxlint-disable-next-line typescript/no-explicit-any -- independent of the caller's tables
  readonly database: Kysely<any>
  /** The origin of the callbacks. Cookies are secure if it uses HTTPS. */
  readonly publicUrl: string
  /** Persistent secret of at least 32 bytes in hex. Encrypts the state cookie. */
  readonly secret: string
  readonly organizations: Pick<OrganizationOptions, 'find'>
  readonly log: Log
  readonly now?: () => Date
}

export type AuthorizationStart =
  | {
      readonly kind: 'redirect'
      /** The authorization request. */
      readonly url: string
      /** The Set-Cookie header with its state. */
      readonly cookie: string
    }
  | { readonly kind: 'unknown' | 'unreachable' }

export type AuthorizationEnd =
  | {
      readonly kind: 'completed'
      readonly issuer: string
      readonly user: ProviderUser
      /** The value given at the start. */
      readonly memory: unknown
      /** Whether the organization controls the domain of an address, and so vouches for it. */
      vouchesFor(address: string | null): boolean
    }
  /** `expired`: this browser didn't start the request, or it is too old or already completed. */
  | { readonly kind: 'expired' | 'denied' | 'failed' }

export interface RelyingParty {
  /**
   * Creates an authorization request.
   *
   * @param id of the provider
   * @param memory data for the callback, as JSON; the browser stores it encrypted
   */
  start(id: string, redirectUri: string, memory: unknown): Promise<AuthorizationStart>
  /**
   * Completes a request with the URL of its callback and the `Cookie` header. Each state works once.
   *
   * @param id of the provider
   */
  complete(id: string, callback: URL, cookieHeader: string | undefined): Promise<AuthorizationEnd>
  /** The Set-Cookie header that deletes the state after the callback. */
  readonly expiredCookie: string
}

/** @throws Error if the secret is too short */
export function createRelyingParty(options: RelyingPartyOptions): RelyingParty {
  const { database: db, organizations, log, now = () => new Date() } = options
  const secret = Buffer.from(options.secret, 'hex')
  if (secret.length < 32) throw new Error('The identity secret must be at least 32 bytes in hex')
  const service = { db, secret, now, isSecure: new URL(options.publicUrl).protocol === 'https:' }
  const find = createProviderFinder(organizations, now)
  const warn = (cause: unknown, { id }: Provider, message: string) => {
    log.warn({ err: cause, provider: id }, message)
    return null
  }
  return {
    expiredCookie: expiredStateCookie(service),
    async start(id, redirectUri, memory) {
      const provider = await find(id)
      if (!provider) return { kind: 'unknown' }
      const request = await provider
        .startAuthorization(redirectUri)
        .catch((cause: unknown) => warn(cause, provider, 'identity provider unreachable'))
      if (!request) return { kind: 'unreachable' }
      return { kind: 'redirect', url: request.url, cookie: stateCookie(service, id, request.checks, memory) }
    },
    async complete(id, callback, cookieHeader) {
      // Used states are only needed until they expire, and no other task deletes them here.
      await db.deleteFrom('identity.throttle').where('resets_at', '<', now()).execute()
      const provider = await find(id)
      const cookies = readCookies(cookieHeader)
      const found = provider && (await consumeState(service, { provider: id, cookies, state: stateOf(callback) }))
      if (!provider || !found) return { kind: 'expired' }
      if (callback.searchParams.has('error')) return { kind: 'denied' }
      const user = await provider
        .completeAuthorization(callback, found.checks)
        .catch((cause: unknown) => warn(cause, provider, 'identity provider response rejected'))
      if (!user) return { kind: 'failed' }
      const { issuer = '' } = provider
      return {
        kind: 'completed',
        issuer,
        user,
        memory: found.memory,
        vouchesFor: (address) => vouchesFor(provider, address),
      }
    },
  }
}

function stateOf({ searchParams }: URL): string | null {
  return searchParams.get('state')
}
