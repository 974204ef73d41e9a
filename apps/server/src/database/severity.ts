/** Counts of active issues by severity, for the things that show them. */
import type { SeverityCount } from '@glacis/contract/primitives'
import { type RawBuilder, sql } from 'kysely'

export const noIssues: SeverityCount = { critical: 0, high: 0, medium: 0, low: 0 }

/**
 * The four counts as columns, from a `left join` of `target_count` or `host_count`: active issues (open
 * or regression) as the issues room keeps them. An issue counts once for each target or host in which
 * at least one of its occurrences is active.
 */
export function countsBeside(table: 'target_count' | 'host_count'): RawBuilder<unknown> {
  const column = (name: string) => sql`coalesce(${sql.ref(`${table}.${name}`)}, 0) as ${sql.ref(name)}`
  return sql.join(['critical', 'high', 'medium', 'low'].map(column))
}
