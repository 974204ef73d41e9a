import { readLinks } from '#oidc/link.ts'
import type { Service } from '#service.ts'
import type { Database } from '#store.ts'
import { readKeys } from '#webauthn/key.ts'

/** Counts the first factors of an identity. The last one can't be removed. */
export async function countFirstFactors(
  { methods }: Pick<Service, 'methods'>,
  db: Database,
  identityId: string,
): Promise<number> {
  // With emailed codes enabled, every identity can sign in with its address.
  const mailed = methods.some(({ name, login }) => name === 'code' && login) ? 1 : 0
  const password = await db
    .selectFrom('identity.credential')
    .select('type')
    .where('identity_id', '=', identityId)
    .where('type', '=', 'password')
    .execute()
  const passkeys = await readKeys(db, identityId, 'passkey')
  const links = await readLinks(db, identityId)
  return mailed + password.length + (passkeys?.keys.length ?? 0) + links.length
}

/**
 * Removes a first factor unless it is the last one. Locks the identity's row, so that concurrent removals can't remove
 * all of them.
 *
 * @returns false if it is the last one
 */
export function removeUnlessLast(
  service: Service,
  identityId: string,
  remove: (tx: Database) => Promise<void>,
): Promise<boolean> {
  return service.db.transaction().execute(async (tx) => {
    await tx.selectFrom('identity.identity').select('id').where('id', '=', identityId).forUpdate().execute()
    if ((await countFirstFactors(service, tx, identityId)) < 2) return false
    await remove(tx)
    return true
  })
}
