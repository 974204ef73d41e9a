/** Session endpoints. */
import { lacksSecondFactor } from '#assurance.ts'
import { WireError, aal2Required, badRequest } from '#http/error.ts'
import { type HttpResponse, json, emitEvent } from '#http/exchange.ts'
import { type Exchange, secondFactorUrl, type LiveSession } from '#service.ts'
import { isUuid } from '#flow/flow.ts'
import {
  findSession,
  listOtherSessions,
  revokeOtherSessions,
  revokeSession,
  sessionBody,
  sessionCookie,
} from '#session.ts'

/** Returns the session of the request. There are no templates that turn it into a token. */
export async function whoami(exchange: Exchange): Promise<HttpResponse> {
  const session = await findSession(exchange.service, exchange.cookies.get(sessionCookie))
  if (!session) throw new WireError(401, { reason: 'No valid session credentials found in the request.' })
  if (lacksSecondFactor(exchange.service, session)) throw aal2Required(secondFactorUrl(exchange.service, null))
  const template = exchange.query.get('tokenize_as')
  if (template) throw badRequest(`Unable to find tokenizer template "${template}".`)
  return json(200, sessionBody(session, exchange.service.publicUrl), {
    'X-Kratos-Authenticated-Identity-Id': session.identity.id,
  })
}

/** Lists the identity's other sessions, newest first, with pagination. */
export async function listSessions(exchange: Exchange): Promise<HttpResponse> {
  const { service, query } = exchange
  const session = await requireSession(exchange)
  const others = await listOtherSessions(service, session)
  const page = parsePage(query)
  const shown = others.slice(page.offset, page.offset + page.size)
  return json(
    200,
    shown.map((other) => sessionBody(other, service.publicUrl)),
    pageHeaders('/sessions', others.length, page),
  )
}

/** Revokes another session. The response doesn't reveal whether the ID exists or belongs to another identity. */
export async function deleteSession(exchange: Exchange, id: string): Promise<HttpResponse> {
  const session = await requireSession(exchange)
  const problem = id.length === 36 ? 'format' : `length ${id.length}`
  if (!isUuid(id))
    throw new WireError(400, { message: `uuid: incorrect UUID ${problem} in string ${JSON.stringify(id)}` })
  if (id.toLowerCase() === session.id) throw new WireError(400, { message: 'cannot revoke current session' })
  const wasRevoked = await revokeSession(exchange.service, session.identity.id, id)
  if (wasRevoked) emitEvent(exchange, 'session_revoked', session.identity.id, id)
  return { kind: 'empty' }
}

/** Revokes all other sessions. */
export async function deleteOtherSessions(exchange: Exchange): Promise<HttpResponse> {
  const session = await requireSession(exchange)
  const count = await revokeOtherSessions(exchange.service, session.identity.id, session.id)
  if (count > 0) emitEvent(exchange, 'sessions_revoked', session.identity.id, String(count))
  return json(200, { count })
}

async function requireSession(exchange: Exchange): Promise<LiveSession> {
  const session = await exchange.session()
  if (!session) throw new WireError(401, { reason: 'No valid session cookie found.' })
  if (lacksSecondFactor(exchange.service, session)) throw aal2Required(secondFactorUrl(exchange.service, null))
  return session
}

interface Page {
  readonly offset: number
  readonly size: number
}

const pageSizeMax = 1000

function parsePage(query: URLSearchParams): Page {
  const size = Number(query.get('page_size') ?? query.get('per_page') ?? 250)
  const page = Number(query.get('page') ?? 0)
  if (!Number.isInteger(size) || size < 1 || !Number.isInteger(page) || page < 0) {
    throw badRequest('The pagination parameters must be whole numbers.')
  }
  const bounded = Math.min(size, pageSizeMax)
  return { offset: parsePageToken(query.get('page_token')) ?? page * bounded, size: bounded }
}

function parsePageToken(token: string | null): number | null {
  if (!token) return null
  const offset = /"offset":"(\d{1,9})"/.exec(Buffer.from(token, 'base64url').toString())?.[1]
  if (offset === undefined) throw badRequest('The page token is malformed.')
  return Number(offset)
}

/** Pagination headers. */
export function pageHeaders(path: string, total: number, { offset, size }: Page): Record<string, string> {
  const link = (rel: string, at: number) => {
    const token = Buffer.from(JSON.stringify({ offset: String(at), v: 2 })).toString('base64url')
    const page = Math.floor(at / size)
    return `<${path}?page=${page}&page_size=${size}&page_token=${token}&per_page=${size}>; rel="${rel}"`
  }
  const last = Math.max(0, Math.ceil(total / size) - 1) * size
  const links = [
    link('first', 0),
    offset + size < total && link('next', offset + size),
    offset > 0 && link('prev', Math.max(0, offset - size)),
    link('last', last),
  ]
  return { 'X-Total-Count': String(total), Link: links.filter(Boolean).join(',') }
}
