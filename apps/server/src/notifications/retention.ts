import type { Database } from '#database/index.ts'
import { sql } from 'kysely'

/** Events and deliveries are kept for 30 days. The history of issues is stored separately. */
const retentionDays = 30
const batchSize = 10_000

/** Deletes older events and deliveries in small transactions. */
export async function deleteOldEvents(database: Database, now: Date): Promise<void> {
  const before = new Date(now.getTime() - retentionDays * 86_400_000)
  for (const table of ['event', 'delivery'] as const) {
    const column = table === 'event' ? sql`at` : sql`created_at`
    for (;;) {
      const { numAffectedRows } = await sql`
        delete from ${sql.table(table)} where ctid in (
          select ctid from ${sql.table(table)} where ${column} < ${before} limit ${batchSize})`.execute(database.owner)
      if (Number(numAffectedRows ?? 0) < batchSize) break
    }
  }
}
