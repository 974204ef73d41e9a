/** Sessions: opaque cookie tokens, stored as hashes. Revocation takes effect immediately. */
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { type Identity, getIdentity, identityBody, identityColumns } from '#identities.ts'
import type { Client, LiveSession, Service } from '#service.ts'
import type { AuthenticationMethod, Device } from '#store.ts'

export const sessionCookie = 'ory_kratos_session'
/** Maximum length of a stored user agent, in bytes. */
const userAgentBytesMax = 512

/** A session and its token. The token is available only at this point; the database stores its hash. */
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
  readonly used_at: Date
}

/**
 * Finds the session of a token. Null if it is unknown, revoked, expired, or idle for too long, or if the identity is
 * inactive.
 */
export async function findSession(
  service: SessionService,
  token: string | undefined,
  { isActivity = true }: { readonly isActivity?: boolean } = {},
): Promise<LiveSession | null> {
  if (!token) return null
  const [session] = await selectSessions(service, sql`session.token_hash = ${hashToken(token)}`)
  if (!session) return null
  if (isActivity) await recordUse(service, session)
  return session
}

type SessionService = Pick<Service, 'db' | 'now' | 'lifespans'>

/** Writes at most once per twentieth of the idle limit, so that requests cost no write. */
async function recordUse({ db, now, lifespans: { idleMs } }: SessionService, session: LiveSession): Promise<void> {
  if (idleMs === undefined || now().getTime() - session.used_at.getTime() < idleMs / 20) return
  await db.updateTable('identity.session').set({ used_at: now() }).where('id', '=', session.id).execute()
}

/** The identity's other active sessions, newest first. */
export async function listOtherSessions(service: Service, session: LiveSession): Promise<LiveSession[]> {
  return selectSessions(service, sql`session.identity_id = ${session.identity.id} and session.id <> ${session.id}`)
}

/** Selects active sessions, newest first. */
async function selectSessions(service: SessionService, where: ReturnType<typeof sql>): Promise<LiveSession[]> {
  const { idleMs = service.lifespans.sessionMs } = service.lifespans
  const idleSince = new Date(service.now().getTime() - idleMs)
  const { rows } = await sql<SessionRow>`
    select session.id as session_id, session.aal, session.authentication_methods, session.devices,
           session.issued_at, session.authenticated_at, session.expires_at, session.used_at, ${identityColumns}
    from identity.session as session
    join identity.identity as person on person.id = session.identity_id
    where session.active
      and session.expires_at > ${service.now()}
      and session.used_at > ${idleSince}
      and person.state = 'active'
      and ${where}
    order by session.issued_at desc, session.id`.execute(service.db)
  return rows.map(
    ({
      session_id,
      aal,
      authentication_methods,
      devices,
      issued_at,
      authenticated_at,
      expires_at,
      used_at,
      ...identity
    }) => ({
      id: session_id,
      identity,
      aal,
      authentication_methods,
      devices,
      issued_at,
      authenticated_at,
      expires_at,
      used_at,
    }),
  )
}

/** The method, and for `oidc` the provider, of a completed factor. */
export type Factor = Pick<AuthenticationMethod, 'method' | 'provider'>

/** Creates a session after a first factor. */
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
    authentication_methods: [authenticationMethod(factor, now)],
    devices: [toDevice(client)],
    issued_at: now,
    authenticated_at: now,
    expires_at: new Date(now.getTime() + service.lifespans.sessionMs),
    used_at: now,
  }
  await service.db
    .insertInto('identity.session')
    .values({
      id: session.id,
      identity_id: identityId,
      token_hash: hashToken(token),
      active: true,
      aal: session.aal,
      authentication_methods: JSON.stringify(session.authentication_methods),
      devices: JSON.stringify(session.devices),
      issued_at: session.issued_at,
      authenticated_at: session.authenticated_at,
      expires_at: session.expires_at,
      used_at: session.used_at,
    })
    .execute()
  return { session, token }
}

/** Renews a session after reauthentication or a second factor, and rotates its token. */
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
    // Reload: an emailed code may have verified the address since the session was read.
    identity: await getIdentity(service.db, session.identity.id),
    aal: aal === 'aal2' ? 'aal2' : session.aal,
    authentication_methods: [...session.authentication_methods, authenticationMethod(factor, now, aal)].slice(-20),
    authenticated_at: now,
    expires_at: new Date(now.getTime() + service.lifespans.sessionMs),
    used_at: now,
  }
  await service.db
    .updateTable('identity.session')
    .set({
      token_hash: hashToken(token),
      aal: renewed.aal,
      authentication_methods: JSON.stringify(renewed.authentication_methods),
      authenticated_at: renewed.authenticated_at,
      expires_at: renewed.expires_at,
      used_at: renewed.used_at,
    })
    .where('id', '=', session.id)
    .execute()
  return { session: renewed, token }
}

/** Adds a factor that was completed by enrolling it, and rotates the token. Doesn't extend the session. */
export async function upgradeSession(
  service: Service,
  session: LiveSession,
  { method, aal }: Pick<AuthenticationMethod, 'method' | 'aal'>,
): Promise<IssuedSession> {
  const token = randomBytes(32).toString('base64url')
  const upgraded: LiveSession = {
    ...session,
    aal: aal === 'aal2' ? 'aal2' : session.aal,
    authentication_methods: [
      ...session.authentication_methods,
      authenticationMethod({ method }, service.now(), aal),
    ].slice(-20),
  }
  await service.db
    .updateTable('identity.session')
    .set({
      token_hash: hashToken(token),
      aal: upgraded.aal,
      authentication_methods: JSON.stringify(upgraded.authentication_methods),
    })
    .where('id', '=', session.id)
    .execute()
  return { session: upgraded, token }
}

/** Revokes a session of an identity. Returns false if the identity has no such active session. */
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

/** Revokes all sessions of an identity except one. @returns the number of revoked sessions */
export async function revokeOtherSessions(
  service: Service,
  identityId: string,
  keptSessionId: string,
): Promise<number> {
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

/** Wire representation of a session. */
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

function authenticationMethod(
  { method, provider }: Factor,
  now: Date,
  aal: 'aal1' | 'aal2' = 'aal1',
): AuthenticationMethod {
  return { method, aal, completed_at: now.toISOString(), ...(provider && { provider }) }
}

function toDevice(client: Client): Device {
  return { id: randomUUID(), ip_address: client.ip, user_agent: client.userAgent, location: '' }
}

/** Truncates a user agent at a character boundary and removes NUL, which PostgreSQL can't store. */
export function truncateUserAgent(userAgent: string | undefined): string {
  const bytes = Buffer.from((userAgent ?? '').replaceAll('\0', ''))
  if (bytes.length <= userAgentBytesMax) return bytes.toString()
  return bytes
    .subarray(0, userAgentBytesMax)
    .toString()
    .replace(/\uFFFD+$/, '')
}

function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
