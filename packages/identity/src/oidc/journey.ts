/** The way to a provider and back: what must be known again is sealed into a cookie of the browser that went. */
import { z } from 'zod'
import { expireCookie, writeCookie } from '#http/cookie.ts'
import { badRequest, locationChangeRequired } from '#http/error.ts'
import type { Exchange, Service } from '#service.ts'
import { type Checks, type Provider } from '#oidc/provider.ts'
import { seal, unseal } from '#seal.ts'
import type { Flow } from '#store.ts'
import { once } from '#throttle.ts'

const cookie = 'glacis_provider'
const waitMs = 30 * 60_000

const Journey = z.object({
  provider: z.string(),
  kind: z.enum(['login', 'registration', 'settings']),
  flowId: z.uuid(),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  /** What the person typed before going, for an account that is to be made. */
  traits: z.unknown().optional(),
  expiresAt: z.iso.datetime(),
})
export type Journey = z.infer<typeof Journey>

/** Where a provider sends the browser back to. */
export function callbackUrl({ publicUrl }: Service, provider: string): string {
  return `${publicUrl}/self-service/methods/oidc/callback/${encodeURIComponent(provider)}`
}

/**
 * Sends the browser to a provider.
 *
 * @returns only when the provider cannot be reached
 * @throws WireError 422 with the provider's address
 */
export async function depart(
  exchange: Exchange,
  provider: Provider,
  flow: Flow,
  traits?: unknown,
): Promise<'unreachable'> {
  const { service, setCookies } = exchange
  const departure = await provider.begin(callbackUrl(service, provider.id)).catch((cause: unknown) => {
    service.log.warn({ err: cause, provider: provider.id }, 'identity provider not reached')
    return null
  })
  if (!departure) return 'unreachable'
  const expires = new Date(service.now().getTime() + waitMs)
  const journey = {
    provider: provider.id,
    kind: flow.kind,
    flowId: flow.id,
    ...departure.checks,
    traits,
    expiresAt: expires.toISOString(),
  }
  const value = seal(service, 'identity provider', JSON.stringify(journey)).toString('base64url')
  const options = { maxAgeSeconds: waitMs / 1000, expires, secure: service.isSecure }
  setCookies.set(cookie, writeCookie(cookie, value, options))
  throw locationChangeRequired(departure.url)
}

/**
 * The journey from which a browser comes back, once.
 *
 * @throws WireError 400 when the browser did not leave for this provider, or came back before
 */
export async function arrive(exchange: Exchange, provider: string): Promise<Journey & { checks: Checks }> {
  const { service, query, cookies, setCookies } = exchange
  const journey = readJourney(service, cookies.get(cookie))
  const isMeant = journey?.provider === provider && journey.state === query.get('state')
  const expiresAt = new Date(journey?.expiresAt ?? 0)
  const isNew = journey && isMeant && expiresAt > service.now() && (await once(service, journey.state, expiresAt))
  if (!isNew) throw badRequest('Unable to complete OpenID Connect flow because the state parameter is invalid.')
  setCookies.set(cookie, expireCookie(cookie, service.isSecure))
  const { state, nonce, verifier } = journey
  return { ...journey, checks: { state, nonce, verifier } }
}

function readJourney(service: Service, value: string | undefined): Journey | null {
  if (!value) return null
  try {
    return Journey.parse(JSON.parse(unseal(service, 'identity provider', Buffer.from(value, 'base64url'))))
  } catch {
    // Whatever was not sealed here is no journey.
    return null
  }
}
