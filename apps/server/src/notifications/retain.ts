import type { Database } from '#database/index.ts'
import { sql } from 'kysely'

/** Events and deliveries are word of what happened, not the history itself: they live for 30 days. */
const keptDays = 30
const batch = 10_000

/** Forgets what is older, in small transactions. */
export async function forgetOld(database: Database, now: Date): Promise<void> {
  const before = new Date(now.getTime() - keptDays * 86_400_000)
  for (const table of ['event', 'delivery'] as const) {
    const column = table === 'event' ? sql`at` : sql`created_at`
    for (;;) {
      const { numAffectedRows } = await sql`
        delete from ${sql.table(table)} where ctid in (
          select ctid from ${sql.table(table)} where ${column} < ${before} limit ${batch})`.execute(database.owner)
      if (Number(numAffectedRows ?? 0) < batch) break
    }
  }
}
