/** What remains of those who were deleted: that it was done, when and by whom. */
import { userInfo } from 'node:os'
import { newId } from '#database/index.ts'
import type { Tables } from '#database/tables.ts'
import { type Kysely, sql } from 'kysely'

export interface Deletion {
  readonly action: 'account.delete' | 'identity.delete'
  readonly accountId: string | null
  readonly identityId: string | null
  /** Counts of what went with it; nothing that names a person or a target. */
  readonly detail: Readonly<Record<string, number>>
}

/** Notes, in the transaction that deletes, what is deleted. The entry is never changed and outlives the account. */
export async function noteDeletion(owner: Kysely<Tables>, { action, accountId, identityId, detail }: Deletion) {
  await owner
    .insertInto('deletion')
    .values({
      id: newId(),
      operator: userInfo().username,
      action,
      former_account: accountId,
      former_identity: identityId,
      detail: JSON.stringify(detail),
    })
    .execute()
}

/** Every deletion, newest first. */
export async function deletions(owner: Kysely<Tables>): Promise<(Deletion & { at: Date; operator: string })[]> {
  const { rows } = await sql<Deletion & { at: Date; operator: string }>`
    select at, operator, action, former_account as "accountId", former_identity as "identityId", detail
    from deletion
    order by at desc, id desc`.execute(owner)
  return rows
}
