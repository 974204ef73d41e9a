/** Accounts: one per identity, created when the identity is first seen. */
import type { Session } from '@glacis/contract/identity'
import type { IdentitySummary } from '@glacis/identity'
import { type Database, newId } from '#database/index.ts'

export interface Account {
  readonly id: string
  /** Full name, as shown in the history. */
  readonly name: string
}

/** The identity as returned with a session. */
export function identityOf({ id, email, name, isVerified }: IdentitySummary): Session['identity'] {
  return { id, traits: { email, name }, verifiable_addresses: [{ value: email, verified: isVerified }] }
}

/** Returns the account of a session and creates it on the first visit. */
export function createAccounts({ owner }: Pick<Database, 'owner'>): {
  of(session: Pick<Session, 'identity'>): Promise<Account>
} {
  return {
    async of({ identity }) {
      const name = `${identity.traits.name.first} ${identity.traits.name.last}`.trim()
      const { email } = identity.traits
      const known = await owner
        .selectFrom('account')
        .select(['id', 'name', 'email'])
        .where('identity_id', '=', identity.id)
        .executeTakeFirst()
      if (known?.name === name && known.email === email) return known
      const { id } = await owner
        .insertInto('account')
        .values({ id: newId(), identity_id: identity.id, name, email })
        .onConflict((conflict) => conflict.column('identity_id').doUpdateSet({ name, email, updated_at: new Date() }))
        .returning('id')
        .executeTakeFirstOrThrow()
      return { id, name }
    },
  }
}
