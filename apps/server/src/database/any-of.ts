import { type RawBuilder, sql } from 'kysely'

/** For `where('id', '=', anyOf(ids))`. Unlike `in`, the SQL text doesn't depend on the number of IDs. */
export function anyOf(ids: readonly string[]): RawBuilder<string> {
  return sql<string>`any(${ids}::uuid[])`
}
