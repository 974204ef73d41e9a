/** The names that the texts of one template may use, beside those of the place it is run on. */
import { at, items, keysOf, text, type Node } from '#template/parse-node.ts'

/** Names that extractors of the template read, and the variables that it sets itself. */
export interface Scope {
  readonly has: (name: string) => boolean
  /** Collects the names that nothing here gives a value to. */
  readonly lacking: Set<string>
}

export function scopeOf(root: Node): Scope {
  const blocks = ['http', 'requests', 'tcp', 'network', 'dns', 'ssl'].flatMap((kind) => items(at(root, kind)))
  const extracted = blocks
    .flatMap((block) => items(at(block, 'extractors')))
    .map((extractor) => text(at(extractor, 'name'), ''))
  const listed = blocks.flatMap((block) => keysOf(at(block, 'payloads')))
  const set = [...readVariables(root)].flatMap(([name, written]) => (isLeftOpen(name, written) ? [] : [name]))
  const known = new Set([...listed, ...extracted.filter((name) => name !== ''), ...set])
  return { has: (name) => known.has(name), lacking: new Set() }
}

/**
 * What the template sets itself, under `variables` and `constants`, as texts with placeholders.
 *
 * @throws Refused for lists and mappings
 */
export function readVariables(root: Node): ReadonlyMap<string, string> {
  const both = [at(root, 'constants'), at(root, 'variables')]
  return new Map(both.flatMap((node) => keysOf(node).map((name) => [name, text(at(node, name))] as const)))
}

/** A variable that is set to itself says no more than that somebody has to give its value. */
function isLeftOpen(name: string, written: string): boolean {
  return written.replaceAll(/\s/g, '') === `{{${name}}}`
}

/** Parts of an answer that get the number of their request behind the name. */
const HISTORY = /^(?:[A-Za-z_-]*[A-Za-z])_(\d{1,3})$/

/** Whether a name speaks of the answer to a certain request, as `body_2` does. */
export function isHistory(name: string): boolean {
  return HISTORY.test(name) && !/^(?:randstr|interactsh.*|http|tcp|ssl|dns)_\d+$/.test(name)
}
