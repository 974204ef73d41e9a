/** Identities: database access and wire representation. */
import { randomUUID } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { normalizeAddress, schemaId, schemaSlug } from '#schema.ts'
import type { Database, Traits } from '#store.ts'

interface VerifiableAddress {
  readonly id: string
  readonly value: string
  readonly verified: boolean
  readonly status: 'pending' | 'sent' | 'completed'
  readonly verified_at: string | null
  readonly created_at: string
  readonly updated_at: string
}
interface RecoveryAddress {
  readonly id: string
  readonly value: string
  readonly created_at: string
  readonly updated_at: string
}
export interface Identity {
  readonly id: string
  readonly traits: Traits
  readonly state: 'active' | 'inactive'
  readonly state_changed_at: Date
  readonly created_at: Date
  readonly updated_at: Date
  readonly verifiable_addresses: readonly VerifiableAddress[]
  readonly recovery_addresses: readonly RecoveryAddress[]
  /** Credential types in alphabetical order; not part of the wire format. */
  readonly credential_types: readonly string[]
}

/** Columns of an identity with its addresses. The query must alias `identity.identity` as `person`. */
export const identityColumns: RawBuilder<unknown> = sql`
  person.id, person.traits, person.state, person.state_changed_at, person.created_at, person.updated_at,
  (select coalesce(json_agg(row_to_json(address) order by address.created_at), '[]')
   from identity.verifiable_address as address
   where address.identity_id = person.id) as verifiable_addresses,
  (select coalesce(json_agg(row_to_json(address) order by address.created_at), '[]')
   from identity.recovery_address as address
   where address.identity_id = person.id) as recovery_addresses,
  (select coalesce(json_agg(credential.type order by credential.type), '[]')
   from identity.credential
   where credential.identity_id = person.id) as credential_types`

export async function findIdentity(db: Database, id: string): Promise<Identity | null> {
  const { rows } = await sql<Identity>`
    select ${identityColumns}
    from identity.identity as person
    where person.id = ${id}`.execute(db)
  return rows[0] ?? null
}

/** @throws Error if the identity doesn't exist */
export async function getIdentity(db: Database, id: string): Promise<Identity> {
  const identity = await findIdentity(db, id)
  if (!identity) throw new Error(`Identity ${id} not found`)
  return identity
}

/** Returns the ID of the identity with this verifiable address. */
export async function findAddressOwner(db: Database, address: string): Promise<string | null> {
  const row = await db
    .selectFrom('identity.verifiable_address')
    .select('identity_id')
    .where('value', '=', address)
    .executeTakeFirst()
  return row?.identity_id ?? null
}

/** Returns the ID of the identity that has verified this address. */
export async function findVerifiedAddressOwner(db: Database, address: string): Promise<string | null> {
  const row = await db
    .selectFrom('identity.verifiable_address')
    .select('identity_id')
    .where('value', '=', address)
    .where('verified', '=', true)
    .executeTakeFirst()
  return row?.identity_id ?? null
}

/** Returns the ID of the identity with this recovery address, which is also its sign-in address. */
export async function findRecoveryAddressOwner(db: Database, address: string): Promise<string | null> {
  const row = await db
    .selectFrom('identity.recovery_address')
    .select('identity_id')
    .where('value', '=', address)
    .executeTakeFirst()
  return row?.identity_id ?? null
}

/**
 * Creates an identity with its addresses in the caller's transaction.
 *
 * @returns null if another identity has the address; the caller must then roll back
 */
export async function insertIdentity(tx: Database, traits: Traits, now: Date): Promise<string | null> {
  const id = randomUUID()
  await tx
    .insertInto('identity.identity')
    .values({
      id,
      traits: JSON.stringify(traits),
      state: 'active',
      state_changed_at: now,
      created_at: now,
      updated_at: now,
    })
    .execute()
  return (await insertAddresses(tx, id, normalizeAddress(traits.email), now)) ? id : null
}

export type TraitsChange = 'unchanged address' | 'new address' | 'taken'

/** The address for sign-in and recovery. It differs from the email trait until a changed email is verified. */
export function signInAddress({ traits, recovery_addresses }: Identity): string {
  const recoveryAddress = recovery_addresses[0]?.value
  return recoveryAddress && recoveryAddress !== normalizeAddress(traits.email) ? recoveryAddress : traits.email
}

