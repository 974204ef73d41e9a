/**
 * The expression language of nuclei's `dsl` matchers and placeholders: a precedence-climbing parser
 * and an evaluator. Text is a byte string (one character per byte), as in nuclei.
 */
import { functions } from '#template/dsl-functions.ts'
import { isTrue, operation, type Node } from '#template/dsl-operators.ts'
import { NoValue, noValue, toNumber, toText, type DslValue, type Lookup } from '#template/dsl-value.ts'

export interface Expression {
  readonly source: string
  /** Variables used by the expression. */
  readonly names: ReadonlySet<string>
  /** Functions used, without underscores. */
  readonly calls: ReadonlySet<string>
  /**
   * The value, or undefined when a variable is unknown or a function has no value for its
   * arguments. An unknown variable makes the whole expression undefined, even in `x || true`.
   */
  evaluate(lookup: Lookup): DslValue | undefined
}

const SOURCE_MAX = 64 * 1024
const DEPTH_MAX = 64
/** In order of increasing precedence. */
const PRECEDENCE: readonly (readonly string[])[] = [
  ['||'],
  ['&&'],
  ['==', '!=', '>=', '<=', '>', '<', '=~', '!~', 'in'],
  ['+', '-'],
  ['*', '/', '%'],
]

/**
 * Parses an expression.
 *
 * @returns the expression, or an error message with the position; unknown functions are errors,
 * so that no check runs partially
 */
export function parseExpression(source: string): Expression | string {
  if (source.length > SOURCE_MAX) return `an expression longer than ${SOURCE_MAX} characters`
  const tokens = tokenize(source)
  if (typeof tokens === 'string') return tokens
  const reader: Reader = { tokens, at: 0, depth: 0, names: new Set(), calls: new Set() }
  try {
    const root = parseList(reader)
    const rest = reader.tokens[reader.at]
    if (rest) return `unexpected "${rest.text}" in an expression`
    const { names, calls } = reader
    return { source, names, calls, evaluate: (lookup) => evaluate(root, names, lookup) }
  } catch (error) {
    if (error instanceof ExpressionSyntaxError) return error.message
    throw error
  }
}

const INNER = /\{\{([^{}]+)\}\}/g

class ExpressionSyntaxError extends Error {}

interface Token {
  readonly kind: 'text' | 'number' | 'word' | 'sign'
  readonly text: string
}
interface Reader {
  readonly tokens: readonly Token[]
  at: number
  depth: number
  readonly names: Set<string>
  readonly calls: Set<string>
}

function evaluate(root: Node, names: ReadonlySet<string>, lookup: Lookup): DslValue | undefined {
  for (const name of names) if (lookup(name) === undefined) return undefined
  try {
    return root(lookup)
  } catch (error) {
    if (error instanceof NoValue) return undefined
    throw error
  }
}

