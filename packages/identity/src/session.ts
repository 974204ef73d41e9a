/** Sessions: opaque cookies, stored as hashes, ended at once by revoking their row. */
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { type Identity, getIdentity, identityBody, identityColumns } from '#identities.ts'
import type { Client, LiveSession, Service } from '#service.ts'
import type { AuthenticationMethod, Device } from '#store.ts'

export const sessionCookie = 'ory_kratos_session'
/** Longest user agent that is kept, in bytes. */
const userAgentBytesMax = 512

/** A session and the cookie value that opens it, which is known at this moment only. */
export interface IssuedSession {
  readonly session: LiveSession
  readonly token: string
}

interface SessionRow extends Identity {
  readonly session_id: string
  readonly aal: 'aal1' | 'aal2'
  readonly authentication_methods: readonly AuthenticationMethod[]
  readonly devices: readonly Device[]
  readonly issued_at: Date
  readonly authenticated_at: Date
  readonly expires_at: Date
}

/** The session that a cookie opens; null when there is none, it is over, or its account is inactive. */
export async function findSession(
  service: Pick<Service, 'db' | 'now'>,
  token: string | undefined,
): Promise<LiveSession | null> {
  if (!token) return null
  const rows = await selectSessions(service, sql`session.token_hash = ${hashOf(token)}`)
  return rows[0] ?? null
}

/** The account's other live sessions, newest first. */
export async function listOthers(service: Service, session: LiveSession): Promise<LiveSession[]> {
  return selectSessions(service, sql`session.identity_id = ${session.identity.id} and session.id <> ${session.id}`)
}

/** Live sessions, newest first. */
async function selectSessions(
  service: Pick<Service, 'db' | 'now'>,
  where: ReturnType<typeof sql>,
): Promise<LiveSession[]> {
  const { rows } = await sql<SessionRow>`
    select session.id as session_id, session.aal, session.authentication_methods, session.devices,
           session.issued_at, session.authenticated_at, session.expires_at, ${identityColumns}
    from identity.session as session
    join identity.identity as person on person.id = session.identity_id
    where session.active
      and session.expires_at > ${service.now()}
      and person.state = 'active'
      and ${where}
    order by session.issued_at desc, session.id`.execute(service.db)
  return rows.map(
    ({ session_id, aal, authentication_methods, devices, issued_at, authenticated_at, expires_at, ...identity }) => ({
      id: session_id,
      identity,
      aal,
      authentication_methods,
      devices,
      issued_at,
      authenticated_at,
      expires_at,
    }),
  )
}

/** By what somebody proved who it is. */
export type Factor = Pick<AuthenticationMethod, 'method' | 'provider'>

/** Opens a new session by a first factor. */
export async function issueSession(
  service: Service,
  identityId: string,
  factor: Factor,
  client: Client,
): Promise<IssuedSession> {
  const now = service.now()
  const token = randomBytes(32).toString('base64url')
  const session: LiveSession = {
    id: randomUUID(),
    identity: await getIdentity(service.db, identityId),
    aal: 'aal1',
    authentication_methods: [proof(factor, now)],
    devices: [deviceOf(client)],
    issued_at: now,
    authenticated_at: now,
    expires_at: new Date(now.getTime() + service.lifespans.sessionMs),
  }
  await service.db
    .insertInto('identity.session')
    .values({
      id: session.id,
      identity_id: identityId,
      token_hash: hashOf(token),
      active: true,
      aal: session.aal,
      authentication_methods: JSON.stringify(session.authentication_methods),
      devices: JSON.stringify(session.devices),
      issued_at: session.issued_at,
      authenticated_at: session.authenticated_at,
      expires_at: session.expires_at,
    })
    .execute()
  return { session, token }
}

