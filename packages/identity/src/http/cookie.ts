/** Cookie parsing and serialization. A Fastify cookie plugin could conflict with that of the host application. */

/** Parses the Cookie header. The first of several cookies with the same name wins. Values aren't decoded. */
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
  /** For clients that don't support Max-Age. */
  readonly expires?: Date
}

/** Serializes a Set-Cookie header value. */
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

/** Serializes a Set-Cookie header value that deletes the cookie. */
export function expireCookie(name: string, secure: boolean): string {
  return writeCookie(name, '', { maxAgeSeconds: 0, expires: new Date(1000), secure })
}
