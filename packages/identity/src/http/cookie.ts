/** Cookies, read and written without a plugin, so that a host with its own is not disturbed. */

/** The cookies of a request; of two with one name the first counts. Values are taken as they are. */
export function readCookies(header: string | undefined): ReadonlyMap<string, string> {
  const cookies = new Map<string, string>()
  for (const part of (header ?? '').split(';')) {
    const at = part.indexOf('=')
    if (at < 0) continue
    const name = part.slice(0, at).trim()
    const value = part.slice(at + 1).trim()
    if (!cookies.has(name)) cookies.set(name, value.startsWith('"') ? value.slice(1, -1) : value)
  }
  return cookies
}

interface CookieOptions {
  readonly maxAgeSeconds: number
  readonly secure: boolean
  /** Also sent for clients that know no Max-Age. */
  readonly expires?: Date
}

/** A Set-Cookie line: for the whole site, out of reach of scripts, not sent by other sites' forms. */
export function writeCookie(name: string, value: string, options: CookieOptions): string {
  const parts = [
    `${name}=${value}`,
    'Path=/',
    options.expires && `Expires=${options.expires.toUTCString()}`,
    `Max-Age=${options.maxAgeSeconds}`,
    'HttpOnly',
    options.secure && 'Secure',
    'SameSite=Lax',
  ]
  return parts.filter(Boolean).join('; ')
}

/** A Set-Cookie line that removes a cookie. */
export function expireCookie(name: string, secure: boolean): string {
  return writeCookie(name, '', { maxAgeSeconds: 0, expires: new Date(1000), secure })
}