/** Renews or raises a session whose holder has proved again who it is; the cookie's value changes. */
export async function renewSession(
  service: Service,
  session: LiveSession,
  factor: Factor,
  aal: 'aal1' | 'aal2' = 'aal1',
): Promise<IssuedSession> {
  const now = service.now()
  const token = randomBytes(32).toString('base64url')
  const renewed: LiveSession = {
    ...session,
    // A code that was mailed has proved an address since the session was read.
    identity: await getIdentity(service.db, session.identity.id),
    aal: aal === 'aal2' ? 'aal2' : session.aal,
    authentication_methods: [...session.authentication_methods, proof(factor, now, aal)].slice(-20),
    authenticated_at: now,
    expires_at: new Date(now.getTime() + service.lifespans.sessionMs),
  }
  await service.db
    .updateTable('identity.session')
    .set({
      token_hash: hashOf(token),
      aal: renewed.aal,
      authentication_methods: JSON.stringify(renewed.authentication_methods),
      authenticated_at: renewed.authenticated_at,
      expires_at: renewed.expires_at,
    })
    .where('id', '=', session.id)
    .execute()
  return { session: renewed, token }
}

/** Adds a proof to a session whose holder gave it on the way to something else; the cookie's value changes. */
export async function raiseSession(
  service: Service,
  session: LiveSession,
  { method, aal }: Pick<AuthenticationMethod, 'method' | 'aal'>,
): Promise<IssuedSession> {
  const token = randomBytes(32).toString('base64url')
  const raised: LiveSession = {
    ...session,
    aal: aal === 'aal2' ? 'aal2' : session.aal,
    authentication_methods: [...session.authentication_methods, proof({ method }, service.now(), aal)].slice(-20),
  }
  await service.db
    .updateTable('identity.session')
    .set({
      token_hash: hashOf(token),
      aal: raised.aal,
      authentication_methods: JSON.stringify(raised.authentication_methods),
    })
    .where('id', '=', session.id)
    .execute()
  return { session: raised, token }
}

/** Ends one session of an account; false when the account has no such live session. */
export async function revokeSession(service: Service, identityId: string, sessionId: string): Promise<boolean> {
  const { numUpdatedRows } = await service.db
    .updateTable('identity.session')
    .set({ active: false })
    .where('id', '=', sessionId)
    .where('identity_id', '=', identityId)
    .where('active', '=', true)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Ends all sessions of an account but one. @returns how many were alive */
export async function revokeOthers(service: Service, identityId: string, keptSessionId: string): Promise<number> {
  const { numUpdatedRows } = await service.db
    .updateTable('identity.session')
    .set({ active: false })
    .where('identity_id', '=', identityId)
    .where('id', '<>', keptSessionId)
    .where('active', '=', true)
    .where('expires_at', '>', service.now())
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** A session as the wire shows it. */
export function sessionBody(session: LiveSession, publicUrl: string) {
  return {
    id: session.id,
    active: true,
    expires_at: session.expires_at.toISOString(),
    authenticated_at: session.authenticated_at.toISOString(),
    authenticator_assurance_level: session.aal,
    authentication_methods: session.authentication_methods,
    issued_at: session.issued_at.toISOString(),
    identity: identityBody(session.identity, publicUrl),
    devices: session.devices,
  }
}

function proof({ method, provider }: Factor, now: Date, aal: 'aal1' | 'aal2' = 'aal1'): AuthenticationMethod {
  return { method, aal, completed_at: now.toISOString(), ...(provider && { provider }) }
}

function deviceOf(client: Client): Device {
  return { id: randomUUID(), ip_address: client.ip, user_agent: client.userAgent, location: '' }
}

/** A user agent that fits, cut between characters and free of what the database cannot hold. */
export function shortUserAgent(userAgent: string | undefined): string {
  const bytes = Buffer.from((userAgent ?? '').replaceAll('\0', ''))
  if (bytes.length <= userAgentBytesMax) return bytes.toString()
  return bytes
    .subarray(0, userAgentBytesMax)
    .toString()
    .replace(/\uFFFD+$/, '')
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
