/** What comes in and no column holds. */
import { invalid } from '#errors.ts'

/** No call of ours needs a body that is deeper. */
const depthMax = 16

/**
 * PostgreSQL stores no NUL, and half a surrogate pair is no character.
 *
 * @throws Refusal `invalid` with the path of the member
 */
export function refuseUnstorable(value: unknown, path: readonly string[] = []): void {
  if (path.length > depthMax) throw invalid(path.slice(0, 3).join('.'), `More than ${depthMax} levels deep`)
  if (typeof value === 'string') {
    if (value.includes('\0')) throw invalid(path.join('.'), 'The text holds a NUL character')
    if (!value.isWellFormed()) throw invalid(path.join('.'), 'The text is not valid Unicode')
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) refuseUnstorable(item, [...path, String(index)])
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, item] of Object.entries(value)) refuseUnstorable(item, [...path, name])
  }
}
