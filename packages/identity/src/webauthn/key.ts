/** Stored WebAuthn keys. */
import { z } from 'zod'
import { deleteCredential, lockCredential, readCredential, writeCredential } from '#method/credential.ts'
import type { Database } from '#store.ts'

/** Passkeys are a first factor and security keys a second one, so they are stored separately. */
export type KeyType = 'passkey' | 'webauthn'

const Key = z.object({
  /** The credential's ID in base64url. */
  id: z.string(),
  /** COSE key in base64url. */
  publicKey: z.string(),
  counter: z.number().int(),
  name: z.string(),
  addedAt: z.iso.datetime(),
})
export type Key = z.infer<typeof Key>

const Config = z.object({ handle: z.string(), keys: z.array(Key).readonly() })
export type Keys = z.infer<typeof Config>

/** An identity's keys, oldest first, with its WebAuthn user handle. */
export async function readKeys(db: Database, identityId: string, type: KeyType): Promise<Keys | null> {
  const config = await readCredential(db, identityId, type)
  return config === undefined ? null : Config.parse(config)
}

/** Reads the keys and locks their row until the end of the transaction. */
export async function lockKeys(tx: Database, identityId: string, type: KeyType): Promise<Keys | null> {
  const config = await lockCredential(tx, identityId, type)
  return config === undefined ? null : Config.parse(config)
}

export async function writeKeys(db: Database, identityId: string, type: KeyType, keys: Keys, now: Date): Promise<void> {
  await writeCredential(db, identityId, type, keys, now)
}

/**
 * Adds a key in the caller's transaction.
 *
 * @returns false if an identity already has the key (WebAuthn Level 3, section 7.1, step 26)
 */
export async function addKey(
  tx: Database,
  identityId: string,
  type: KeyType,
  { handle, key }: { handle: string; key: Key },
  now: Date,
): Promise<boolean> {
  const stored = await lockKeys(tx, identityId, type)
  const isNew = await claimIdentifier(tx, identityId, 'key', key.id)
  if (!isNew) return false
  if (!stored && type === 'passkey') await claimIdentifier(tx, identityId, 'passkey', handle)
  const keys = { handle: stored?.handle ?? handle, keys: [...(stored?.keys ?? []), key] }
  await writeKeys(tx, identityId, type, keys, now)
  return true
}

/** Deletes a key in the caller's transaction. Deleting the last key also deletes the credential. */
export async function deleteKey(tx: Database, identityId: string, type: KeyType, keyId: string, now: Date) {
  const stored = await lockKeys(tx, identityId, type)
  if (!stored) return
  const keys = stored.keys.filter(({ id }) => id !== keyId)
  await releaseIdentifier(tx, identityId, 'key', keyId)
  if (keys.length > 0) return writeKeys(tx, identityId, type, { ...stored, keys }, now)
  if (type === 'passkey') await releaseIdentifier(tx, identityId, 'passkey', stored.handle)
  await deleteCredential(tx, identityId, type)
}

/** Returns the ID of the identity with this user handle. */
export async function findHandleOwner(db: Database, handle: string): Promise<string | null> {
  const row = await db
    .selectFrom('identity.credential_identifier')
    .select('identity_id')
    .where('type', '=', 'passkey')
    .where('identifier', '=', handle)
    .executeTakeFirst()
  return row?.identity_id ?? null
}

async function claimIdentifier(
  tx: Database,
  identityId: string,
  type: 'key' | 'passkey',
  identifier: string,
): Promise<boolean> {
  const row = await tx
    .insertInto('identity.credential_identifier')
    .values({ type, identifier, identity_id: identityId })
    .onConflict((conflict) => conflict.columns(['type', 'identifier']).doNothing())
    .returning('identifier')
    .executeTakeFirst()
  return row !== undefined
}

async function releaseIdentifier(
  tx: Database,
  identityId: string,
  type: 'key' | 'passkey',
  identifier: string,
): Promise<void> {
  await tx
    .deleteFrom('identity.credential_identifier')
    .where('identity_id', '=', identityId)
    .where('type', '=', type)
    .where('identifier', '=', identifier)
    .execute()
}
