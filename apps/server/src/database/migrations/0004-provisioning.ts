import { readFile } from 'node:fs/promises'
import { type Kysely, sql } from 'kysely'

/** Users and groups of an identity provider. */
export async function createProvisioning(db: Kysely<unknown>): Promise<void> {
  const text = await readFile(new URL('0004-provisioning.sql', import.meta.url), 'utf8')
  await sql.raw(text).execute(db)
}