/**
 * Updates the traits in the caller's transaction. A new address starts unverified. Until it is verified, the old address
 * remains reserved and is used for sign-in and recovery. On `taken`, the caller must roll back.
 */
export async function updateTraits(tx: Database, identity: Identity, traits: Traits, now: Date): Promise<TraitsChange> {
  const address = normalizeAddress(traits.email)
  await tx
    .updateTable('identity.identity')
    .set({ traits: JSON.stringify(traits), updated_at: now })
    .where('id', '=', identity.id)
    .execute()
  if (address === normalizeAddress(identity.traits.email)) return 'unchanged address'
  await tx.deleteFrom('identity.verifiable_address').where('identity_id', '=', identity.id).execute()
  if (!(await insertVerifiableAddress(tx, identity.id, address, now))) return 'taken'
  // Check after the insert: its unique index makes concurrent requests for the same address wait for this transaction.
  const owner = await findRecoveryAddressOwner(tx, address)
  return owner === null || owner === identity.id ? 'new address' : 'taken'
}

async function insertAddresses(tx: Database, identityId: string, value: string, now: Date): Promise<boolean> {
  const isFree = await insertVerifiableAddress(tx, identityId, value, now)
  const recovery = await tx
    .insertInto('identity.recovery_address')
    .values({ id: randomUUID(), identity_id: identityId, value, created_at: now, updated_at: now })
    .onConflict((conflict) => conflict.column('value').doNothing())
    .returning('id')
    .executeTakeFirst()
  return isFree && recovery !== undefined
}

async function insertVerifiableAddress(tx: Database, identityId: string, value: string, now: Date): Promise<boolean> {
  const row = await tx
    .insertInto('identity.verifiable_address')
    .values({
      id: randomUUID(),
      identity_id: identityId,
      value,
      created_at: now,
      updated_at: now,
      verified: false,
      status: 'sent',
      verified_at: null,
    })
    .onConflict((conflict) => conflict.column('value').doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Marks an address as verified and makes it the sign-in and recovery address.
 *
 * @returns false if the identity no longer has the address
 */
export async function markVerified(db: Database, identityId: string, address: string, now: Date): Promise<boolean> {
  // A single statement, so that verification, recovery, and sign-in addresses can't diverge.
  const { rows } = await sql`
    with proved as (
      update identity.verifiable_address
      set verified = true, status = 'completed', verified_at = ${now}, updated_at = ${now}
      where identity_id = ${identityId} and value = ${address}
      returning identity_id
    ), recovering as (
      update identity.recovery_address
      set value = ${address}, updated_at = ${now}
      where identity_id in (select identity_id from proved) and value <> ${address}
    ), signing_in as (
      update identity.credential_identifier
      set identifier = ${address}
      where identity_id in (select identity_id from proved) and type = 'password' and identifier <> ${address}
    )
    select identity_id from proved`.execute(db)
  return rows.length > 0
}

/** Wire representation of an identity, without credentials. */
export function identityBody(identity: Identity, publicUrl: string): Record<string, unknown> {
  return {
    id: identity.id,
    schema_id: schemaId,
    schema_url: `${publicUrl}/schemas/${schemaSlug}`,
    state: identity.state,
    state_changed_at: identity.state_changed_at.toISOString(),
    traits: identity.traits,
    verifiable_addresses: identity.verifiable_addresses.map((address) => ({
      id: address.id,
      value: address.value,
      verified: address.verified,
      via: 'email',
      status: address.status,
      ...(address.verified_at && { verified_at: toUtc(address.verified_at) }),
      created_at: toUtc(address.created_at),
      updated_at: toUtc(address.updated_at),
    })),
    recovery_addresses: identity.recovery_addresses.map((address) => ({
      id: address.id,
      value: address.value,
      via: 'email',
      created_at: toUtc(address.created_at),
      updated_at: toUtc(address.updated_at),
    })),
    metadata_public: null,
    created_at: identity.created_at.toISOString(),
    updated_at: identity.updated_at.toISOString(),
    organization_id: null,
  }
}

/** Timestamps inside JSON columns have the database's UTC offset. */
function toUtc(time: string): string {
  return new Date(time).toISOString()
}
