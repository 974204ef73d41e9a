import { readLinks } from '#oidc/link.ts'
import type { Service } from '#service.ts'
import { readKeys } from '#webauthn/key.ts'

/** In how many ways an account can sign in: the last one must not be taken away. */
export async function countFirstFactors({ db }: Service, identityId: string): Promise<number> {
  const password = await db
    .selectFrom('identity.credential')
    .select('type')
    .where('identity_id', '=', identityId)
    .where('type', '=', 'password')
    .execute()
  const passkeys = await readKeys(db, identityId, 'passkey')
  const links = await readLinks(db, identityId)
  return password.length + (passkeys?.keys.length ?? 0) + links.length
}
