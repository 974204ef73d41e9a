/** Credentials: one row per identity and type. */
import type { Database } from '#store.ts'

/** Reads a credential's configuration and locks its row until the end of the transaction. */
export async function lockCredential(tx: Database, identityId: string, type: string): Promise<unknown> {
  const row = await tx
    .selectFrom('identity.credential')
    .select('config')
    .where('identity_id', '=', identityId)
    .where('type', '=', type)
    .forUpdate()
    .executeTakeFirst()
  return row?.config
}

/** Reads a credential's configuration; undefined if the identity has none of this type. */
export async function readCredential(db: Database, identityId: string, type: string): Promise<unknown> {
  const row = await db
    .selectFrom('identity.credential')
    .select('config')
    .where('identity_id', '=', identityId)
    .where('type', '=', type)
    .executeTakeFirst()
  return row?.config
}

/** Creates or replaces a credential. */
export async function writeCredential(
  db: Database,
  identityId: string,
  type: string,
  value: unknown,
  now: Date,
): Promise<void> {
  const config = JSON.stringify(value)
  await db
    .insertInto('identity.credential')
    .values({ identity_id: identityId, type, config, created_at: now, updated_at: now })
    .onConflict((conflict) => conflict.columns(['identity_id', 'type']).doUpdateSet({ config, updated_at: now }))
    .execute()
}

/** Deletes a credential. Returns false if there was none. */
export async function deleteCredential(db: Database, identityId: string, type: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('identity.credential')
    .where('identity_id', '=', identityId)
    .where('type', '=', type)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
