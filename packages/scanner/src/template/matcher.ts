/** Evaluates matchers and extractors on a response and collects the evidence. */
import { toBytes, toText, type DslValue } from '#template/dsl-value.ts'
import { extract } from '#template/extractor.ts'
import type { ResponseParts, Matcher, Operators } from '#template/template.ts'
import { isMediaType, supportingLiterals } from '#template/string-literals.ts'
import { lowered } from '#template/regex.ts'
import { isTimeMatcher } from '#template/timing.ts'
import { fillBytesKnown } from '#template/variables.ts'
import { runUnit, spend, type Unit } from '#unit.ts'

/** One match. A block without named matchers has at most one per response. */
export interface Match {
  /** Name of the matcher under `or`; empty otherwise. */
  readonly name: string
  /** Byte strings in the response that prove the match; empty for a match on absence. */
  readonly spans: readonly string[]
  /** Proof from matchers, without extracted values. */
  readonly proofs: readonly string[]
  /** Values from extractors. */
  readonly extracted: readonly string[]
  /** The match rests on response content, and not only on a status or on absence. */
  readonly isProof: boolean
  /** The match rests only on the response time, or requires it under `and`. */
  readonly isTimed: boolean
  /** Controls the flow of its check and is not reported. */
  readonly isSilent: boolean
}

/** Maximum number of spans kept as proof. */
const SPANS_MAX = 20

/**
 * Matches of one block on one response: under `or` one per named matcher that matched, otherwise at
 * most one. A block with extractors only matches when one of them extracts a value.
 *
 * @throws Stopped when a budget of the unit or of an expression is spent
 */
export function evaluateOperators(operators: Operators, plain: ResponseParts, unit?: Unit): Match[] {
  return unit ? runUnit(unit, () => evaluate(operators, plain)) : evaluate(operators, plain)
}

function evaluate(operators: Operators, plain: ResponseParts): Match[] {
  const { matchers, condition } = operators
  // Matchers that need no extracted values run first: they decide most responses.
  if (condition === 'and' && matchers.some((matcher) => isPlain(matcher) && evaluateMatcher(matcher, plain) === null))
    return []
  const { response, extracted } = runExtractors(operators, plain)
  if (matchers.length === 0) {
    return extracted.length > 0
      ? [{ name: '', spans: extracted, proofs: [], extracted, isProof: true, isTimed: false, isSilent: false }]
      : []
  }
  const hits: { matcher: Matcher; spans: readonly string[] }[] = []
  for (const matcher of matchers) {
    const spans = evaluateMatcher(matcher, response)
    if (spans) hits.push({ matcher, spans })
    else if (condition === 'and') return []
  }
  if (hits.length === 0) return []
  const isProof = (some: typeof hits) => some.some(({ matcher }) => isContent(matcher))
  const isTimed = (some: typeof hits) =>
    some.some(({ matcher }) => isTimeMatcher(matcher)) &&
    (condition === 'and' || some.every(({ matcher }) => isTimeMatcher(matcher)))
  const provesAbsence = condition === 'and' && matchers.some(requiresAbsence)
  // Absence can't be shown as evidence, and the page's content type is no proof of it.
  const withoutMediaTypes = (spans: readonly string[]) =>
    provesAbsence ? spans.filter((span) => !isMediaType(span)) : spans
  const spansFor = (some: typeof hits) =>
    [...withoutMediaTypes(some.flatMap((hit) => hit.spans)), ...extracted].slice(0, SPANS_MAX)
  const match = (name: string, some: typeof hits): Match => ({
    name,
    spans: spansFor(some),
    proofs: some.flatMap((hit) => hit.spans),
    extracted,
    isProof: isProof(some),
    isTimed: isTimed(some),
    isSilent: some.some(({ matcher }) => matcher.isInternal),
  })
  if (condition === 'and') return [match('', hits)]
  const namedHits = hits.filter(({ matcher }) => matcher.name !== '')
  if (namedHits.length === 0) return [match('', hits)]
  return namedHits.map((hit) => match(hit.matcher.name, [hit]))
}

function isPlain(matcher: Matcher): boolean {
  if (matcher.type === 'status' || matcher.type === 'size') return true
  return (
    matcher.type === 'word' && /^(?:body|header|)$/.test(matcher.part) && matcher.bytes.every((word) => word !== null)
  )
}

/** Extracted values: by name for matchers, and the reported ones. */
function runExtractors(
  { extractors }: Operators,
  response: ResponseParts,
): { response: ResponseParts; extracted: string[] } {
  if (extractors.length === 0) return { response, extracted: [] }
  const namedValues = new Map<string, DslValue>()
  const extracted: string[] = []
  const get: ResponseParts['get'] = (name) => namedValues.get(name) ?? response.get(name)
  for (const extractor of extractors) {
    const values = extract(extractor, { ...response, get })
    const [first] = values
    if (first !== undefined) namedValues.set(extractor.name, values.length > 1 ? values : first)
    if (!extractor.isInternal) extracted.push(...values)
  }
  namedValues.delete('')
  return { response: { ...response, get }, extracted }
}

