/**
 * Identity administration for operators: list, find, create, disable, and delete identities, and reset second factors.
 */
import { type Kysely, sql } from 'kysely'
import { secondFactorTypes } from '#assurance.ts'
import { queueMail } from '#courier.ts'
import {
  findIdentity,
  findRecoveryAddressOwner,
  findVerifiedAddressOwner,
  insertIdentity,
  markVerified,
} from '#identities.ts'
import { secondFactorsResetMail } from '#mail.ts'
import { hashPassword } from '#method/argon2.ts'
import type { IdentityOptions } from '#options.ts'
import { deleteCredential } from '#method/credential.ts'
import { attachPassword } from '#method/password.ts'
import { passwordPolicyError } from '#method/password-policy.ts'
import { isEmail, normalizeAddress, parseTraits } from '#schema.ts'
import { isUuid } from '#flow/flow.ts'
import type { Database, Traits } from '#store.ts'
import { deleteKey, readKeys } from '#webauthn/key.ts'

/** An identity without its credentials' secrets. */
export interface IdentitySummary {
  readonly id: string
  readonly email: string
  readonly name: { readonly first: string; readonly last: string }
  readonly state: 'active' | 'inactive'
  readonly isVerified: boolean
  /** Credential types of both factors, in alphabetical order. */
  readonly credentials: readonly string[]
  /** Number of active sessions. */
  readonly sessions: number
  readonly createdAt: Date
  readonly lastSignInAt: Date | null
}

export type CreateIdentityResult =
  | { readonly kind: 'created'; readonly identity: IdentitySummary }
  | { readonly kind: 'taken' }
  /** Validation messages to show to the operator. */
  | { readonly kind: 'invalid'; readonly errors: readonly string[] }

export interface IdentityAdmin {
  /** Lists all identities, oldest first, reading the database page by page. */
  list(): AsyncIterable<IdentitySummary>
  /** Lists identities whose address or name contains `query`, oldest first. */
  page(options: {
    /** The last identity of the previous page. */
    readonly after: Pick<IdentitySummary, 'createdAt' | 'id'> | null
    readonly query: string
    readonly limit: number
  }): Promise<IdentitySummary[]>
  /** Finds an identity by its ID or sign-in address. */
  find(idOrAddress: string): Promise<IdentitySummary | null>
  /** Finds the active identity with this verified address. */
  findVerified(address: string): Promise<IdentitySummary | null>
  /** Creates an identity. Without a password, the user sets one through account recovery. */
  create(
    traits: Traits,
    options: { readonly password?: string | undefined; readonly isVerified: boolean },
  ): Promise<CreateIdentityResult>
  /** Enables or disables an identity. Disabling it revokes its sessions. */
  setState(id: string, state: 'active' | 'inactive'): Promise<void>
  /**
   * Removes all second factors, revokes all sessions, and notifies the user by email.
   *
   * @returns the types of the removed credentials
   */
  resetSecondFactors(id: string): Promise<readonly string[]>
  /** Revokes the sessions of everyone who signed in with a provider. */
  revokeProviderSessions(provider: string): Promise<void>
  /** Deletes an identity with its credentials and sessions. Its address can be registered again. */
  remove(id: string): Promise<void>
}

interface IdentityAdminOptions {
  /** Connection with the owner role. The tables must exist. */
  // oxlint-disable-next-line typescript/no-explicit-any -- independent of the caller's tables
  readonly database: Kysely<any>
  readonly enqueueMail: IdentityOptions['enqueueMail']
  readonly now?: () => Date
}

const pageSize = 500
/** How long delivery of the notification is retried. */
const notificationTtlMs = 3 * 24 * 3600_000

/** Works on the database directly; the service doesn't have to be running. */
export function createIdentityAdmin({
  database,
  enqueueMail,
  now = () => new Date(),
}: IdentityAdminOptions): IdentityAdmin {
  const db: Database = database
  return {
    list: () => listIdentities(db, now),
    page: ({ after, query, limit }) => selectIdentities(db, now(), sql`${isAfter(after)} and ${matches(query)}`, limit),
    async find(idOrAddress) {
      const id = isUuid(idOrAddress) ? idOrAddress : await findRecoveryAddressOwner(db, normalizeAddress(idOrAddress))
      return id ? ((await selectIdentities(db, now(), sql`person.id = ${id}`))[0] ?? null) : null
    },
    async findVerified(address) {
      const id = await findVerifiedAddressOwner(db, normalizeAddress(address))
      const [found] = id ? await selectIdentities(db, now(), sql`person.id = ${id}`) : []
      return found?.state === 'active' ? found : null
    },
    create: (traits, options) => create(db, now(), traits, options),
    setState: (id, state) => setState(db, now(), id, state),
    resetSecondFactors: (id) => resetSecondFactors(db, { enqueueMail, now }, id),
    async revokeProviderSessions(provider) {
      await db
        .updateTable('identity.session')
        .set({ active: false })
        .where('active', '=', true)
        .where(sql<boolean>`authentication_methods::jsonb @> ${JSON.stringify([{ provider }])}::jsonb`)
        .execute()
    },
    async remove(id) {
      await db.deleteFrom('identity.identity').where('id', '=', id).execute()
    },
  }
}

