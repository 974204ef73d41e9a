/** Ending one's session by a link that only its holder knows. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { WireError, badRequest, sessionInactive } from '#http/error.ts'
import { type Answer, clearSession, csrfOf, json, redirect, renewCsrf, tell } from '#http/exchange.ts'
import { type Exchange, type Service, pageUrl, type LiveSession } from '#service.ts'
import { checkReturnTo } from '#return-to.ts'
import { revokeSession } from '#session.ts'

/** Makes the link; it stays the same for the session's life. */
export async function startLogout(exchange: Exchange): Promise<Answer> {
  const { service } = exchange
  csrfOf(exchange)
  const returnTo = checkReturnTo(exchange.query.get('return_to'), service)
  const session = await exchange.session()
  if (!session) throw sessionInactive()
  const token = logoutToken(service, session)
  const query = new URLSearchParams({ ...(returnTo && { return_to: returnTo.shown }), token })
  return json(200, { logout_url: `${service.publicUrl}/self-service/logout?${query}`, logout_token: token })
}

/** Ends the session. The one change that a GET makes, for which its token must be right. */
export async function finishLogout(exchange: Exchange): Promise<Answer> {
  const { service, query } = exchange
  const returnTo = checkReturnTo(query.get('return_to'), service)
  const token = query.get('token')
  if (!token) throw badRequest('Please include a token in the URL query.')
  const session = await exchange.session()
  if (!session) throw sessionInactive()
  if (!isLogoutToken(service, session, token)) {
    throw new WireError(403, {
      reason: 'Unable to log out because the logout token in the URL query does not match the session cookie.',
    })
  }
  await revokeSession(service, session.identity.id, session.id)
  clearSession(exchange)
  renewCsrf(exchange)
  tell(exchange, 'signed_out', session.identity.id)
  if (exchange.wantsJson) return { kind: 'empty' }
  return redirect(returnTo?.url ?? pageUrl(service, 'login'))
}

/** The token that ends a session by a link; the same for the session's whole life, and not stored. */
function logoutToken(service: Service, session: LiveSession): string {
  const mac = createHmac('sha256', service.secret).update(`logout ${session.id}`).digest('hex')
  return `ory_lo_${mac.slice(0, 32)}`
}

/** Compares a logout token without telling where it differs. */
function isLogoutToken(service: Service, session: LiveSession, token: string): boolean {
  const expected = Buffer.from(logoutToken(service, session))
  const given = Buffer.from(token)
  return given.length === expected.length && timingSafeEqual(given, expected)
}
