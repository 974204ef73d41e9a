/** Rejects input that PostgreSQL can't store. */
import { invalid } from '#errors.ts'

/** Deeper than any endpoint's schema. */
const depthMax = 16

/**
 * Rejects NUL characters and lone surrogates, which PostgreSQL can't store.
 *
 * @throws ApiError `invalid` with the path of the field
 */
export function rejectUnstorable(value: unknown, path: readonly string[] = []): void {
  if (path.length > depthMax) throw invalid(path.slice(0, 3).join('.'), `Nested deeper than ${depthMax} levels`)
  if (typeof value === 'string') {
    if (value.includes('\0')) throw invalid(path.join('.'), 'The text contains a NUL character')
    if (!value.isWellFormed()) throw invalid(path.join('.'), 'The text is not valid Unicode')
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) rejectUnstorable(item, [...path, String(index)])
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, item] of Object.entries(value)) rejectUnstorable(item, [...path, name])
  }
}
