/** Continuity: resumes a settings submission after reauthentication. It is encrypted, expires, and is tied to a browser. */
import { createHash, randomBytes } from 'node:crypto'
import { isPrivileged } from '#assurance.ts'
import type { Flow } from '#store.ts'
import { type Fields, isFields } from '#http/body.ts'
import { expireCookie, writeCookie } from '#http/cookie.ts'
import type { Exchange, LiveSession } from '#service.ts'
import { seal, unseal } from '#seal.ts'

const continuityCookie = 'ory_kratos_continuity'
const lifetimeMs = 15 * 60_000

/** Stores a submission until the user has reauthenticated. */
export async function pause(exchange: Exchange, flow: Flow, session: LiveSession, fields: Fields): Promise<void> {
  const { service, setCookies } = exchange
  const token = randomBytes(32).toString('base64url')
  const expiresAt = new Date(service.now().getTime() + lifetimeMs)
  await service.db
    .insertInto('identity.continuity')
    .values({
      token_hash: hashToken(token),
      flow_id: flow.id,
      identity_id: session.identity.id,
      sealed: seal(service, 'identity continuity', JSON.stringify(fields)),
      expires_at: expiresAt,
    })
    .execute()
  const options = { maxAgeSeconds: lifetimeMs / 1000, expires: expiresAt, secure: service.isSecure }
  setCookies.set(continuityCookie, writeCookie(continuityCookie, token, options))
}

/**
 * Takes the paused submission, once. Requires the browser's continuity cookie, a privileged session, and the same flow
 * and identity.
 */
export async function resume(exchange: Exchange, flow: Flow, session: LiveSession): Promise<Fields | null> {
  const { service, cookies, setCookies } = exchange
  const token = cookies.get(continuityCookie)
  if (!token || !isPrivileged(service, session)) return null
  setCookies.set(continuityCookie, expireCookie(continuityCookie, service.isSecure))
  const paused = await service.db
    .deleteFrom('identity.continuity')
    .where('token_hash', '=', hashToken(token))
    .returningAll()
    .executeTakeFirst()
  const isMatch = paused?.flow_id === flow.id && paused.identity_id === session.identity.id
  if (!paused || !isMatch || paused.expires_at <= service.now()) return null
  const fields: unknown = JSON.parse(unseal(service, 'identity continuity', paused.sealed))
  return isFields(fields) ? fields : null
}

function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
