/** Whose data it is. Today one account per identity, made when the identity is first seen. */
import type { Session } from '@glacis/contract/identity'
import { type Database, newId } from '#database/index.ts'

export interface Account {
  readonly id: string
  /** The person's full name, as history shows it. */
  readonly name: string
}

/** Answers which account a session belongs to, and makes it at the first visit. */
export function createAccounts(database: Database): { of(session: Session): Promise<Account> } {
  const known = new Map<string, Account & { readonly email: string }>()
  return {
    async of({ identity }) {
      const name = `${identity.traits.name.first} ${identity.traits.name.last}`.trim()
      const { email } = identity.traits
      const before = known.get(identity.id)
      if (before?.name === name && before.email === email) return before
      const { id } = await database.owner
        .insertInto('account')
        .values({ id: newId(), identity_id: identity.id, name, email })
        .onConflict((conflict) => conflict.column('identity_id').doUpdateSet({ name, email, updated_at: new Date() }))
        .returning('id')
        .executeTakeFirstOrThrow()
      const account = { id, name, email }
      known.set(identity.id, account)
      return account
    },
  }
}
