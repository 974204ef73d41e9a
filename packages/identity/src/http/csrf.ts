/**
 * Double submit against cross-site forms. The cookie holds 32 random bytes; a form holds them masked,
 * so that compression of the page tells nothing of them. See OWASP's CSRF prevention cheat sheet.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

const tokenBytes = 32

/** The cookie's name follows from the public address, so that two services on one host do not meet. */
export function csrfCookieName(publicUrl: string): string {
  return `csrf_token_${createHash('sha256').update(publicUrl).digest('hex')}`
}

/** A new token, in base64 as the cookie carries it. */
export function newToken(): string {
  return randomBytes(tokenBytes).toString('base64')
}

/** True for a cookie value that this service could have set. */
export function isToken(value: string | undefined): value is string {
  return value !== undefined && Buffer.from(value, 'base64').length === tokenBytes && value.length === 44
}

/** A form's token: 32 random bytes and the real token XORed with them, in base64. */
export function mask(token: string): string {
  const pad = randomBytes(tokenBytes)
  return Buffer.concat([pad, xor(pad, Buffer.from(token, 'base64'))]).toString('base64')
}

/** True when a form's token, masked or plain, is the cookie's. */
export function fits(formToken: string, token: string): boolean {
  const sent = Buffer.from(formToken, 'base64')
  const real = Buffer.from(token, 'base64')
  if (real.length !== tokenBytes) return false
  if (sent.length === tokenBytes) return timingSafeEqual(sent, real)
  if (sent.length !== 2 * tokenBytes) return false
  return timingSafeEqual(xor(sent.subarray(0, tokenBytes), sent.subarray(tokenBytes)), real)
}

function xor(a: Buffer, b: Buffer): Buffer {
  return Buffer.from(a.map((byte, index) => byte ^ (b[index] ?? 0)))
}