async function* listIdentities(db: Database, now: () => Date): AsyncIterable<IdentitySummary> {
  let last: IdentitySummary | null = null
  do {
    const page: IdentitySummary[] = await selectIdentities(db, now(), isAfter(last))
    yield* page
    last = page.length < pageSize ? null : (page.at(-1) ?? null)
  } while (last)
}

function isAfter(last: Pick<IdentitySummary, 'createdAt' | 'id'> | null) {
  return last
    ? sql`(date_trunc('milliseconds', person.created_at), person.id) > (${last.createdAt}, ${last.id}::uuid)`
    : sql`true`
}

function matches(query: string) {
  if (query === '') return sql`true`
  const text = sql`concat_ws(' ', traits->>'email', traits->'name'->>'first', traits->'name'->>'last')`
  return sql`position(lower(${query}::text) in lower(${text})) > 0`
}

interface Row {
  readonly id: string
  readonly traits: Traits
  readonly state: 'active' | 'inactive'
  readonly is_verified: boolean
  readonly credentials: readonly string[]
  readonly sessions: number
  readonly created_at: Date
  readonly last_sign_in_at: Date | null
}

async function selectIdentities(
  db: Database,
  now: Date,
  where: ReturnType<typeof sql>,
  limit = pageSize,
): Promise<IdentitySummary[]> {
  const { rows } = await sql<Row>`
    select person.id, person.traits, person.state, person.created_at,
           coalesce((select bool_and(address.verified) from identity.verifiable_address as address
                     where address.identity_id = person.id), false) as is_verified,
           (select coalesce(json_agg(credential.type order by credential.type), '[]') from identity.credential
            where credential.identity_id = person.id) as credentials,
           (select count(*)::int from identity.session as session
            where session.identity_id = person.id and session.active and session.expires_at > ${now}) as sessions,
           (select max(session.authenticated_at) from identity.session as session
            where session.identity_id = person.id) as last_sign_in_at
    from identity.identity as person
    where ${where}
    order by date_trunc('milliseconds', person.created_at), person.id
    limit ${limit}`.execute(db)
  return rows.map(({ traits, is_verified, created_at, last_sign_in_at, ...row }) => ({
    ...row,
    ...traits,
    isVerified: is_verified,
    createdAt: created_at,
    lastSignInAt: last_sign_in_at,
  }))
}

async function create(
  db: Database,
  now: Date,
  traits: Traits,
  { password, isVerified }: { readonly password?: string | undefined; readonly isVerified: boolean },
): Promise<CreateIdentityResult> {
  const parsed = parseTraits(traits)
  if (parsed.kind === 'invalid' || !isEmail(traits.email)) {
    const errors = parsed.kind === 'invalid' ? parsed.messages : []
    return { kind: 'invalid', errors: errors.map(({ message }) => message.text.replace(/(?<![.!?])$/, '.')) }
  }
  const policyError = password === undefined ? null : passwordPolicyError(password, traits.email)
  if (policyError) return { kind: 'invalid', errors: [policyError.text] }
  const hash = password === undefined ? null : await hashPassword(password)
  const address = normalizeAddress(traits.email)
  const id = await db
    .transaction()
    .execute(async (tx) => {
      const identityId = await insertIdentity(tx, parsed.traits, now)
      if (!identityId) throw new AddressTakenError()
      if (hash) await attachPassword(tx, identityId, address, hash, now)
      if (isVerified) await markVerified(tx, identityId, address, now)
      return identityId
    })
    .catch((cause: unknown) => {
      if (cause instanceof AddressTakenError) return null
      throw cause
    })
  const identity = id ? (await selectIdentities(db, now, sql`person.id = ${id}`))[0] : undefined
  return identity ? { kind: 'created', identity } : { kind: 'taken' }
}

/** Rolls back the transaction when another identity has the address. */
class AddressTakenError extends Error {}

async function setState(db: Database, now: Date, id: string, state: 'active' | 'inactive'): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await tx
      .updateTable('identity.identity')
      .set({ state, state_changed_at: now, updated_at: now })
      .where('id', '=', id)
      .where('state', '<>', state)
      .execute()
    if (state === 'inactive') await revokeSessions(tx, id)
  })
}

async function revokeSessions(tx: Database, id: string): Promise<void> {
  await tx.updateTable('identity.session').set({ active: false }).where('identity_id', '=', id).execute()
}

async function resetSecondFactors(
  db: Database,
  { enqueueMail, now }: Pick<Required<IdentityAdminOptions>, 'enqueueMail' | 'now'>,
  id: string,
): Promise<readonly string[]> {
  const identity = await findIdentity(db, id)
  const enrolled = identity?.credential_types.filter((type) => secondFactorTypes.has(type)) ?? []
  if (!identity || enrolled.length === 0) return []
  await db.transaction().execute(async (tx) => {
    for (const { id: key } of (await readKeys(tx, id, 'webauthn'))?.keys ?? [])
      await deleteKey(tx, id, 'webauthn', key, now())
    for (const type of enrolled) await deleteCredential(tx, id, type)
    await revokeSessions(tx, id)
    const to = identity.recovery_addresses[0]?.value ?? normalizeAddress(identity.traits.email)
    const expiresAt = new Date(now().getTime() + notificationTtlMs)
    await queueMail(tx, secondFactorsResetMail(to), { expiresAt }, { enqueueMail, now })
  })
  return enrolled
}
