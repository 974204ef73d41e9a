/** A record of deleted workspaces and users: which, when, and by whom. */
import { userInfo } from 'node:os'
import { newId } from '#database/index.ts'
import type { Tables } from '#database/tables.ts'
import { type Kysely, sql } from 'kysely'

export interface Deletion {
  readonly action: 'account.delete' | 'identity.delete'
  /** ID of the workspace. Part of the JSON output of `glacis identity deletions`. */
  readonly accountId: string | null
  readonly identityId: string | null
  /** Number of rows deleted with it; nothing that identifies a person or target. */
  readonly detail: Readonly<Record<string, number>>
}

/** Records a deletion in its transaction. The entry is immutable and outlives what was deleted. */
export async function recordDeletion(owner: Kysely<Tables>, { action, accountId, identityId, detail }: Deletion) {
  await owner
    .insertInto('deletion')
    .values({
      id: newId(),
      operator: operatorName(),
      action,
      former_account: accountId,
      former_identity: identityId,
      detail: JSON.stringify(detail),
    })
    .execute()
}

/** All deletions, newest first. */
export async function deletions(owner: Kysely<Tables>): Promise<(Deletion & { at: Date; operator: string })[]> {
  const { rows } = await sql<Deletion & { at: Date; operator: string }>`
    select at, operator, action, former_account as "accountId", former_identity as "identityId", detail
    from deletion
    order by at desc, id desc`.execute(owner)
  return rows
}

/** The system user running a command. In a container, the user ID may have no name. */
export function operatorName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.()}`
  }
}
