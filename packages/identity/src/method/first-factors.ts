import { readLinks } from '#oidc/link.ts'
import type { Service } from '#service.ts'
import type { Database } from '#store.ts'
import { readKeys } from '#webauthn/key.ts'

/** In how many ways an account can sign in: the last one must not be taken away. */
export async function countFirstFactors(
  { methods }: Pick<Service, 'methods'>,
  db: Database,
  identityId: string,
): Promise<number> {
  // Whoever can read the account's mail can sign in.
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
 * Takes a way of signing in from an account, unless it is the last one. The account's row is locked,
 * so that of two removals at once one sees what the other did.
 *
 * @returns false when it was the last one and stays
 */
export function dropUnlessLast(
  service: Service,
  identityId: string,
  drop: (tx: Database) => Promise<void>,
): Promise<boolean> {
  return service.db.transaction().execute(async (tx) => {
    await tx.selectFrom('identity.identity').select('id').where('id', '=', identityId).forUpdate().execute()
    if ((await countFirstFactors(service, tx, identityId)) < 2) return false
    await drop(tx)
    return true
  })
}
