/**
 * The subset of jq that templates use: paths, `[]`, single indexes, pipes, commas, `//`,
 * comparisons, `and`, `or`, `+`, literals, and a few stateless functions. Values are plain JSON.
 */
import { spend, withStepLimit } from '#unit.ts'

/** All results of the query for one document, in order; empty when it doesn't apply. */
export type Query = (input: unknown) => unknown[]

const SOURCE_MAX = 2_000
const DEPTH_MAX = 40
/** Maximum number of results per step; bounds queries on hostile data. */
const RESULTS_MAX = 10_000

/** @returns null when the query uses unsupported syntax */
export function parseJq(source: string): Query | null {
  if (source.length > SOURCE_MAX) return null
  const tokens = tokenize(source)
  if (!tokens) return null
  const reader: Reader = { tokens, at: 0, depth: 0 }
  try {
    const query = parsePipe(reader)
    return reader.at === tokens.length ? withBudget(query) : null
  } catch (error) {
    if (error instanceof UnsupportedQuery) return null
    throw error
  }
}

/**
 * Maximum cost of one query on one document, in array items, characters, and evaluated steps. Sums
 * double their input, so a short query can otherwise exhaust the heap.
 */
const BUDGET = 8_000_000
/** Cost of one combination of operands: an array of one result. */
const COMBINATION_COST = 16

/** Limits a query, which throws Stopped when its budget is spent. */
function withBudget(query: Query): Query {
  return (input) => withStepLimit('jq expression', BUDGET, () => query(input))
}

class UnsupportedQuery extends Error {}
interface Reader {
  readonly tokens: readonly string[]
  at: number
  depth: number
}

const TOKEN = /\s*("(?:[^"\\]|\\.)*"|\/\/|==|!=|<=|>=|[|,.()[\]+<>?]|-?\d+(?:\.\d+)?|[A-Za-z_]\w*)/y

function tokenize(source: string): readonly string[] | null {
  const tokens: string[] = []
  TOKEN.lastIndex = 0
  const end = source.trimEnd().length
  while (TOKEN.lastIndex < end) {
    const match = TOKEN.exec(source)
    if (!match) return null
    tokens.push(match[1] ?? '')
  }
  return tokens
}

function parsePipe(reader: Reader): Query {
  let left = parseComma(reader)
  while (take(reader, '|')) left = chain(left, parseComma(reader))
  return left
}

function chain(first: Query, second: Query): Query {
  return (input) => {
    const results: unknown[] = []
    for (const value of first(input).slice(0, RESULTS_MAX)) {
      const more = second(value)
      spend(1 + more.length)
      for (const result of more) results.push(result)
      if (results.length >= RESULTS_MAX) break
    }
    return results.slice(0, RESULTS_MAX)
  }
}

function parseComma(reader: Reader): Query {
  const parts = [parseBinary(reader, 0)]
  while (take(reader, ',')) parts.push(parseBinary(reader, 0))
  const [only] = parts
  return only && parts.length === 1 ? only : (input) => parts.flatMap((part) => part(input))
}

const LEVELS: readonly (readonly string[])[] = [['//'], ['or'], ['and'], ['==', '!=', '<', '>', '<=', '>='], ['+']]

function parseBinary(reader: Reader, level: number): Query {
  const signs = LEVELS[level]
  if (!signs) return postfix(reader)
  let left = parseBinary(reader, level + 1)
  for (;;) {
    const sign = reader.tokens[reader.at] ?? ''
    if (!signs.includes(sign)) return left
    reader.at++
    left = operation(sign, left, parseBinary(reader, level + 1))
  }
}

function operation(sign: string, left: Query, right: Query): Query {
  if (sign === '//')
    return (input) => {
      const truthy = left(input).filter(isTrue)
      return truthy.length > 0 ? truthy : right(input)
    }
  return (input) => right(input).flatMap((second) => left(input).flatMap((first) => combine(sign, first, second)))
}

function combine(sign: string, left: unknown, right: unknown): unknown[] {
  spend(COMBINATION_COST)
  if (sign === 'and') return [isTrue(left) && isTrue(right)]
  if (sign === 'or') return [isTrue(left) || isTrue(right)]
  if (sign === '==') return [isEqual(left, right)]
  if (sign === '!=') return [!isEqual(left, right)]
  if (sign === '+') return sum(left, right)
  if (typeof left === 'number' && typeof right === 'number') return [order(sign, left - right)]
  return typeof left === 'string' && typeof right === 'string'
    ? [order(sign, left < right ? -1 : Number(left > right))]
    : []
}

function isEqual(left: unknown, right: unknown): boolean {
  return serialize(left) === serialize(right)
}

function serialize(value: unknown): string {
  const text = JSON.stringify(value) ?? ''
  spend(text.length)
  return text
}

function order(sign: string, difference: number): boolean {
  if (sign === '<') return difference < 0
  if (sign === '>') return difference > 0
  return sign === '<=' ? difference <= 0 : difference >= 0
}

function sum(left: unknown, right: unknown): unknown[] {
  if (left === null || left === undefined) return [right]
  if (right === null || right === undefined) return [left]
  if (typeof left === 'number' && typeof right === 'number') return [left + right]
  if (typeof left === 'string' && typeof right === 'string') {
    spend(left.length + right.length)
    return [left + right]
  }
  if (!Array.isArray(left) || !Array.isArray(right)) return []
  spend(left.length + right.length)
  return [[...left, ...right]]
}

