/** Authorization requests: redirect to a provider, with the state for the callback in an encrypted cookie. */
import { z } from 'zod'
import { expireCookie, writeCookie } from '#http/cookie.ts'
import { badRequest, locationChangeRequired } from '#http/error.ts'
import type { Exchange, Service } from '#service.ts'
import { type Checks, type Provider } from '#oidc/provider.ts'
import { seal, unseal } from '#seal.ts'
import type { Flow } from '#store.ts'
import { claimOnce } from '#throttle.ts'

const cookieName = 'glacis_provider'
const lifetimeMs = 30 * 60_000

const PendingAuthorization = z.object({
  provider: z.string(),
  kind: z.enum(['login', 'registration', 'settings']),
  flowId: z.uuid(),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  /** Traits submitted before the redirect, for a registration. */
  traits: z.unknown().optional(),
  expiresAt: z.iso.datetime(),
})
export type PendingAuthorization = z.infer<typeof PendingAuthorization>

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
  const expires = new Date(service.now().getTime() + lifetimeMs)
  const authorization = {
    provider: provider.id,
    kind: flow.kind,
    flowId: flow.id,
    ...request.checks,
    traits,
    expiresAt: expires.toISOString(),
  }
  const value = seal(service, 'identity provider', JSON.stringify(authorization)).toString('base64url')
  const options = { maxAgeSeconds: lifetimeMs / 1000, expires, secure: service.isSecure }
  setCookies.set(cookieName, writeCookie(cookieName, value, options))
  throw locationChangeRequired(request.url)
}

/**
 * Takes the pending authorization of a callback, once.
 *
 * @throws WireError 400 if the browser has none for this provider and state, or if it has expired or was already used
 */
export async function consumeAuthorization(
  exchange: Exchange,
  provider: string,
): Promise<PendingAuthorization & { checks: Checks }> {
  const { service, query, cookies, setCookies } = exchange
  const authorization = readAuthorization(service, cookies.get(cookieName))
  const isExpected = authorization?.provider === provider && authorization.state === query.get('state')
  const expiresAt = new Date(authorization?.expiresAt ?? 0)
  const isFirstUse =
    authorization &&
    isExpected &&
    expiresAt > service.now() &&
    (await claimOnce(service, authorization.state, expiresAt))
  if (!isFirstUse) throw badRequest('Unable to complete OpenID Connect flow because the state parameter is invalid.')
  setCookies.set(cookieName, expireCookie(cookieName, service.isSecure))
  const { state, nonce, verifier } = authorization
  return { ...authorization, checks: { state, nonce, verifier } }
}

function readAuthorization(service: Service, value: string | undefined): PendingAuthorization | null {
  if (!value) return null
  try {
    return PendingAuthorization.parse(JSON.parse(unseal(service, 'identity provider', Buffer.from(value, 'base64url'))))
  } catch {
    // Not a value that this service sealed.
    return null
  }
}
