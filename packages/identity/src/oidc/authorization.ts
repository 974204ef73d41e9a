/** Authorization requests: redirect to a provider, with the state for the callback in an encrypted cookie. */
import { z } from 'zod'
import { expireCookie, writeCookie } from '#http/cookie.ts'
import { badRequest, locationChangeRequired } from '#http/error.ts'
import type { Exchange, Service } from '#service.ts'
import type { Checks, Provider } from '#oidc/provider.ts'
import { seal, unseal } from '#seal.ts'
import type { Flow } from '#store.ts'
import { claimOnce } from '#throttle.ts'

const cookieName = 'glacis_provider'
const lifetimeMs = 30 * 60_000

const Sealed = z.object({
  provider: z.string(),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  expiresAt: z.iso.datetime(),
  /** Data for the callback; see `FlowMemory` for that of this service. */
  memory: z.unknown(),
})

/** Data for the callback of a flow. */
const FlowMemory = z.object({
  kind: z.enum(['login', 'registration', 'settings']),
  flowId: z.uuid(),
  /** Traits submitted before the redirect, for a registration. */
  traits: z.unknown().optional(),
})
export type PendingAuthorization = z.infer<typeof FlowMemory> & { readonly checks: Checks }

/** The parts of the service that authorization requests use. */
export type StateService = Pick<Service, 'db' | 'secret' | 'isSecure' | 'now'>

/** The redirect URI of a provider. */
export function callbackUrl({ publicUrl }: Service, provider: string): string {
  return `${publicUrl}/self-service/methods/oidc/callback/${encodeURIComponent(provider)}`
}

/**
 * Redirects the browser to a provider.
 *
 * @returns only if the provider can't be reached
 * @throws WireError 422 with the provider's URL
 */
export async function redirectToProvider(
  exchange: Exchange,
  provider: Provider,
  flow: Flow,
  traits?: unknown,
): Promise<'unreachable'> {
  const { service, setCookies } = exchange
  const request = await provider.startAuthorization(callbackUrl(service, provider.id)).catch((cause: unknown) => {
    service.log.warn({ err: cause, provider: provider.id }, 'identity provider unreachable')
    return null
  })
  if (!request) return 'unreachable'
  const memory = { kind: flow.kind, flowId: flow.id, traits }
  setCookies.set(cookieName, stateCookie(service, provider.id, request.checks, memory))
  throw locationChangeRequired(request.url)
}

/**
 * The Set-Cookie header with the encrypted state of an authorization request.
 *
 * @param memory data for the callback
 */
export function stateCookie(service: StateService, provider: string, checks: Checks, memory: unknown): string {
  const expires = new Date(service.now().getTime() + lifetimeMs)
  const sealed: z.infer<typeof Sealed> = { provider, ...checks, expiresAt: expires.toISOString(), memory }
  const value = seal(service, 'identity provider', JSON.stringify(sealed)).toString('base64url')
  return writeCookie(cookieName, value, { maxAgeSeconds: lifetimeMs / 1000, expires, secure: service.isSecure })
}

/** The Set-Cookie header that deletes the state. */
export function expiredStateCookie({ isSecure }: StateService): string {
  return expireCookie(cookieName, isSecure)
}

/**
 * Takes the pending authorization of a callback, once.
 *
 * @throws WireError 400 if the browser has none for this provider and state, or if it has expired or was already used
 */
export async function consumeAuthorization(exchange: Exchange, provider: string): Promise<PendingAuthorization> {
  const { service, query, cookies, setCookies } = exchange
  const found = await consumeState(service, { provider, cookies, state: query.get('state') })
  const memory = FlowMemory.safeParse(found?.memory)
  if (!found || !memory.success)
    throw badRequest('Unable to complete OpenID Connect flow because the state parameter is invalid.')
  setCookies.set(cookieName, expiredStateCookie(service))
  return { ...memory.data, checks: found.checks }
}

/**
 * Takes the state of an authorization request, once.
 *
 * @param callback the provider, the browser's cookies, and the parameter `state` of the callback
 * @returns null if the browser has none for this provider and state, or if it has expired or was already used
 */
export async function consumeState(
  service: StateService,
  callback: {
    readonly provider: string
    readonly cookies: ReadonlyMap<string, string>
    readonly state: string | null
  },
): Promise<{ readonly checks: Checks; readonly memory: unknown } | null> {
  const found = readState(service, callback.cookies.get(cookieName))
  if (found?.provider !== callback.provider || found.state !== callback.state) return null
  const expiresAt = new Date(found.expiresAt)
  if (expiresAt <= service.now() || !(await claimOnce(service, found.state, expiresAt))) return null
  const { state, nonce, verifier, memory } = found
  return { checks: { state, nonce, verifier }, memory }
}

function readState(service: StateService, value: string | undefined): z.infer<typeof Sealed> | null {
  if (!value) return null
  try {
    return Sealed.parse(JSON.parse(unseal(service, 'identity provider', Buffer.from(value, 'base64url'))))
  } catch {
    // Not a value that this service sealed.
    return null
  }
}
