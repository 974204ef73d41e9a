/** Placeholder variables and their substitution. */
import { bracketed } from '#ip.ts'
import { randomBytes } from 'node:crypto'
import { parseExpression, type Expression } from '#template/dsl.ts'
import { toBytes, toText, type DslValue, type Lookup } from '#template/dsl-value.ts'
import { withoutTrailingSlashes } from '#template/request-target.ts'
import { Stopped } from '#unit.ts'

/** Target of a check: the URL parts that templates may reference. */
export interface TargetParts {
  readonly scheme: 'http' | 'https' | 'tcp'
  /** Hostname, or the address if unknown. */
  readonly hostname: string
  readonly address: string
  readonly port: number
  /** Path of the target, at least `/`. */
  readonly basePath: string
}

/** Names that `variablesOf` may define; templates that use others are rejected. */
const knownVariables: ReadonlySet<string> = new Set(
  'BaseURL RootURL Hostname Host Port Path File Scheme Input FQDN DN RDN TLD SD ip interactsh-url'.split(' '),
)
/** Maximum length of a template variable's value, in bytes. */
const VALUE_MAX = 1024 * 1024
const RANDOM_NAME = /^randstr(_\d+)?$/

/** Whether a name refers to a part of the target, so that it is the same for every check there. */
export function isTargetVariable(name: string): boolean {
  return knownVariables.has(name) && name !== 'interactsh-url'
}

/** Whether the runners can define the placeholder's name. */
export function isKnownVariable(name: string): boolean {
  return knownVariables.has(name) || RANDOM_NAME.test(name)
}

/**
 * Variables of a target. `DN`, `RDN`, `TLD`, and `SD` are undefined for IP addresses, so requests
 * that need them are not sent.
 */
export function variablesOf(place: TargetParts): ReadonlyMap<string, DslValue> {
  const { scheme, hostname, address, port } = place
  const host = bracketed(hostname)
  const isDefaultPort = (scheme === 'http' && port === 80) || (scheme === 'https' && port === 443)
  const authority = isDefaultPort ? host : `${host}:${port}`
  const root = `${scheme}://${authority}`
  const path = withoutTrailingSlashes(place.basePath)
  const slash = path.lastIndexOf('/')
  return new Map<string, DslValue>([
    ['BaseURL', root + path],
    ['RootURL', root],
    ['Input', root + path],
    ['Hostname', authority],
    ['Host', hostname],
    ['Port', String(port)],
    ['Scheme', scheme],
    // The parent folder of the target's path, and its last segment.
    ['Path', slash > 0 ? path.slice(0, slash) : path && '/'],
    ['File', slash >= 0 ? path.slice(slash + 1) : ''],
    ['FQDN', hostname],
    ['ip', address],
    ...nameParts(hostname, address),
  ])
}

function nameParts(hostname: string, address: string): [string, string][] {
  const labels = hostname.split('.')
  const last = labels.at(-1) ?? ''
  if (hostname === address || labels.length < 2 || hostname.includes(':') || /^\d+$/.test(last)) return []
  const [domain = ''] = labels.slice(-2)
  const subdomain = labels.slice(0, -2).join('.')
  return [['RDN', labels.slice(-2).join('.')], ['DN', domain], ['TLD', last], ...pairUnlessEmpty('SD', subdomain)]
}

function pairUnlessEmpty(name: string, value: string): [string, string][] {
  return value === '' ? [] : [[name, value]]
}

/** A lookup that also generates `randstr` values, constant per name. */
export function withRandom(lookup: Lookup): Lookup {
  const cachedValues = new Map<string, string>()
  return (name) => {
    if (!RANDOM_NAME.test(name)) return lookup(name)
    const value = cachedValues.get(name) ?? randomBytes(14).toString('hex').slice(1)
    cachedValues.set(name, value)
    return value
  }
}

/** A lookup that prefers operator-supplied values to generated ones. */
export function withSuppliedValues(given: ReadonlyMap<string, string> | undefined, lookup: Lookup): Lookup {
  return given === undefined ? lookup : (name) => given.get(name) ?? lookup(name)
}

/**
 * A lookup that also evaluates template variables: texts with placeholders, which may refer to each
 * other. Values are computed on first use and cached.
 *
 * @param volatile names whose values are recomputed each time, because their inputs change
 * @throws Stopped when a value is too large
 */
export function withVariables(
  written: ReadonlyMap<string, string>,
  lookup: Lookup,
  volatile: ReadonlySet<string> = new Set(),
): Lookup {
  if (written.size === 0) return lookup
  const cachedValues = new Map<string, string>()
  const evaluating = new Set<string>()
  const find: Lookup = (name) => {
    const text = written.get(name)
    if (text === undefined) return lookup(name)
    const cached = cachedValues.get(name)
    if (cached !== undefined) return cached
    // A variable set to itself takes its value from outside, if any.
    if (evaluating.has(name)) return lookup(name)
    evaluating.add(name)
    const value = fillBytes(text, find)
    evaluating.delete(name)
    if (value === null) return undefined
    if (value.length > VALUE_MAX) throw new Stopped('a variable of the check exceeds its budget')
    if (!volatile.has(name)) cachedValues.set(name, value)
    return value
  }
  return find
}

/** Braces inside string literals belong to the literal. */
const PLACEHOLDER = /\{\{((?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[^{}"'\n])+|[^{}]+)\}\}/g
const parsed = new Map<string, Expression | string>()

/** Expressions in double braces, in order; an error message for an invalid one. */
export function placeholdersOf(text: string): (Expression | string)[] {
  return [...text.matchAll(PLACEHOLDER)].map(([, source = '']) => expressionOf(source))
}

/**
 * Fills in all placeholders. Returns a byte string: surrounding text as UTF-8, values, which are
 * byte strings already, unchanged.
 *
 * @returns null when a placeholder has no value
 */
export function fillBytes(text: string, lookup: Lookup): string | null {
  let isWhole = true
  const filled = pieces(text, (whole, source) => {
    const value = valueOf(source, lookup)
    if (value === undefined) isWhole = false
    return value ?? whole
  })
  return isWhole ? filled : null
}

/** Like `fillBytes`, but leaves placeholders without a value unchanged. */
export function fillBytesKnown(text: string, lookup: Lookup): string {
  return pieces(text, (whole, source) => valueOf(source, lookup) ?? toBytes(whole))
}

function pieces(text: string, fill: (whole: string, source: string) => string): string {
  let filled = ''
  let end = 0
  for (const match of text.matchAll(PLACEHOLDER)) {
    filled += toBytes(text.slice(end, match.index)) + fill(match[0], match[1] ?? '')
    end = match.index + match[0].length
  }
  return filled + toBytes(text.slice(end))
}

function valueOf(source: string, lookup: Lookup): string | undefined {
  const expression = expressionOf(source)
  const value = typeof expression === 'string' ? undefined : expression.evaluate(lookup)
  return value === undefined ? undefined : toText(value)
}

function expressionOf(source: string): Expression | string {
  const cached = parsed.get(source)
  if (cached !== undefined) return cached
  if (parsed.size > 20_000) parsed.clear()
  const expression = parseExpression(source.trim())
  parsed.set(source, expression)
  return expression
}
