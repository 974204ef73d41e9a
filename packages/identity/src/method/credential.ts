/** What an account proves itself with: one row per account and method. */
import type { Database } from '#store.ts'

/** The configuration of an account's credential as it was kept, or undefined; locked until the caller's transaction ends. */
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

/** The configuration of an account's credential as it was kept, or undefined. */
export async function readCredential(db: Database, identityId: string, type: string): Promise<unknown> {
  const row = await db
    .selectFrom('identity.credential')
    .select('config')
    .where('identity_id', '=', identityId)
    .where('type', '=', type)
    .executeTakeFirst()
  return row?.config
}

/** Gives an account a credential, or another one of the same type. */
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

/** Takes a credential from an account; false when it had none. */
export async function dropCredential(db: Database, identityId: string, type: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('identity.credential')
    .where('identity_id', '=', identityId)
    .where('type', '=', type)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
