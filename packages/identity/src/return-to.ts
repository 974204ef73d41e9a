/** Where a browser may be sent after a flow: the portal, and the service's own flow addresses. */
import { WireError, badRequest } from '#http/error.ts'

/** An accepted address: as it was sent, and whole, which alone is ever followed. */
export interface ReturnTo {
  readonly shown: string
  readonly url: string
}

interface Places {
  readonly publicUrl: string
  readonly portalUrl: string
}

/**
 * Accepts an address below the portal (scheme, host, port and whole path segments of its base
 * compared after parsing), or a flow of this service. Relative ones stand below the portal's host.
 *
 * @returns null for no address at all
 * @throws WireError 400 when the address cannot be parsed or leads elsewhere, carries a user name,
 *   or is not of the web
 */
export function checkReturnTo(value: string | null, places: Places): ReturnTo | null {
  if (!value) return null
  // PostgreSQL holds no NUL, and no honest address holds any control character.
  if (/\p{Cc}/u.test(value)) throw unparsable(value)
  const url = parse(value, places.portalUrl)
  const isOurs = isBelow(url, places.portalUrl) || isBelow(url, `${places.publicUrl}/self-service`)
  if (!isOurs || url.username || url.password) {
    throw new WireError(400, {
      id: 'self_service_flow_return_to_forbidden',
      reason: `Requested return_to URL "${url.href}" is not allowed.`,
    })
  }
  return { shown: value, url: url.href }
}

/** An address that was accepted once, made whole again. */
export function resolveReturnTo(shown: string | null, fallback: string, places: Places): string {
  return shown ? parse(shown, places.portalUrl).href : fallback
}

function parse(value: string, base: string): URL {
  try {
    return new URL(value, `${new URL(base).origin}/`)
  } catch {
    throw unparsable(value)
  }
}

function unparsable(value: string): WireError {
  return badRequest(`Unable to parse the return_to query parameter as an URL: ${JSON.stringify(value)}`)
}

function isBelow(url: URL, base: string): boolean {
  const root = new URL(base)
  if (url.protocol !== root.protocol || url.host !== root.host) return false
  const path = root.pathname.replace(/\/+$/, '')
  return url.pathname === path || url.pathname.startsWith(`${path}/`)
}
