/**
 * Answers that the database writes as JSON: a nested thing is then one value on its way here, read by
 * one call, in place of dozens of columns that are each taken apart and put together again.
 */
import { type RawBuilder, sql } from 'kysely'

/** A moment as the contract writes it: ISO 8601, UTC, to the millisecond. The connections speak UTC. */
export function moment(time: RawBuilder<unknown>): RawBuilder<string> {
  return sql<string>`to_char(${time}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}

/** An object with these members, in this order; fifty at most. */
export function objectOf(members: Readonly<Record<string, RawBuilder<unknown>>>): RawBuilder<unknown> {
  return sql`json_build_object(${sql.join(Object.entries(members).flatMap(([name, value]) => [sql.lit(name), value]))})`
}

/** The one column of `rows`, a list of objects in the order of `by`; empty where there are none. */
export function listOf(
  object: RawBuilder<unknown>,
  by: RawBuilder<unknown>,
  rows: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`coalesce((select json_agg(${object} order by ${by}) ${rows}), '[]'::json)`
}

/** Counts of active issues by severity as one object, from a row of counts that may be missing. */
export const severityCount = objectOf({
  critical: sql`coalesce(critical, 0)`,
  high: sql`coalesce(high, 0)`,
  medium: sql`coalesce(medium, 0)`,
  low: sql`coalesce(low, 0)`,
})
