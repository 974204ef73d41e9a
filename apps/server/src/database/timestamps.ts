/**
 * Converts timestamps from PostgreSQL's text format to ISO 8601. Long lists contain a thousand of them, and parsing each
 * into a `Date` would take longer than the rest of the row.
 */
import { type RawBuilder, sql } from 'kysely'

/** Selects a timestamp column as text for `toIso`. */
export function timestampText(column: string): RawBuilder<string> {
  return sql<string>`${sql.ref(column)}::text`
}

/**
 * Converts `2026-11-21 06:50:14.1943+00`, the output of a UTC session, to `2026-11-21T06:50:14.194Z`, truncated to
 * milliseconds.
 *
 * @throws RangeError for an invalid timestamp
 */
export function toIso(text: string): string {
  if (!utcTimestamp.test(text)) return new Date(text).toISOString()
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${text.slice(20, -3).slice(0, 3).padEnd(3, '0')}Z`
}

const utcTimestamp = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?\+00$/
