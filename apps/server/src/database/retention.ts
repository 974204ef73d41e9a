/** How long a workspace keeps data: its own setting, or that of the installation. */
import { type RawBuilder, sql } from 'kysely'

/**
 * The time before which rows are deleted, in a statement that joins `workspace`.
 *
 * @param standard the time by the setting of the installation
 */
export function cutoffOf(column: 'history_days' | 'evidence_days', standard: Date): RawBuilder<Date> {
  return sql`coalesce(now() - workspace.${sql.ref(column)} * interval '1 day', ${standard}::timestamptz)`
}
