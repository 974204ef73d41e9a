/** A change that waits while its author signs in again: sealed, for a quarter of an hour, for one browser. */
import { createHash, randomBytes } from 'node:crypto'
import { isPrivileged } from '#assurance.ts'
import type { Flow } from '#store.ts'
import { type Fields, isFields } from '#http/body.ts'
import { expireCookie, writeCookie } from '#http/cookie.ts'
import type { Exchange, LiveSession } from '#service.ts'
import { seal, unseal } from '#seal.ts'

const continuityCookie = 'ory_kratos_continuity'
const waitMs = 15 * 60_000

/** Keeps a submit until its author has signed in again. */
export async function pause(exchange: Exchange, flow: Flow, session: LiveSession, fields: Fields): Promise<void> {
  const { service, setCookies } = exchange
  const token = randomBytes(32).toString('base64url')
  const expiresAt = new Date(service.now().getTime() + waitMs)
  await service.db
    .insertInto('identity.continuity')
    .values({
      token_hash: hashOf(token),
      flow_id: flow.id,
      identity_id: session.identity.id,
      sealed: seal(service, 'identity continuity', JSON.stringify(fields)),
      expires_at: expiresAt,
    })
    .execute()
  const options = { maxAgeSeconds: waitMs / 1000, expires: expiresAt, secure: service.isSecure }
  setCookies.set(continuityCookie, writeCookie(continuityCookie, token, options))
}

/**
 * Takes up what was kept, once. Only the browser that was interrupted has its cookie, only a session
 * that is fresh again may go on, and only in the same flow of the same account.
 */
export async function resume(exchange: Exchange, flow: Flow, session: LiveSession): Promise<Fields | null> {
  const { service, cookies, setCookies } = exchange
  const token = cookies.get(continuityCookie)
  if (!token || !isPrivileged(service, session)) return null
  setCookies.set(continuityCookie, expireCookie(continuityCookie, service.isSecure))
  const kept = await service.db
    .deleteFrom('identity.continuity')
    .where('token_hash', '=', hashOf(token))
    .returningAll()
    .executeTakeFirst()
  const isMeant = kept?.flow_id === flow.id && kept.identity_id === session.identity.id
  if (!kept || !isMeant || kept.expires_at <= service.now()) return null
  const fields: unknown = JSON.parse(unseal(service, 'identity continuity', kept.sealed))
  return isFields(fields) ? fields : null
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
