/** Logout flow. The logout URL contains a token derived from the session. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { WireError, badRequest, sessionInactive } from '#http/error.ts'
import {
  type HttpResponse,
  clearSessionCookie,
  ensureCsrfToken,
  json,
  redirect,
  renewCsrfToken,
  emitEvent,
} from '#http/exchange.ts'
import { type Exchange, type Service, pageUrl, type LiveSession } from '#service.ts'
import { checkReturnTo } from '#return-to.ts'
import { revokeSession } from '#session.ts'

/** Creates the logout URL. */
export async function startLogout(exchange: Exchange): Promise<HttpResponse> {
  const { service } = exchange
  ensureCsrfToken(exchange)
  const session = await exchange.session()
  if (!session) throw sessionInactive()
  const returnTo = checkReturnTo(exchange.query.get('return_to'), service)
  const token = logoutToken(service, session)
  const query = new URLSearchParams({ ...(returnTo && { return_to: returnTo.original }), token })
  return json(200, { logout_url: `${service.publicUrl}/self-service/logout?${query}`, logout_token: token })
}

/** Revokes the session. This GET request has a side effect, so it requires the logout token. */
export async function finishLogout(exchange: Exchange): Promise<HttpResponse> {
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
  clearSessionCookie(exchange)
  renewCsrfToken(exchange)
  emitEvent(exchange, 'signed_out', session.identity.id)
  if (exchange.wantsJson) return { kind: 'empty' }
  return redirect(returnTo?.url ?? pageUrl(service, 'login'))
}

/** The logout token is derived from the session ID and the secret, so it is stable and isn't stored. */
function logoutToken(service: Service, session: LiveSession): string {
  const mac = createHmac('sha256', service.secret).update(`logout ${session.id}`).digest('hex')
  return `ory_lo_${mac.slice(0, 32)}`
}

/** Compares logout tokens in constant time. */
function isLogoutToken(service: Service, session: LiveSession, token: string): boolean {
  const expected = Buffer.from(logoutToken(service, session))
  const submitted = Buffer.from(token)
  return submitted.length === expected.length && timingSafeEqual(submitted, expected)
}
