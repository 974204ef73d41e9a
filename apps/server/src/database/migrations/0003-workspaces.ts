import { readFile } from 'node:fs/promises'
import { type Kysely, sql } from 'kysely'

/** Several people per account: members with roles, and invitations. */
export async function createWorkspaces(db: Kysely<unknown>): Promise<void> {
  const text = await readFile(new URL('0003-workspaces.sql', import.meta.url), 'utf8')
  await sql.raw(text).execute(db)
}
