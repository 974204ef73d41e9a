/** Comparison of names: CPE name matching (NISTIR 7696, table 6-2 and 6-4). */
import { attributes, type CpeName } from '#wfn.ts'

/** How two sets of products relate. */
export type Relation = 'equal' | 'superset' | 'subset' | 'disjoint' | 'undefined'

/**
 * How the values that `source` means relate to those that `target` means. Both are written as in
 * a formatted string. A target with wildcards has no meaning: `undefined`.
 */
export function compareValue(source: string, target: string): Relation {
  if (hasWildcard(target)) return 'undefined'
  if (source === target) return 'equal'
  if (source === '*') return 'superset'
  if (target === '*') return 'subset'
  if (source === '-' || target === '-' || !hasWildcard(source)) return 'disjoint'
  return fits(source, target) ? 'superset' : 'disjoint'
}

/** How the set of products that `source` names relates to those of `target`. */
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

/** `*` stands for any characters; each `?` at an end for one character or none. */
function fits(pattern: string, target: string): boolean {
  const [, before = '', body = '', after = ''] = /^(\*|\?*)((?:\\.|[^?*])*)(\*|\?*)$/.exec(pattern) ?? []
  const wanted = units(body)
  const given = units(target)
  const leadMax = before === '*' ? given.length : before.length
  const tailMax = after === '*' ? given.length : after.length
  for (let lead = 0; lead <= Math.min(leadMax, given.length - wanted.length); lead++) {
    const tail = given.length - lead - wanted.length
    if (tail <= tailMax && wanted.every((unit, index) => unit === given[lead + index])) return true
  }
  return false
}

/** A quoted character counts as one. */
function units(value: string): string[] {
  return value.match(/\\.|[^\\]/gs) ?? []
}
