/**
 * Moments on their way from a row to an answer. A list shows a thousand of them, and to read each into a
 * `Date` and write it again takes longer than all else that is done with the row: so they are asked for
 * as texts, and brought into the contract's form as texts.
 */
import { type RawBuilder, sql } from 'kysely'

/** A column of times as the text that `isoOf` reads. */
export function asText(column: string): RawBuilder<string> {
  return sql<string>`${sql.ref(column)}::text`
}

/**
 * `2026-11-21 06:50:14.1943+00`, as the database writes a time where the session speaks UTC, in the form of
 * the contract: `2026-11-21T06:50:14.194Z`. What is finer than a millisecond is cut off.
 *
 * @throws RangeError for what is no such time
 */
export function isoOf(text: string): string {
  if (!usual.test(text)) return new Date(text).toISOString()
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${text.slice(20, -3).slice(0, 3).padEnd(3, '0')}Z`
}

const usual = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?\+00$/
