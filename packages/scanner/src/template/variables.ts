/** What placeholders stand for, and how they are filled in. */
import { randomBytes } from 'node:crypto'
import { parseExpression, type Expression } from '#template/dsl.ts'
import { toBytes, toText, type DslValue, type Lookup } from '#template/dsl-value.ts'

/** Where a check looks: the parts of the address that templates may name. */
export interface Place {
  readonly scheme: 'http' | 'https' | 'tcp'
  /** Host name, or the address where none is known. */
  readonly hostname: string
  readonly address: string
  readonly port: number
  /** Path of the target, `/` at least. */
  readonly basePath: string
}

/** Names that `variablesOf` may answer; a template that names others is refused when it is read. */
const knownVariables: ReadonlySet<string> = new Set(
  'BaseURL RootURL Hostname Host Port Path File Scheme Input FQDN DN RDN TLD SD ip interactsh-url'.split(' '),
)
/** Longest value of a template's own variable, in bytes. */
const VALUE_MAX = 1024 * 1024
const RANDOM_NAME = /^randstr(_\d+)?$/

/** Whether a name stands for a part of the place that is asked, the same for every check there. */
export function isPlaceVariable(name: string): boolean {
  return knownVariables.has(name) && name !== 'interactsh-url'
}

/** Whether the runners can give a value to the placeholder's name. */
export function isKnownVariable(name: string): boolean {
  return knownVariables.has(name) || RANDOM_NAME.test(name)
}

/**
 * The variables of a place. `DN`, `RDN`, `TLD` and `SD` do not exist for IP addresses, so that what
 * needs them is not sent.
 */
export function variablesOf(place: Place): ReadonlyMap<string, DslValue> {
  const { scheme, hostname, address, port } = place
  const host = hostname.includes(':') ? `[${hostname}]` : hostname
  const isDefaultPort = (scheme === 'http' && port === 80) || (scheme === 'https' && port === 443)
  const authority = isDefaultPort ? host : `${host}:${port}`
  const root = `${scheme}://${authority}`
  const path = place.basePath.replace(/\/+$/, '')
  const slash = path.lastIndexOf('/')
  return new Map<string, DslValue>([
    ['BaseURL', root + path],
    ['RootURL', root],
    ['Input', root + path],
    ['Hostname', authority],
    ['Host', hostname],
    ['Port', String(port)],
    ['Scheme', scheme],
    // The folder that the target's path lies in, and its last part.
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

/** A lookup that also makes up `randstr` values, the same each time it is asked for the same name. */
export function withRandom(lookup: Lookup): Lookup {
  const made = new Map<string, string>()
  return (name) => {
    if (!RANDOM_NAME.test(name)) return lookup(name)
    const value = made.get(name) ?? randomBytes(14).toString('hex').slice(1)
    made.set(name, value)
    return value
  }
}

/** A lookup that knows what the operator gave before what is made up. */
export function withGiven(given: ReadonlyMap<string, string> | undefined, lookup: Lookup): Lookup {
  return given === undefined ? lookup : (name) => given.get(name) ?? lookup(name)
}

/**
 * A lookup that also knows what a template sets itself: texts with placeholders, which may name each
 * other. A value is made when it is first asked for, and then it stays.
 *
 * @param fleeting names whose values are made anew each time, because what they are made of changes
 */
export function withVariables(
  written: ReadonlyMap<string, string>,
  lookup: Lookup,
  fleeting: ReadonlySet<string> = new Set(),
): Lookup {
  if (written.size === 0) return lookup
  const made = new Map<string, string>()
  const underWay = new Set<string>()
  const find: Lookup = (name) => {
    const text = written.get(name)
    if (text === undefined) return lookup(name)
    const known = made.get(name)
    if (known !== undefined) return known
    // What is set to itself was given by somebody else, if at all.
    if (underWay.has(name)) return lookup(name)
    underWay.add(name)
    const value = fillBytes(text, find)
    underWay.delete(name)
    if (value === null || value.length > VALUE_MAX) return undefined
    if (!fleeting.has(name)) made.set(name, value)
    return value
  }
  return find
}

/** Braces inside quotes belong to the quoted text. */
const PLACEHOLDER = /\{\{((?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[^{}"'\n])+|[^{}]+)\}\}/g
const parsed = new Map<string, Expression | string>()

/** Expressions between double braces, in order; a sentence in place of one that cannot be read. */
export function placeholdersOf(text: string): (Expression | string)[] {
  return [...text.matchAll(PLACEHOLDER)].map(([, source = '']) => expressionOf(source))
}

/**
 * Fills in every placeholder and answers with a byte string: the text around in UTF-8, the values,
 * which are byte strings already, as they are.
 *
 * @returns null when one has no value
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

/** As `fillBytes`, but what has no value stays as it is written. */
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
  const known = parsed.get(source)
  if (known !== undefined) return known
  if (parsed.size > 20_000) parsed.clear()
  const made = parseExpression(source.trim())
  parsed.set(source, made)
  return made
}
