/** The accounts as whoever runs the installation sees them: found, made, closed, and helped back in. */
import { type Kysely, sql } from 'kysely'
import { secondFactors } from '#assurance.ts'
import { queueMail } from '#courier.ts'
import { findIdentity, insertIdentity, markVerified, ownerOfRecoveryAddress } from '#identities.ts'
import { factorsResetMail } from '#mail.ts'
import { hashPassword } from '#method/argon2.ts'
import type { IdentityOptions } from '#options.ts'
import { dropCredential } from '#method/credential.ts'
import { attachPassword } from '#method/password.ts'
import { passwordFault } from '#method/password-policy.ts'
import { isEmail, normalAddress, readTraits } from '#schema.ts'
import { isUuid } from '#flow/flow.ts'
import type { Database, Traits } from '#store.ts'
import { dropKey, readKeys } from '#webauthn/key.ts'

/** An account, without anything that proves it. */
export interface Person {
  readonly id: string
  readonly email: string
  readonly name: { readonly first: string; readonly last: string }
  readonly state: 'active' | 'inactive'
  readonly isVerified: boolean
  /** Ways in and second factors, by the names of the wire, in alphabetical order. */
  readonly credentials: readonly string[]
  /** Sessions that are alive now. */
  readonly sessions: number
  readonly createdAt: Date
  readonly lastSignInAt: Date | null
}

export type Made =
  | { readonly kind: 'made'; readonly person: Person }
  | { readonly kind: 'taken' }
  /** What is wrong with what was given, in sentences. */
  | { readonly kind: 'wrong'; readonly faults: readonly string[] }

export interface People {
  /** Everybody, oldest first, read a page at a time. */
  list(): AsyncIterable<Person>
  /** Who has an id or an address of signing in; null when nobody has. */
  find(idOrAddress: string): Promise<Person | null>
  /** Makes an account. Without a password its holder chooses one by the recovery. */
  create(
    traits: Traits,
    options: { readonly password?: string | undefined; readonly isVerified: boolean },
  ): Promise<Made>
  /** Closes an account, whose sessions end at once, or opens it again. */
  setState(id: string, state: 'active' | 'inactive'): Promise<void>
  /**
   * Takes all second factors from an account, ends its sessions and tells its holder by mail.
   *
   * @returns which were there
   */
  resetSecondFactors(id: string): Promise<readonly string[]>
  /** Removes an account and everything by which it was signed in to; its address is free again. */
  remove(id: string): Promise<void>
}

interface PeopleOptions {
  /** Connection of the owner, to tables that are there already. */
  // oxlint-disable-next-line typescript/no-explicit-any -- the caller's own tables are of no interest here
  readonly database: Kysely<any>
  readonly enqueueMail: IdentityOptions['enqueueMail']
  readonly now?: () => Date
}

const pageSize = 500
/** How long the news of a reset is worth delivering. */
const newsMs = 3 * 24 * 3600_000

/** The accounts of a database, whether or not the service runs on it. */
export function openPeople({ database, enqueueMail, now = () => new Date() }: PeopleOptions): People {
  const db: Database = database
  return {
    list: () => everybody(db, now),
    async find(idOrAddress) {
      const id = isUuid(idOrAddress) ? idOrAddress : await ownerOfRecoveryAddress(db, normalAddress(idOrAddress))
      return id ? ((await select(db, now(), sql`person.id = ${id}`))[0] ?? null) : null
    },
    create: (traits, options) => create(db, now(), traits, options),
    setState: (id, state) => setState(db, now(), id, state),
    resetSecondFactors: (id) => resetSecondFactors(db, { enqueueMail, now }, id),
    async remove(id) {
      await db.deleteFrom('identity.identity').where('id', '=', id).execute()
    },
  }
}

async function* everybody(db: Database, now: () => Date): AsyncIterable<Person> {
  let last: Person | undefined
  do {
    const after = last
      ? sql`(date_trunc('milliseconds', person.created_at), person.id) > (${last.createdAt}, ${last.id}::uuid)`
      : sql`true`
    const page = await select(db, now(), after)
    yield* page
    last = page.length < pageSize ? undefined : page.at(-1)
  } while (last)
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

async function select(db: Database, now: Date, where: ReturnType<typeof sql>): Promise<Person[]> {
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
    limit ${pageSize}`.execute(db)
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
): Promise<Made> {
  const reading = readTraits(traits)
  if (reading.kind === 'invalid' || !isEmail(traits.email)) {
    const faults = reading.kind === 'invalid' ? reading.messages : []
    return { kind: 'wrong', faults: faults.map(({ field, message }) => `${field ?? 'traits'}: ${message.text}`) }
  }
  const fault = password === undefined ? null : passwordFault(password, traits.email)
  if (fault) return { kind: 'wrong', faults: [fault.text] }
  const hash = password === undefined ? null : await hashPassword(password)
  const address = normalAddress(traits.email)
  const id = await db
    .transaction()
    .execute(async (tx) => {
      const made = await insertIdentity(tx, reading.traits, now)
      if (!made) throw new Taken()
      if (hash) await attachPassword(tx, made, address, hash, now)
      if (isVerified) await markVerified(tx, made, address, now)
      return made
    })
    .catch((cause: unknown) => {
      if (cause instanceof Taken) return null
      throw cause
    })
  const person = id ? (await select(db, now, sql`person.id = ${id}`))[0] : undefined
  return person ? { kind: 'made', person } : { kind: 'taken' }
}

/** Undoes the transaction in which an address turned out to be another account's. */
class Taken extends Error {}

async function setState(db: Database, now: Date, id: string, state: 'active' | 'inactive'): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await tx
      .updateTable('identity.identity')
      .set({ state, state_changed_at: now, updated_at: now })
      .where('id', '=', id)
      .where('state', '<>', state)
      .execute()
    if (state === 'inactive') await endSessions(tx, id)
  })
}

async function endSessions(tx: Database, id: string): Promise<void> {
  await tx.updateTable('identity.session').set({ active: false }).where('identity_id', '=', id).execute()
}

async function resetSecondFactors(
  db: Database,
  { enqueueMail, now }: Pick<Required<PeopleOptions>, 'enqueueMail' | 'now'>,
  id: string,
): Promise<readonly string[]> {
  const identity = await findIdentity(db, id)
  const present = identity?.credential_types.filter((type) => secondFactors.has(type)) ?? []
  if (!identity || present.length === 0) return []
  await db.transaction().execute(async (tx) => {
    for (const { id: key } of (await readKeys(tx, id, 'webauthn'))?.keys ?? [])
      await dropKey(tx, id, 'webauthn', key, now())
    for (const type of present) await dropCredential(tx, id, type)
    await endSessions(tx, id)
    const to = identity.recovery_addresses[0]?.value ?? normalAddress(identity.traits.email)
    const expiresAt = new Date(now().getTime() + newsMs)
    await queueMail(tx, factorsResetMail(to), { expiresAt }, { enqueueMail, now })
  })
  return present
}
