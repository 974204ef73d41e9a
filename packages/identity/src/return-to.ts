/** Validation of `return_to`: a flow may only redirect to the portal or to this service's own flows. */
import { WireError, badRequest } from '#http/error.ts'

/** An allowed URL: as requested, and resolved. Only the resolved URL is used for redirects. */
export interface ReturnTo {
  readonly original: string
  readonly url: string
}

interface BaseUrls {
  readonly publicUrl: string
  readonly portalUrl: string
}

/**
 * Input that Kratos can't parse but browsers and `URL` accept: control characters, which they strip, incomplete
 * percent-encodings of the path, and backslashes in the host, which they treat as slashes.
 */
const unparsable = [/\p{Cc}/u, /^[^?]*%(?![\da-f]{2})/i, /^[a-z][a-z\d+.-]*:\/\/[^/?#]*\\/i]

/**
 * Allows URLs below the portal's base URL and this service's own flows. Compares the scheme, host, port, and whole path
 * segments of the parsed URL. Relative URLs are resolved against the portal's origin.
 *
 * @returns null if no URL was given
 * @throws WireError 400 if the URL is malformed, isn't allowed, or contains credentials
 */
export function checkReturnTo(value: string | null, baseUrls: BaseUrls): ReturnTo | null {
  if (!value) return null
  if (unparsable.some((pattern) => pattern.test(value))) throw malformed(value)
  const url = parse(value, baseUrls.portalUrl)
  const isAllowed = isUnder(url, baseUrls.portalUrl) || isUnder(url, `${baseUrls.publicUrl}/self-service`)
  if (!isAllowed || url.username || url.password) {
    throw new WireError(400, {
      id: 'self_service_flow_return_to_forbidden',
      reason: `Requested return_to URL "${url.href}" is not allowed.`,
    })
  }
  return { original: value, url: url.href }
}

/** Resolves a URL that `checkReturnTo` accepted earlier. */
export function resolveReturnTo(original: string | null, fallback: string, baseUrls: BaseUrls): string {
  return original ? parse(original, baseUrls.portalUrl).href : fallback
}

function parse(value: string, base: string): URL {
  try {
    return new URL(value, `${new URL(base).origin}/`)
  } catch {
    throw malformed(value)
  }
}

function malformed(value: string): WireError {
  return badRequest(`Unable to parse the return_to query parameter as an URL: ${JSON.stringify(value)}`)
}

function isUnder(url: URL, base: string): boolean {
  const root = new URL(base)
  if (url.protocol !== root.protocol || url.host !== root.host) return false
  const path = root.pathname.replace(/\/+$/, '')
  return url.pathname === path || url.pathname.startsWith(`${path}/`)
}
