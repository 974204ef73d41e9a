/** Regular expressions from packs. RE2 semantics always: time grows with the text, whatever the pattern. */
import { RE2JS } from 're2js'

/** A match may be cut in evidence, but a pattern must not flood memory with millions of them. */
const MATCHES_MAX = 20

export interface Pattern {
  readonly source: string
  /** Whether the pattern occurs in the byte string. */
  test(text: string): boolean
  /** At most twenty matches, each with its groups; a group that took no part is empty. */
  matches(text: string): string[][]
}

const compiled = new Map<string, Pattern | null>()
const COMPILED_MAX = 50_000

/**
 * Compiles once per source. The pattern is read over byte strings (one character per byte), as the
 * template format means it.
 *
 * @returns null when the source is not RE2 syntax
 */
export function compilePattern(source: string): Pattern | null {
  const known = compiled.get(source)
  if (known !== undefined) return known
  if (compiled.size >= COMPILED_MAX) compiled.clear()
  const made = compile(source)
  compiled.set(source, made)
  return made
}

function compile(source: string): Pattern | null {
  const regex = tryCompile(Buffer.from(source, 'utf8').toString('latin1'))
  if (!regex) return null
  const { literal, ignoresCase } = literalOf(source)
  const mayMatch = (text: string) => literal === '' || (ignoresCase ? lowered(text) : text).includes(literal)
  const test = (text: string) => mayMatch(text) && regex.test(text)
  return { source, test, matches: (text) => (test(text) ? allMatches(regex, text) : []) }
}

/** What every match must hold, in lower case where the whole pattern ignores case; empty for nothing certain. */
export function literalOf(source: string): { readonly literal: string; readonly ignoresCase: boolean } {
  const [whole = '', flags = ''] = /^\(\?([ims]+)\)/.exec(source) ?? []
  const ignoresCase = flags.includes('i')
  const literal = requiredLiteral(source.slice(whole.length))
  return { literal: ignoresCase ? literal.toLowerCase() : literal, ignoresCase }
}

let lastText = ''
let lastLowered = ''

/** Many checks look at one page in turn; it is put into lower case once. */
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
    // Whatever re2js objects to is, for a pack, one and the same thing: not a pattern we run.
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
 * The longest run of plain ASCII letters, digits and a few harmless signs at the top level of a
 * pattern that has no alternatives there, so that most patterns are answered by a substring search. Empty
 * when there is none to be sure of.
 */
export function requiredLiteral(source: string): string {
  if (/\(\?[^:)]*[a-z]|\\[xpPQEuUcC\d]/i.test(source)) return ''
  let best = ''
  let run = ''
  let depth = 0
  let isInClass = false
  for (let at = 0; at < source.length; at++) {
    const sign = source.charAt(at)
    const next = source.charAt(at + 1)
    if (isInClass) {
      if (sign === '\\') at++
      else if (sign === ']') isInClass = false
      continue
    }
    const isPlain = /[\w <>="'/:;,@#%&!~`-]/.test(sign)
    if (isPlain && depth === 0) {
      // A letter that may be missing or repeated ends the run before itself.
      if (!/[*?+{]/.test(next)) run += sign
      else run = keepLonger('')
      continue
    }
    run = keepLonger('')
    // Of alternatives that are not within a group none must be there.
    if (sign === '|' && depth === 0) return ''
    if (sign === '\\') at++
    else if (sign === '(') depth++
    else if (sign === ')') depth--
    else if (sign === '[') {
      isInClass = true
      // `]` directly after `[` or `[^` is a member, not the end.
      if (next === '^') at++
      if (source.charAt(at + 1) === ']') at++
    } else if (sign === '{') {
      const end = source.indexOf('}', at)
      if (end > at) at = end
    }
  }
  keepLonger('')
  return best.length >= 3 ? best : ''

  function keepLonger(fresh: string): string {
    if (run.length > best.length) best = run
    return fresh
  }
}
