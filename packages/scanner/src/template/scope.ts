/** Variables available to one template, in addition to those of the target. */
import { at, items, keysOf, text, type Node } from '#template/parse-node.ts'

/** Names set by the template's extractors and variables. */
export interface Scope {
  readonly has: (name: string) => boolean
  /** Collects undefined names. */
  readonly missingValues: Set<string>
}

export function scopeOf(root: Node): Scope {
  const blocks = ['http', 'requests', 'tcp', 'network', 'dns', 'ssl'].flatMap((kind) => items(at(root, kind)))
  const extracted = blocks
    .flatMap((block) => items(at(block, 'extractors')))
    .map((extractor) => text(at(extractor, 'name'), ''))
  const listed = blocks.flatMap((block) => keysOf(at(block, 'payloads')))
  const set = [...readVariables(root)].flatMap(([name, written]) => (isSuppliedByOperator(name, written) ? [] : [name]))
  const known = new Set([...listed, ...extracted.filter((name) => name !== ''), ...set])
  return { has: (name) => known.has(name), missingValues: new Set() }
}

/**
 * Template values from `variables` and `constants`, as texts with placeholders.
 *
 * @throws UnsupportedFeature for lists and mappings
 */
export function readVariables(root: Node): ReadonlyMap<string, string> {
  const both = [at(root, 'constants'), at(root, 'variables')]
  return new Map(both.flatMap((node) => keysOf(node).map((name) => [name, text(at(node, name))] as const)))
}

/** A variable set to itself declares that the operator must supply its value. */
function isSuppliedByOperator(name: string, written: string): boolean {
  return written.replaceAll(/\s/g, '') === `{{${name}}}`
}

/** Response parts that can carry the number of their request. */
const NUMBERED_PART = /^(?:[A-Za-z_-]*[A-Za-z])_(\d{1,3})$/

/** Whether a name refers to the response of a specific request, such as `body_2`. */
export function isNumberedPart(name: string): boolean {
  return NUMBERED_PART.test(name) && !/^(?:randstr|interactsh.*|http|tcp|ssl|dns)_\d+$/.test(name)
}
