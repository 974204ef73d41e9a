import { readFile } from 'node:fs/promises'
import { type Kysely, sql } from 'kysely'

/** In the order of their references. */
const files = ['accounts', 'targets', 'knowledge', 'inventory', 'scans', 'issues', 'notifications']

/** The schema of version 0.1.0. */
export async function createBaseline(db: Kysely<unknown>): Promise<void> {
  for (const file of files) {
    const text = await readFile(new URL(`0001-baseline/${file}.sql`, import.meta.url), 'utf8')
    await sql.raw(text).execute(db)
  }
}
