/** CPE name matching (NISTIR 7696, tables 6-2 and 6-4). */
import { attributes, type CpeName } from '#wfn.ts'

/** The relation of two sets of products. */
export type Relation = 'equal' | 'superset' | 'subset' | 'disjoint' | 'undefined'

/**
 * Compares two attribute values, written as in a formatted string. The result is `undefined` if the
 * target contains wildcards.
 */
export function compareValue(source: string, target: string): Relation {
  if (hasWildcard(target)) return 'undefined'
  if (source === target) return 'equal'
  if (source === '*') return 'superset'
  if (target === '*') return 'subset'
  if (source === '-' || target === '-' || !hasWildcard(source)) return 'disjoint'
  return matchesPattern(source, target) ? 'superset' : 'disjoint'
}

/** Compares the sets of products that two names describe. */
export function compareNames(source: CpeName, target: CpeName): Relation {
  const relations = new Set(attributes.map((attribute) => compareValue(source[attribute], target[attribute])))
  if (relations.has('disjoint')) return 'disjoint'
  if (relations.has('undefined')) return 'undefined'
  relations.delete('equal')
  if (relations.size === 0) return 'equal'
  const [only] = relations
  return relations.size === 1 && only ? only : 'undefined'
}

function hasWildcard(value: string): boolean {
  return value !== '*' && /^[?*]|(?:^|[^\\])(?:\\\\)*[?*]$/.test(value)
}

/** `*` matches any characters; each `?` matches one character or none. */
function matchesPattern(pattern: string, target: string): boolean {
  const [, before = '', body = '', after = ''] = /^(\*|\?*)((?:\\.|[^?*\\])*)(\*|\?*)$/u.exec(pattern) ?? []
  const expected = splitCharacters(body)
  const actual = splitCharacters(target)
  const leadMax = before === '*' ? actual.length : before.length
  const tailMax = after === '*' ? actual.length : after.length
  for (let lead = 0; lead <= Math.min(leadMax, actual.length - expected.length); lead++) {
    const tail = actual.length - lead - expected.length
    if (tail <= tailMax && expected.every((character, index) => character === actual[lead + index])) return true
  }
  return false
}

/** Splits a value into characters; a quoted character counts as one. */
function splitCharacters(value: string): string[] {
  return value.match(/\\.|[^\\]/gsu) ?? []
}