/**
 * Values of internal extractors for later requests, the first of each.
 *
 * @throws Stopped
 */
export function extractInternal(operators: Operators, response: ResponseParts, unit: Unit): Map<string, string> {
  return runUnit(unit, () => readInternal(operators, response))
}

function readInternal({ extractors }: Operators, response: ResponseParts): Map<string, string> {
  const read = new Map<string, string>()
  const get: ResponseParts['get'] = (name) => read.get(name) ?? response.get(name)
  for (const extractor of extractors) {
    const [first] = extractor.isInternal && extractor.name !== '' ? extract(extractor, { ...response, get }) : []
    if (first !== undefined) read.set(extractor.name, first)
  }
  return read
}

/** Whether a match of these matchers can rest on response content. */
export function isProofPossible({ matchers }: Operators): boolean {
  return matchers.length === 0 || matchers.some(isContent)
}

/** Response content is stronger evidence than a status, a size, or absence. */
function isContent(matcher: Matcher): boolean {
  if (matcher.negative || matcher.type === 'status' || matcher.type === 'size') return false
  if (matcher.type !== 'dsl') return true
  return matcher.expressions.some(
    ({ names, source }) =>
      [...names].some((name) => !/^(?:status_code|content_length|duration)(?:_\d+)?$/.test(name)) &&
      !/^\s*!/.test(source),
  )
}

function requiresAbsence(matcher: Matcher): boolean {
  return matcher.negative || (matcher.type === 'dsl' && matcher.expressions.some(({ source }) => NEGATION.test(source)))
}
/** A `!` before a call or parenthesis. */
const NEGATION = /!\s*[\w(]/

/** Spans that prove the match (empty for a negative matcher), or null for no match. */
function evaluateMatcher(matcher: Matcher, response: ResponseParts): readonly string[] | null {
  if (matcher.type === 'dsl') {
    const results = matcher.expressions.map((expression) => expression.evaluate(response.get) === true)
    const spans = verdict(matcher, results, [])
    return spans === null || matcher.negative ? spans : literalsOf(matcher.expressions, response)
  }
  if (matcher.type === 'status') {
    const status = response.get(/^status_code_\d+$/.test(matcher.part) ? matcher.part : 'status_code')
    if (status === undefined) return null
    return verdict(matcher, [matcher.statuses.some((wanted) => wanted === status)], [])
  }
  const part = partOf(matcher.part, response)
  // A part missing from the response never matches, even for a negative matcher.
  if (part === undefined) return null
  if (matcher.type === 'size') return verdict(matcher, [matcher.sizes.includes(part.length)], [])
  if (matcher.type === 'regex') return regexHit(matcher, part)
  if (matcher.type === 'xpath')
    return verdict(
      matcher,
      matcher.paths.map((path) => path.matches(part)),
      [],
    )
  return wordHit(matcher, part, response)
}

/** A substring search reads 64 characters in the time of a step. */
const wordCostShift = 6

function wordHit(matcher: Matcher & { type: 'word' | 'binary' }, part: string, response: ResponseParts) {
  const ignoresCase = matcher.type === 'word' && matcher.ignoresCase
  const text = ignoresCase ? lowered(part) : part
  const spans: string[] = []
  spend((matcher.words.length * text.length) >> wordCostShift)
  const results = matcher.words.map((written, number) => {
    const word = matcher.type === 'word' ? (matcher.bytes[number] ?? fillWord(written, ignoresCase, response)) : written
    const at = text.indexOf(word)
    if (at >= 0) spans.push(part.slice(at, at + word.length))
    return at >= 0
  })
  return verdict(matcher, results, spans)
}

function fillWord(written: string, ignoresCase: boolean, response: ResponseParts): string {
  const word = fillBytesKnown(written, response.get)
  return ignoresCase ? word.toLowerCase() : word
}

function regexHit(matcher: Matcher & { type: 'regex' }, part: string) {
  const spans: string[] = []
  const results = matcher.patterns.map((pattern) => {
    const [first] = pattern.matches(part)
    if (first) spans.push(first[0] ?? '')
    return first !== undefined
  })
  return verdict(matcher, results, spans)
}

function verdict(matcher: Matcher, results: readonly boolean[], spans: readonly string[]): readonly string[] | null {
  if (results.length === 0) return null
  const isHit = matcher.condition === 'and' ? results.every(Boolean) : results.some(Boolean)
  if (isHit === matcher.negative) return null
  return matcher.negative ? [] : spans
}

/** String literals of an expression found in the response: the best guess at why it was true. */
function literalsOf(expressions: (Matcher & { type: 'dsl' })['expressions'], response: ResponseParts): string[] {
  const whole = partOf(response.defaultPart, response) ?? ''
  const header = partOf('header', response) ?? ''
  const literals = expressions.flatMap(({ source }) => supportingLiterals(source)).map(toBytes)
  return literals.filter((literal) => whole.includes(literal) || header.includes(literal))
}

/** A part as a byte string; undefined when the response has no such part. */
function partOf(name: string, response: ResponseParts): string | undefined {
  const value: DslValue | undefined = response.get(name === '' ? response.defaultPart : name)
  return value === undefined ? undefined : toText(value)
}
