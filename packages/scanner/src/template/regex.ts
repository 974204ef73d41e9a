/**
 * Regular expressions from packs. Always RE2 semantics: time is linear in the text for any pattern.
 */
import { RE2JS } from 're2js'
import { spend } from '#unit.ts'

/** Bounds memory use of patterns with millions of matches. */
const MATCHES_MAX = 20

export interface Pattern {
  readonly source: string
  /** Whether the pattern occurs in the byte string. */
  test(text: string): boolean
  /** Replaces every match with the literal text. */
  replace(text: string, by: string): string
  /** At most twenty matches with their groups; a group that didn't participate is empty. */
  matches(text: string): string[][]
}

const compiled = new Map<string, Pattern | null>()
/** Bounds the cache's memory to about 60 MB: a compiled instruction takes about 240 bytes. */
const CACHED_INSTRUCTIONS_MAX = 250_000
/** How many instructions an entry without a program counts as. */
const ENTRY_INSTRUCTIONS = 2
let cachedInstructions = 0

/**
 * Compiles once per source. Patterns match byte strings (one character per byte), as in nuclei.
 *
 * @returns null when the source is not RE2 syntax
 */
export function compilePattern(source: string): Pattern | null {
  const cached = compiled.get(source)
  if (cached !== undefined) return cached
  const regex = tryCompile(Buffer.from(source, 'utf8').toString('latin1'))
  const pattern = regex && patternOf(source, regex)
  if (cachedInstructions > CACHED_INSTRUCTIONS_MAX) {
    compiled.clear()
    cachedInstructions = 0
  }
  compiled.set(source, pattern)
  cachedInstructions += ENTRY_INSTRUCTIONS + (regex?.programSize() ?? 0)
  return pattern
}

/**
 * Compiles on the first text that may match: most patterns of a pack never see one.
 *
 * @param source accepted by `compilePattern`, possibly in another process
 */
export function lazyPattern(source: string): Pattern {
  const mayMatch = prefilterOf(source)
  let pattern: Pattern | undefined
  const patternFor = (text: string) => {
    if (pattern === undefined && mayMatch(text)) {
      const valid = compilePattern(source)
      if (valid === null) throw new Error(`not RE2 syntax: ${source.slice(0, 80)}`)
      pattern = valid
    }
    return pattern
  }
  return {
    source,
    test: (text) => patternFor(text)?.test(text) ?? false,
    matches: (text) => patternFor(text)?.matches(text) ?? [],
    replace: (text, by) => patternFor(text)?.replace(text, by) ?? text,
  }
}

/** Excludes most texts without running the pattern. */
function prefilterOf(source: string): (text: string) => boolean {
  const { literal, ignoresCase } = literalOf(source)
  return (text) => literal === '' || (ignoresCase ? lowered(text) : text).includes(literal)
}

function patternOf(source: string, regex: RE2JS): Pattern {
  const mayMatch = prefilterOf(source)
  const stepsPerCharacter = 1 + Math.floor(regex.programSize() / instructionsPerStep)
  const test = (text: string) => {
    if (!mayMatch(text)) return false
    spend(text.length * stepsPerCharacter)
    return regex.test(text)
  }
  return {
    source,
    test,
    matches: (text) => (test(text) ? allMatches(regex, text) : []),
    replace: (text, by) => (test(text) ? replaceAll(regex, text, by) : text),
  }
}

const matchCost = 400
/** Large programs, such as those with many counted repetitions, are simulated at a cost for each instruction. */
const instructionsPerStep = 64

/** Keeps empty matches, which replace nothing. */
function replaceAll(regex: RE2JS, text: string, by: string): string {
  const matcher = regex.matcher(text)
  const parts: string[] = []
  let end = 0
  while (matcher.find()) {
    spend(matchCost)
    if (matcher.end() === matcher.start()) continue
    parts.push(text.slice(end, matcher.start()), by)
    end = matcher.end()
  }
  return parts.join('') + text.slice(end)
}

/**
 * A literal that every match contains, lower case if the pattern ignores case; empty if none is
 * known.
 */
export function literalOf(source: string): { readonly literal: string; readonly ignoresCase: boolean } {
  const [whole = '', flags = ''] = /^\(\?([ims]+)\)/.exec(source) ?? []
  const ignoresCase = flags.includes('i')
  const literal = requiredLiteral(source.slice(whole.length))
  return { literal: ignoresCase ? literal.toLowerCase() : literal, ignoresCase }
}

let lastText = ''
let lastLowered = ''

/** Many checks inspect the same page; its lower-case form is computed once. */
export function lowered(text: string): string {
  if (text !== lastText) {
    lastText = text
    lastLowered = text.toLowerCase()
  }
  return lastLowered
}

function tryCompile(source: string): RE2JS | null {
  try {
    return RE2JS.compile(source)
  } catch {
    // Any re2js error means that the pack's pattern is invalid.
    return null
  }
}

function allMatches(regex: RE2JS, text: string): string[][] {
  const matcher = regex.matcher(text)
  const found: string[][] = []
  while (found.length < MATCHES_MAX && matcher.find()) {
    found.push(Array.from({ length: regex.groupCount() + 1 }, (_, group) => matcher.group(group) ?? ''))
  }
  return found
}

/**
 * The longest literal run at the top level of a pattern without alternatives, so that most patterns
 * can be rejected by a substring search. Empty if there is no certain literal.
 */
export function requiredLiteral(source: string): string {
  if (/\(\?[^:]|\\[xpPQEuUcC\d]/i.test(source)) return ''
  let best = ''
  let run = ''
  let depth = 0
  let isInClass = false
  for (let at = 0; at < source.length; at++) {
    const character = source.charAt(at)
    const next = source.charAt(at + 1)
    if (isInClass) {
      if (character === '\\') at++
      else if (character === ']') isInClass = false
      continue
    }
    const isPlain = /[\w <>="'/:;,@#%&!~`-]/.test(character)
    if (isPlain && depth === 0) {
      // An optional or repeated character ends the run before it.
      if (!/[*?+{]/.test(next)) run += character
      else run = keepLonger('')
      continue
    }
    run = keepLonger('')
    // With top-level alternatives, no literal is certain.
    if (character === '|' && depth === 0) return ''
    if (character === '\\') at++
    else if (character === '(') depth++
    else if (character === ')') depth--
    else if (character === '[') {
      isInClass = true
      // `]` directly after `[` or `[^` is a member, not the end.
      if (next === '^') at++
      if (source.charAt(at + 1) === ']') at++
    } else if (character === '{') {
      const end = source.indexOf('}', at)
      if (end > at) at = end
    }
  }
  keepLonger('')
  return best.length >= 3 ? best : ''

  function keepLonger(nextRun: string): string {
    if (run.length > best.length) best = run
    return nextRun
  }
}
