/**
 * Prefilter: uses the literals found in a response to exclude blocks that cannot match. May produce
 * false positives, but never false negatives.
 */
import { createLiteralSearch, type LiteralSearch } from '#template/literal-search.ts'
import { toBytes } from '#template/dsl-value.ts'
import { literalOf } from '#template/regex.ts'
import type { Matcher, Operators } from '#template/template.ts'

/** A condition for a match: a literal by index, all or any of several conditions, or none. */
type Need = true | number | { readonly all: boolean; readonly needs: readonly Need[] }

export interface Prefilter {
  /**
   * Indexes of blocks that may match.
   *
   * @param text head and body of the response, as a byte string
   */
  candidates(text: string): Uint8Array
}

export function createPrefilter(blocks: readonly Operators[]): Prefilter {
  const words = new Map<string, number>()
  const number = (word: string) => {
    const key = word.toLowerCase()
    const index = words.get(key) ?? words.size
    words.set(key, index)
    return index
  }
  const needs = blocks.map((operators) => needOf(operators, number))
  let finder: LiteralSearch | undefined
  return {
    candidates(text) {
      finder ??= createLiteralSearch([...words.keys()])
      const isFound = new Uint8Array(words.size)
      finder.mark(text, isFound)
      return Uint8Array.from(needs, (need) => Number(isMet(need, isFound)))
    },
  }
}

function isMet(need: Need, isFound: Uint8Array): boolean {
  if (need === true) return true
  if (typeof need === 'number') return isFound[need] === 1
  return need.all ? need.needs.every((need) => isMet(need, isFound)) : need.needs.some((need) => isMet(need, isFound))
}

function all(needs: readonly Need[]): Need {
  const real = needs.filter((need) => need !== true)
  return real.length === 0 ? true : { all: true, needs: real }
}

function some(needs: readonly Need[]): Need {
  return needs.includes(true) || needs.length === 0 ? true : { all: false, needs }
}

function needOf({ matchers, extractors, condition }: Operators, number: (word: string) => number): Need {
  // Internal extractors must run whether or not anything matches.
  if (extractors.some(({ isInternal }) => isInternal)) return true
  if (matchers.length === 0) {
    return some(
      extractors.map((extractor) =>
        extractor.type === 'regex' ? some(extractor.patterns.map(({ source }) => patternNeed(source, number))) : true,
      ),
    )
  }
  const needs = matchers.map((matcher) => matcherNeed(matcher, number))
  return condition === 'and' ? all(needs) : some(needs)
}

function matcherNeed(matcher: Matcher, number: (word: string) => number): Need {
  if (matcher.negative || isElsewhere(matcher.part)) return true
  const join = matcher.condition === 'and' ? all : some
  switch (matcher.type) {
    case 'word':
      return join(matcher.bytes.map((word) => (word === null || word === '' ? true : number(word))))
    case 'binary':
      return join(matcher.words.map(number))
    case 'regex':
      return join(matcher.patterns.map(({ source }) => patternNeed(source, number)))
    case 'dsl':
      return join(matcher.expressions.map(({ source }) => expressionNeed(source, number)))
    case 'status':
    case 'size':
    case 'xpath':
      return true
  }
}

/** Parts outside of this response's head and body. */
function isElsewhere(part: string): boolean {
  return part !== '' && !/^(?:body|header|all_headers|response|raw|content_type|server|location|set_cookie)$/.test(part)
}

function patternNeed(source: string, number: (word: string) => number): Need {
  const { literal } = literalOf(source)
  return literal === '' ? true : number(toBytes(literal))
}

const CALL =
  /^(?:contains|contains_all|contains_any|startswith|starts_with)\(\s*(?:to_?lower\()?\s*(?:body|header|all_headers|response|content_type|server|location)\s*\)?\s*,\s*((?:(?:"[^"\\]*"|'[^'\\]*')\s*,?\s*)+)\)$/i

/** Calls joined only by `&&` that search for literals. */
function expressionNeed(source: string, number: (word: string) => number): Need {
  if (/\|\||\{\{/.test(source)) return true
  return all(source.split('&&').map((term) => termNeed(term.trim(), number)))
}

function termNeed(term: string, number: (word: string) => number): Need {
  const [, list] = CALL.exec(term) ?? []
  if (list === undefined)
    return /^regex\(\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')\s*,/.test(term) ? regexNeed(term, number) : true
  const words = [...list.matchAll(/"([^"]*)"|'([^']*)'/g)].map(([, doubleQuoted, singleQuoted]) =>
    toBytes(doubleQuoted ?? singleQuoted ?? ''),
  )
  const needs = words.map((word): Need => (word === '' ? true : number(word)))
  return /^contains_any|^starts_?with/i.test(term) ? some(needs) : all(needs)
}

function regexNeed(term: string, number: (word: string) => number): Need {
  const [, doubleQuoted, singleQuoted, part = ''] =
    /^regex\(\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')\s*,\s*(\w+)\s*\)$/.exec(term) ?? []
  const written = doubleQuoted ?? singleQuoted
  if (written === undefined || isElsewhere(part)) return true
  return patternNeed(written.replace(/\\([^])/g, '$1'), number)
}