const TOKEN =
  /\s*(?:("(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*')|(\d+(?:\.\d+)?)|([A-Za-z_][\w-]*(?:\.\w+)*)|(\|\||&&|==|!=|>=|<=|=~|!~|[-+*/%!<>(),]))/y

function tokenize(source: string): readonly Token[] | string {
  const tokens: Token[] = []
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < source.trimEnd().length) {
    const at = TOKEN.lastIndex
    const match = TOKEN.exec(source)
    if (!match) return `an invalid expression at "${source.slice(at, at + 20).trim()}"`
    const [, quoted, number, word, sign] = match
    if (quoted !== undefined) tokens.push({ kind: 'text', text: unquote(quoted) })
    else if (number !== undefined) tokens.push({ kind: 'number', text: number })
    else if (word !== undefined) tokens.push({ kind: 'word', text: word })
    else tokens.push({ kind: 'sign', text: sign ?? '' })
  }
  return tokens
}

/** A backslash escapes any following character. */
function unquote(quoted: string): string {
  const text = quoted.slice(1, -1).replace(/\\([^])/g, '$1')
  return Buffer.from(text, 'utf8').toString('latin1')
}

/** A comma-separated list of expressions is a list value. */
function parseList(reader: Reader): Node {
  const items = [parseBinary(reader, 0)]
  while (take(reader, ',')) items.push(parseBinary(reader, 0))
  const [only] = items
  return only && items.length === 1 ? only : (lookup) => items.map((item) => item(lookup))
}

function parseBinary(reader: Reader, level: number): Node {
  const signs = PRECEDENCE[level]
  if (!signs) return parseUnary(reader)
  let left = parseBinary(reader, level + 1)
  for (;;) {
    const token = reader.tokens[reader.at]
    if (!token || token.kind === 'text' || !signs.includes(token.text)) return left
    reader.at++
    rejectZeroDivisor(token, reader)
    left = operation(token.text, left, parseBinary(reader, level + 1))
  }
}

function rejectZeroDivisor({ text }: Token, { tokens, at }: Reader): void {
  const isZero = tokens[at]?.kind === 'number' && Number(tokens[at].text) === 0
  if (isZero && (text === '/' || text === '%')) throw new ExpressionSyntaxError('division by zero in an expression')
}

function parseUnary(reader: Reader): Node {
  if (take(reader, '!')) {
    const inner = parseUnary(nest(reader))
    reader.depth--
    return (lookup) => !isTrue(inner(lookup))
  }
  if (take(reader, '-')) {
    const inner = parseUnary(nest(reader))
    reader.depth--
    return (lookup) => -toNumber(inner(lookup))
  }
  return parsePrimary(reader)
}

function parsePrimary(reader: Reader): Node {
  const token = reader.tokens[reader.at++]
  if (!token) throw new ExpressionSyntaxError('an incomplete expression')
  if (token.kind === 'text') return literal(token.text)
  if (token.kind === 'number') return () => Number(token.text)
  if (token.kind === 'word') return word(reader, token.text)
  if (token.text !== '(') throw new ExpressionSyntaxError(`unexpected "${token.text}" in an expression`)
  const items = parseArguments(nest(reader))
  reader.depth--
  const [only] = items
  if (only && items.length === 1) return only
  return (lookup) => items.map((item) => item(lookup))
}

/** String literals may contain placeholders; those without a value stay unchanged. */
function literal(text: string): Node {
  if (!text.includes('{{')) return () => text
  const cache = new Map<string, Expression | string>()
  for (const [, source = ''] of text.matchAll(INNER)) cache.set(source, parseExpression(source.trim()))
  return (lookup) =>
    text.replace(INNER, (whole, source: string) => {
      const inner = cache.get(source)
      const value = typeof inner === 'object' ? inner.evaluate(lookup) : undefined
      return value === undefined ? whole : toText(value)
    })
}

function word(reader: Reader, name: string): Node {
  if (name === 'true') return () => true
  if (name === 'false') return () => false
  if (!take(reader, '(')) {
    reader.names.add(name)
    return (lookup) => lookup(name) ?? noValue()
  }
  const key = name.replaceAll('_', '').toLowerCase()
  const call = functions.get(key)
  if (!call) throw new ExpressionSyntaxError(`the function ${name}`)
  reader.calls.add(key)
  const items = parseArguments(nest(reader))
  reader.depth--
  return (lookup) => call(items.map((item) => item(lookup)))
}

/** Comma-separated arguments up to and including the closing parenthesis. */
function parseArguments(reader: Reader): Node[] {
  const items: Node[] = []
  if (take(reader, ')')) return items
  do items.push(parseBinary(reader, 0))
  while (take(reader, ','))
  if (!take(reader, ')')) throw new ExpressionSyntaxError('a missing ")" in an expression')
  return items
}

function take(reader: Reader, sign: string): boolean {
  const token = reader.tokens[reader.at]
  if (token?.kind !== 'sign' || token.text !== sign) return false
  reader.at++
  return true
}

function nest(reader: Reader): Reader {
  reader.depth++
  if (reader.depth > DEPTH_MAX) throw new ExpressionSyntaxError(`an expression nested deeper than ${DEPTH_MAX}`)
  return reader
}
