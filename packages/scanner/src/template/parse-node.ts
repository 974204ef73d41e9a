/** Reads the plain values of a YAML document, remembering where each stands. */

/** Why a template is not run. Caught where a template is parsed and told with its line. */
export class Refused extends Error {
  /** Short name of the feature or mistake, under which refusals are counted. */
  readonly feature: string
  readonly path: readonly (string | number)[]
  constructor(feature: string, path: readonly (string | number)[], message = `${feature} is not supported`) {
    super(message)
    this.name = 'Refused'
    this.feature = feature
    this.path = path
  }
}

/** A value and the way to it. */
export interface Node {
  readonly value: unknown
  readonly path: readonly (string | number)[]
}

/** The member of a mapping; its value is undefined when there is none. */
export function at(node: Node, key: string): Node {
  const { value, path } = node
  const found = isMapping(value) && Object.hasOwn(value, key) ? value[key] : undefined
  return { value: found ?? undefined, path: [...path, key] }
}

/** The first of several names of one thing that the mapping has. */
export function either(node: Node, ...keys: readonly [string, ...string[]]): Node {
  const key = keys.find((one) => at(node, one).value !== undefined) ?? keys[0]
  return at(node, key)
}

/** Members of a list; nothing for a missing one, one member for a single value. */
export function items(node: Node): Node[] {
  if (node.value === undefined) return []
  if (!Array.isArray(node.value)) return [node]
  return node.value.map((value: unknown, index) => ({ value, path: [...node.path, index] }))
}

export function keysOf(node: Node): string[] {
  if (node.value === undefined) return []
  if (!isMapping(node.value)) throw invalid(node, 'a mapping')
  return Object.keys(node.value)
}

/** Text as it stands; numbers and booleans count as the text they were written as. */
export function text(node: Node, fallback?: string): string {
  const { value } = node
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (value === undefined && fallback !== undefined) return fallback
  throw invalid(node, 'a text')
}

export function texts(node: Node): string[] {
  return items(node).map((item) => text(item))
}

/** Texts that may also stand in one line with commas between. */
export function commaTexts(node: Node): string[] {
  return texts(node)
    .flatMap((one) => one.split(','))
    .map((one) => one.trim())
    .filter((one) => one !== '')
}

export function flag(node: Node): boolean {
  if (node.value === undefined) return false
  if (typeof node.value === 'boolean') return node.value
  const word = text(node).toLowerCase()
  if (['true', 'yes', 'on'].includes(word)) return true
  if (['false', 'no', 'off'].includes(word)) return false
  throw invalid(node, 'true or false')
}

/** A whole number from 0; `fallback` when missing. */
export function whole<T>(node: Node, fallback: T): number | T {
  if (node.value === undefined) return fallback
  const number = Number(text(node))
  if (!Number.isSafeInteger(number) || number < 0) throw invalid(node, 'a whole number')
  return number
}

export function oneOf<const T extends string>(node: Node, allowed: readonly T[], fallback: T): T {
  const word = text(node, fallback)
  return allowed.find((one) => one === word) ?? refuse(node, `${node.path.at(-1)}: ${word.slice(0, 40)}`)
}

/** Refuses fields that nobody reads, because a check that is understood by half is worse than none. */
export function onlyKeys(node: Node, known: ReadonlySet<string>): void {
  for (const key of keysOf(node)) if (!known.has(key)) refuse(at(node, key), key)
}

/** @throws Refused always */
export function refuse(node: Node, feature: string, message?: string): never {
  throw new Refused(feature, node.path, message)
}

function invalid(node: Node, wanted: string): Refused {
  const name = node.path.join('.') || 'the document'
  return new Refused('invalid', node.path, `${name} must be ${wanted}`)
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
