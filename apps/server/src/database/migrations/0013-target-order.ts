import { type Kysely, sql } from 'kysely'

/** Targets are sorted by name as people do it, for which this index of code points is of no use. */
export async function dropTargetOrder(db: Kysely<unknown>): Promise<void> {
  await sql`drop index target_by_name`.execute(db)
}
