/** Counts of active issues by severity. */
import type { SeverityCount } from '@glacis/contract/primitives'
import { type RawBuilder, sql } from 'kysely'

export const noIssues: SeverityCount = { critical: 0, high: 0, medium: 0, low: 0 }

/**
 * The four counts as columns of a `left join` with `target_count` or `host_count`. They count active issues (open or
 * regression), once for each target or host with at least one active occurrence.
 */
export function severityCountColumns(table: 'target_count' | 'host_count'): RawBuilder<unknown> {
  const column = (name: string) => sql`coalesce(${sql.ref(`${table}.${name}`)}, 0) as ${sql.ref(name)}`
  return sql.join(['critical', 'high', 'medium', 'low'].map(column))
}