function isTrue(value: unknown): boolean {
  return value !== false && value !== null && value !== undefined
}

function postfix(reader: Reader): Query {
  let query = parsePrimary(reader)
  for (;;) {
    if (take(reader, '?')) continue
    const isDot = reader.tokens[reader.at] === '.'
    const next = reader.tokens[reader.at + Number(isDot)] ?? ''
    if (next === '[') {
      reader.at += Number(isDot)
      query = chain(query, parseBrackets(reader))
    } else if (isDot && isName(next)) {
      reader.at += 2
      query = chain(query, member(nameOf(next)))
    } else return query
  }
}

function parsePrimary(reader: Reader): Query {
  const token = reader.tokens[reader.at++] ?? ''
  if (++reader.depth > DEPTH_MAX) throw new UnsupportedQuery()
  if (token === '.') {
    const next = reader.tokens[reader.at] ?? ''
    if (!isName(next)) return (input) => [input]
    reader.at++
    return member(nameOf(next))
  }
  if (token === '(') {
    const inner = parsePipe(reader)
    expect(reader, ')')
    return inner
  }
  if (token.startsWith('"')) return constant(nameOf(token))
  if (/^-?\d/.test(token)) return constant(Number(token))
  return parseCall(token, reader)
}

function constant(value: unknown): Query {
  return () => [value]
}

const constants: Readonly<Record<string, Query>> = {
  null: () => [null],
  true: () => [true],
  false: () => [false],
  empty: () => [],
  keys: (input) => (isObject(input) ? [Object.keys(input).toSorted()] : []),
  length: (input) =>
    typeof input === 'string' || Array.isArray(input)
      ? [input.length]
      : isObject(input)
        ? [Object.keys(input).length]
        : [],
  to_entries: (input) => (isObject(input) ? [Object.entries(input).map(([key, value]) => ({ key, value }))] : []),
  tostring: (input) => [typeof input === 'string' ? input : serialize(input)],
  tonumber: (input) => (Number.isFinite(Number(input)) ? [Number(input)] : []),
  type: (input) => [Array.isArray(input) ? 'array' : input === null ? 'null' : typeof input],
  ascii_downcase: (input) => (typeof input === 'string' ? [input.toLowerCase()] : []),
  first: (input) => (Array.isArray(input) && input.length > 0 ? [input[0]] : []),
  last: (input) => (Array.isArray(input) && input.length > 0 ? [input.at(-1)] : []),
}
const calls: Readonly<Record<string, (argument: Query) => Query>> = {
  select: (condition) => (input) => condition(input).flatMap((value) => (isTrue(value) ? [input] : [])),
  map: (each) => (input) => (Array.isArray(input) ? [input.flatMap(each)] : []),
  has: (key) => (input) => key(input).map((value) => isObject(input) && Object.hasOwn(input, String(value))),
  contains: (part) => (input) => part(input).map((value) => containsValue(input, value)),
  startswith: (part) => (input) =>
    part(input).map((value) => typeof input === 'string' && input.startsWith(String(value))),
  endswith: (part) => (input) => part(input).map((value) => typeof input === 'string' && input.endsWith(String(value))),
}

function parseCall(name: string, reader: Reader): Query {
  const constantQuery = constants[name]
  if (constantQuery && Object.hasOwn(constants, name)) return constantQuery
  const build = Object.hasOwn(calls, name) ? calls[name] : undefined
  if (!build || !take(reader, '(')) throw new UnsupportedQuery()
  const argument = parsePipe(reader)
  expect(reader, ')')
  return build(argument)
}

function containsValue(whole: unknown, part: unknown): boolean {
  spend(COMBINATION_COST)
  if (typeof whole === 'string' && typeof part === 'string') return whole.includes(part)
  if (Array.isArray(whole) && Array.isArray(part))
    return part.every((value) => whole.some((other) => containsValue(other, value)))
  return isEqual(whole, part)
}

/** `[]`, `[2]`, `[-1]`, and `["name"]` suffixes. */
function parseBrackets(reader: Reader): Query {
  expect(reader, '[')
  if (take(reader, ']')) return (input) => (isObject(input) ? Object.values(input) : [])
  const key = reader.tokens[reader.at++] ?? ''
  expect(reader, ']')
  if (key.startsWith('"')) return member(nameOf(key))
  if (!/^-?\d+$/.test(key)) throw new UnsupportedQuery()
  return (input) => (Array.isArray(input) ? [input.at(Number(key)) ?? null] : [])
}

function member(name: string): Query {
  return (input) =>
    isObject(input) && !Array.isArray(input) ? [Object.hasOwn(input, name) ? Reflect.get(input, name) : null] : []
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function isName(token: string): boolean {
  return /^[A-Za-z_"]/.test(token) && token !== 'and' && token !== 'or'
}

function nameOf(token: string): string {
  return token.startsWith('"') ? token.slice(1, -1).replace(/\\(.)/g, '$1') : token
}

function take(reader: Reader, sign: string): boolean {
  if (reader.tokens[reader.at] !== sign) return false
  reader.at++
  return true
}

function expect(reader: Reader, sign: string): void {
  if (!take(reader, sign)) throw new UnsupportedQuery()
}
