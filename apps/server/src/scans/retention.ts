import type { Database } from '#database/index.ts'
import { cutoffOf } from '#database/retention.ts'
import { sql } from 'kysely'

const batchSize = 200

/**
 * Deletes scans that ended before a date, or before the retention of their workspace, with their logs. Keeps the last scan and the last
 * completed scan of each target.
 */
export async function deleteOldScans(database: Database, before: Date): Promise<void> {
  for (;;) {
    const { numAffectedRows } = await sql`
      delete from scan where ctid in (
        select old.ctid from scan as old join workspace on workspace.id = old.account_id
        where old.completed_at < ${cutoffOf('history_days', before)} and exists (
          select from scan as later
          where later.account_id = old.account_id and later.target_id = old.target_id and later.id > old.id
            and (old.status <> 'STATUS_COMPLETED' or later.status = 'STATUS_COMPLETED'))
        limit ${batchSize})`.execute(database.owner)
    if (Number(numAffectedRows ?? 0) < batchSize) return
  }
}
