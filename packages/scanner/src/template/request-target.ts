/**
 * Request target of a request line (RFC 9112, section 3.2), as close to the template's text as HTTP
 * allows.
 */
import { toBytes } from '#template/dsl-value.ts'

/**
 * Characters that a request line can't contain: spaces (`%20` in a path, `+` in a query), quotes,
 * angle brackets, control characters, non-ASCII, and a percent sign without two digits. Everything
 * else, including `..`, `//`, and `%2e`, is sent unchanged; a fragment is removed.
 */
export function encodePath(path: string): string {
  return encodeTarget(toBytes(path))
}

/** `encodePath` for a byte string. */
export function encodeTarget(path: string): string {
  const [sent = ''] = path.split('#', 1)
  const queryAt = sent.indexOf('?')
  return sent.replace(/%(?![\da-f]{2})|[^!#-;=?-~]/gi, (sign, at: number) => {
    if (sign === ' ' && queryAt >= 0 && at > queryAt) return '+'
    return `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
  })
}

export function withoutTrailingSlashes(path: string): string {
  let end = path.length
  while (path[end - 1] === '/') end--
  return path.slice(0, end)
}
