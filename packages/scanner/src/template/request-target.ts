/** The target of a request line (RFC 9112, section 3.2), as close to what was written as HTTP lets it leave. */
import { toBytes } from '#template/dsl-value.ts'

/**
 * What may not stand in a request line as it is: blanks (`%20` in a path, `+` in a query), quotes,
 * angle brackets, control characters, non-ASCII, and a percent sign without two digits. All else,
 * `..`, `//` and `%2e` included, leaves as written; a fragment is cut.
 */
export function encodePath(path: string): string {
  return encodeTarget(toBytes(path))
}

/** `encodePath` for what is a byte string already. */
export function encodeTarget(path: string): string {
  const [sent = ''] = path.split('#', 1)
  const queryAt = sent.indexOf('?')
  return sent.replace(/%(?![\da-f]{2})|[^!#-;=?-~]/gi, (sign, at: number) => {
    if (sign === ' ' && queryAt >= 0 && at > queryAt) return '+'
    return `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
  })
}
