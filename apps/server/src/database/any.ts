import { type RawBuilder, sql } from 'kysely'

/** For `where('id', '=', anyOf(ids))`: unlike `in`, one statement however many ids there are, so that it is kept. */
export function anyOf(ids: readonly string[]): RawBuilder<string> {
  return sql<string>`any(${ids}::uuid[])`
}
