/**
 * CSRF protection with double-submit cookies (OWASP CSRF Prevention Cheat Sheet). The cookie contains a random token.
 * Forms contain it masked, so that response compression doesn't leak it (BREACH).
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

const tokenBytes = 32

/** The name depends on the public URL, so that services on the same host don't share the cookie. */
export function csrfCookieName(publicUrl: string): string {
  return `csrf_token_${createHash('sha256').update(publicUrl).digest('hex')}`
}

/** Generates a token in base64, the format of the cookie. */
export function newToken(): string {
  return randomBytes(tokenBytes).toString('base64')
}

/** True if a cookie value has the format of a token. */
export function isToken(value: string | undefined): value is string {
  return value !== undefined && Buffer.from(value, 'base64').length === tokenBytes && value.length === 44
}

/** Masks a token for a form: random bytes followed by the token XORed with them, in base64. */
export function mask(token: string): string {
  const pad = randomBytes(tokenBytes)
  return Buffer.concat([pad, xor(pad, Buffer.from(token, 'base64'))]).toString('base64')
}

/** True if a form's token, masked or not, matches the cookie's token. */
export function matchesToken(formToken: string, token: string): boolean {
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
