/** Whose data it is. Today one account per identity, made when the identity is first seen. */
import type { Session } from '@glacis/contract/identity'
import type { Person } from '@glacis/identity'
import { type Database, newId } from '#database/index.ts'

export interface Account {
  readonly id: string
  /** The person's full name, as history shows it. */
  readonly name: string
}

/** Somebody as a session shows them. */
export function identityOf({ id, email, name, isVerified }: Person): Session['identity'] {
  return { id, traits: { email, name }, verifiable_addresses: [{ value: email, verified: isVerified }] }
}

/** An account that was removed on the command line is noticed after so long. */
const rememberMs = 5000
const rememberedMax = 10_000

/** Answers which account a session belongs to, and makes it at the first visit. */
export function createAccounts(database: Database): { of(session: Pick<Session, 'identity'>): Promise<Account> } {
  const known = new Map<string, Account & { readonly email: string; readonly until: number }>()
  return {
    async of({ identity }) {
      const name = `${identity.traits.name.first} ${identity.traits.name.last}`.trim()
      const { email } = identity.traits
      const before = known.get(identity.id)
      if (before?.name === name && before.email === email && before.until > Date.now()) return before
      const { id } = await database.owner
        .insertInto('account')
        .values({ id: newId(), identity_id: identity.id, name, email })
        .onConflict((conflict) => conflict.column('identity_id').doUpdateSet({ name, email, updated_at: new Date() }))
        .returning('id')
        .executeTakeFirstOrThrow()
      const account = { id, name, email, until: Date.now() + rememberMs }
      if (known.size >= rememberedMax) known.clear()
      known.set(identity.id, account)
      return account
    },
  }
}
