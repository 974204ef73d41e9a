/** Accounts: their rows, and their face on the wire. */
import { randomUUID } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { normalAddress, schemaId, schemaSlug } from '#schema.ts'
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
  /** What the account can prove itself with, in alphabetical order; not shown on the wire. */
  readonly credential_types: readonly string[]
}

/** The columns of one identity with its addresses, for a query that calls the identity's row `person`. */
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

/** The account of an id, or null. */
export async function findIdentity(db: Database, id: string): Promise<Identity | null> {
  const { rows } = await sql<Identity>`
    select ${identityColumns}
    from identity.identity as person
    where person.id = ${id}`.execute(db)
  return rows[0] ?? null
}

/** The account of an id that must be there. */
export async function getIdentity(db: Database, id: string): Promise<Identity> {
  const identity = await findIdentity(db, id)
  if (!identity) throw new Error(`No identity ${id}`)
  return identity
}

/** Whose verifiable address this is. */
export async function ownerOfAddress(db: Database, address: string): Promise<string | null> {
  const row = await db
    .selectFrom('identity.verifiable_address')
    .select('identity_id')
    .where('value', '=', address)
    .executeTakeFirst()
  return row?.identity_id ?? null
}

/** Whose recovery address this is; the one by which an account is signed in to, too. */
export async function ownerOfRecoveryAddress(db: Database, address: string): Promise<string | null> {
  const row = await db
    .selectFrom('identity.recovery_address')
    .select('identity_id')
    .where('value', '=', address)
    .executeTakeFirst()
  return row?.identity_id ?? null
}

/**
 * Makes an account with its addresses, inside the caller's transaction.
 *
 * @returns null when another account already has the address
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
  return (await insertAddresses(tx, id, normalAddress(traits.email), now)) ? id : null
}

/** What changing the traits came to. */
export type TraitsChange = 'unchanged address' | 'new address' | 'taken'

/**
 * The address by which an account is signed in to and recovered. It is not the one of the traits while
 * that is new and not proved yet.
 */
export function signInAddress({ traits, recovery_addresses }: Identity): string {
  const counted = recovery_addresses[0]?.value
  return counted && counted !== normalAddress(traits.email) ? counted : traits.email
}

/**
 * Writes new traits. A new address starts unverified; until it is proved, the old one stays the one to
 * sign in and to recover with, and stays taken. Inside the caller's transaction, which a taken address
 * must undo.
 */
export async function updateTraits(tx: Database, identity: Identity, traits: Traits, now: Date): Promise<TraitsChange> {
  const address = normalAddress(traits.email)
  await tx
    .updateTable('identity.identity')
    .set({ traits: JSON.stringify(traits), updated_at: now })
    .where('id', '=', identity.id)
    .execute()
  if (address === normalAddress(identity.traits.email)) return 'unchanged address'
  await tx.deleteFrom('identity.verifiable_address').where('identity_id', '=', identity.id).execute()
  if (!(await insertVerifiable(tx, identity.id, address, now))) return 'taken'
  // Only after the insert: whoever else wants the address waits for this transaction from there on.
  const owner = await ownerOfRecoveryAddress(tx, address)
  return owner === null || owner === identity.id ? 'new address' : 'taken'
}

async function insertAddresses(tx: Database, identityId: string, value: string, now: Date): Promise<boolean> {
  const isFree = await insertVerifiable(tx, identityId, value, now)
  const recovery = await tx
    .insertInto('identity.recovery_address')
    .values({ id: randomUUID(), identity_id: identityId, value, created_at: now, updated_at: now })
    .onConflict((conflict) => conflict.column('value').doNothing())
    .returning('id')
    .executeTakeFirst()
  return isFree && recovery !== undefined
}

async function insertVerifiable(tx: Database, identityId: string, value: string, now: Date): Promise<boolean> {
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
 * Marks an address as proved, from when on it is the one to sign in and to recover with; false when
 * the account no longer has it.
 */
export async function markVerified(db: Database, identityId: string, address: string, now: Date): Promise<boolean> {
  // One statement, so that an address never counts for one thing and not for the other.
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

/** An account as the wire shows it; secrets have no place in it. */
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
      ...(address.verified_at && { verified_at: utc(address.verified_at) }),
      created_at: utc(address.created_at),
      updated_at: utc(address.updated_at),
    })),
    recovery_addresses: identity.recovery_addresses.map((address) => ({
      id: address.id,
      value: address.value,
      via: 'email',
      created_at: utc(address.created_at),
      updated_at: utc(address.updated_at),
    })),
    metadata_public: null,
    created_at: identity.created_at.toISOString(),
    updated_at: identity.updated_at.toISOString(),
    organization_id: null,
  }
}

/** The database writes times inside JSON with its own offset. */
function utc(time: string): string {
  return new Date(time).toISOString()
}
