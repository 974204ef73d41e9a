/** Cookies of one server while its start page is read: some pages only appear with a session. */

export interface CookieHeaders {
  /** Keeps the cookies of a response. */
  store(headers: readonly (readonly [string, string])[]): void
  /** The `Cookie` header of the next request; empty without cookies. */
  header(): Readonly<Record<string, string>>
}

const cookiesMax = 10
const valueLengthMax = 1000

export function createCookieJar(): CookieHeaders {
  const cookies = new Map<string, string>()
  return {
    store(headers) {
      for (const [name, text] of headers) {
        const [pair = ''] = name.toLowerCase() === 'set-cookie' ? text.split(';', 1) : []
        const [key = '', ...rest] = pair.trim().split('=')
        const value = rest.join('=')
        if (
          rest.length > 0 &&
          key !== '' &&
          value.length <= valueLengthMax &&
          (cookies.has(key) || cookies.size < cookiesMax)
        )
          cookies.set(key, value)
      }
    },
    header: (): Readonly<Record<string, string>> =>
      cookies.size === 0 ? {} : { Cookie: [...cookies].map(([key, value]) => `${key}=${value}`).join('; ') },
  }
}
