/** Reads YAML values and tracks their location for error messages. */

/** The reason why a template is rejected. Caught by the parser, which adds the line. */
export class UnsupportedFeature extends Error {
  /** Short name of the unsupported feature or the error, used to count rejections. */
  readonly feature: string
  readonly path: readonly (string | number)[]
  constructor(feature: string, path: readonly (string | number)[], message = `${feature} is not supported`) {
    super(message)
    this.name = 'UnsupportedFeature'
    this.feature = feature
    this.path = path
  }
}

/** A value and its path in the document. */
export interface Node {
  readonly value: unknown
  readonly path: readonly (string | number)[]
  /** The document was read without problems before, so its patterns aren't compiled to validate them. */
  readonly isValidated: boolean
}

/** A property of a mapping; its value is undefined when absent. */
export function at(node: Node, key: string): Node {
  const { value, path, isValidated } = node
  const child = isMapping(value) && Object.hasOwn(value, key) ? value[key] : undefined
  return { value: child ?? undefined, path: [...path, key], isValidated }
}

/** The first property that exists among several aliases. */
export function firstOf(node: Node, ...keys: readonly [string, ...string[]]): Node {
  const key = keys.find((key) => at(node, key).value !== undefined) ?? keys[0]
  return at(node, key)
}

/** Items of a list; empty when absent, a single item for a scalar. */
export function items(node: Node): Node[] {
  if (node.value === undefined) return []
  if (!Array.isArray(node.value)) return [node]
  const { path, isValidated } = node
  return node.value.map((value: unknown, index) => ({ value, path: [...path, index], isValidated }))
}

export function keysOf(node: Node): string[] {
  if (node.value === undefined) return []
  if (!isMapping(node.value)) throw invalid(node, 'a mapping')
  return Object.keys(node.value)
}

/** Text; numbers and booleans are used as written. */
export function text(node: Node, fallback?: string): string {
  const { value } = node
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (value === undefined && fallback !== undefined) return fallback
  throw invalid(node, 'a string')
}

export function texts(node: Node): string[] {
  return items(node).map((item) => text(item))
}

/** A list of strings, or one comma-separated string. */
export function commaTexts(node: Node): string[] {
  return texts(node)
    .flatMap((text) => text.split(','))
    .map((text) => text.trim())
    .filter((text) => text !== '')
}

export function flag(node: Node): boolean {
  if (node.value === undefined) return false
  if (typeof node.value === 'boolean') return node.value
  const word = text(node).toLowerCase()
  if (['true', 'yes', 'on'].includes(word)) return true
  if (['false', 'no', 'off'].includes(word)) return false
  throw invalid(node, 'true or false')
}

/** A non-negative integer; `fallback` when absent. */
export function integer<T>(node: Node, fallback: T): number | T {
  if (node.value === undefined) return fallback
  const number = Number(text(node))
  if (!Number.isSafeInteger(number) || number < 0) throw invalid(node, 'a whole number')
  return number
}

export function oneOf<const T extends string>(node: Node, allowed: readonly T[], fallback: T): T {
  const word = text(node, fallback)
  return allowed.find((value) => value === word) ?? reject(node, `${node.path.at(-1)}: ${word.slice(0, 40)}`)
}

/** Rejects unknown fields: a partially understood check is worse than none. */
export function onlyKeys(node: Node, known: ReadonlySet<string>): void {
  for (const key of keysOf(node)) if (!known.has(key)) reject(at(node, key), key)
}

/** @throws UnsupportedFeature always */
export function reject(node: Node, feature: string, message?: string): never {
  throw new UnsupportedFeature(feature, node.path, message)
}

function invalid(node: Node, expected: string): UnsupportedFeature {
  const name = node.path.join('.') || 'the document'
  return new UnsupportedFeature('invalid', node.path, `${name} must be ${expected}`)
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
