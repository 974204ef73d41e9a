/** What is kept of an authenticator's keys, and how they are found again. */
import { z } from 'zod'
import { dropCredential, lockCredential, readCredential, writeCredential } from '#method/credential.ts'
import type { Database } from '#store.ts'

/** Passkeys are a first factor, security keys a second; their keys are kept apart. */
export type KeyType = 'passkey' | 'webauthn'

const Key = z.object({
  /** The credential's id in base64url. */
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

/** The keys of an account, oldest first; `handle` is the name under which authenticators know the account. */
export async function readKeys(db: Database, identityId: string, type: KeyType): Promise<Keys | null> {
  const config = await readCredential(db, identityId, type)
  return config === undefined ? null : Config.parse(config)
}

/** The same, locked until the caller's transaction ends. */
export async function lockKeys(tx: Database, identityId: string, type: KeyType): Promise<Keys | null> {
  const config = await lockCredential(tx, identityId, type)
  return config === undefined ? null : Config.parse(config)
}

/** Keeps changed keys. */
export async function writeKeys(db: Database, identityId: string, type: KeyType, keys: Keys, now: Date): Promise<void> {
  await writeCredential(db, identityId, type, keys, now)
}

/**
 * Gives an account a key, inside the caller's transaction.
 *
 * @returns false when some account has it already: WebAuthn level 3, section 7.1, step 26
 */
export async function addKey(
  tx: Database,
  identityId: string,
  type: KeyType,
  { handle, key }: { handle: string; key: Key },
  now: Date,
): Promise<boolean> {
  const present = await lockKeys(tx, identityId, type)
  const isNew = await claim(tx, identityId, 'key', key.id)
  if (!isNew) return false
  if (!present && type === 'passkey') await claim(tx, identityId, 'passkey', handle)
  const keys = { handle: present?.handle ?? handle, keys: [...(present?.keys ?? []), key] }
  await writeKeys(tx, identityId, type, keys, now)
  return true
}

/** Takes a key from an account, inside the caller's transaction; the last one takes the credential with it. */
export async function dropKey(tx: Database, identityId: string, type: KeyType, keyId: string, now: Date) {
  const present = await lockKeys(tx, identityId, type)
  if (!present) return
  const keys = present.keys.filter(({ id }) => id !== keyId)
  await release(tx, identityId, 'key', keyId)
  if (keys.length > 0) return writeKeys(tx, identityId, type, { ...present, keys }, now)
  if (type === 'passkey') await release(tx, identityId, 'passkey', present.handle)
  await dropCredential(tx, identityId, type)
}

/** Whom an authenticator means by a handle. */
export async function ownerOfHandle(db: Database, handle: string): Promise<string | null> {
  const row = await db
    .selectFrom('identity.credential_identifier')
    .select('identity_id')
    .where('type', '=', 'passkey')
    .where('identifier', '=', handle)
    .executeTakeFirst()
  return row?.identity_id ?? null
}

async function claim(tx: Database, identityId: string, type: 'key' | 'passkey', identifier: string): Promise<boolean> {
  const row = await tx
    .insertInto('identity.credential_identifier')
    .values({ type, identifier, identity_id: identityId })
    .onConflict((conflict) => conflict.columns(['type', 'identifier']).doNothing())
    .returning('identifier')
    .executeTakeFirst()
  return row !== undefined
}

async function release(tx: Database, identityId: string, type: 'key' | 'passkey', identifier: string): Promise<void> {
  await tx
    .deleteFrom('identity.credential_identifier')
    .where('identity_id', '=', identityId)
    .where('type', '=', type)
    .where('identifier', '=', identifier)
    .execute()
}
