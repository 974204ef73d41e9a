/** Generates a response that satisfies a template's conditions, so that the template must match. */
import { toBytes } from '#template/dsl-value.ts'
import { sampleOf } from '#template/testing/sample.ts'
import type { Matcher, Operators, Template } from '#template/template.ts'

export interface MadeAnswer {
  readonly status: number
  /** Names and values; names may repeat. */
  readonly headers: readonly (readonly [string, string])[]
  /** A byte string. */
  readonly body: string
}

interface Draft {
  status: number | null
  /** Words that must be absent. */
  readonly forbidden: string[]
  readonly headers: [string, string][]
  readonly body: string[]
  /** A pattern that describes the whole body. */
  isBodyAlone: boolean
  isWhole: boolean
}

/** @returns null for unsupported conditions: calculations, hashes, parts of other responses */
export function answerFor({ http }: Template): MadeAnswer | null {
  const draft: Draft = { status: null, forbidden: [], headers: [], body: [], isBodyAlone: false, isWhole: true }
  for (const { operators } of http) meet(operators, draft)
  const { headers, status } = draft
  const body = draft.body.join('\n')
  const types = new Set(headers.filter(([name]) => name === 'Content-Type').map(([, value]) => value))
  const isForbidden = draft.forbidden.some((word) => body.includes(word))
  const isCrowded = draft.isBodyAlone && draft.body.length > 1
  if (!draft.isWhole || isForbidden || isCrowded || types.size > 1) return null
  return { status: status ?? 200, headers, body }
}

function meet({ matchers, extractors, condition }: Operators, draft: Draft): void {
  const positive = matchers.filter(({ negative }) => !negative)
  const wanted = condition === 'and' ? matchers : positive.length > 0 ? positive.slice(0, 1) : matchers.slice(0, 1)
  for (const matcher of wanted) meetMatcher(matcher, draft)
  for (const extractor of extractors) {
    if (matchers.length > 0 && !extractor.isInternal) continue
    if (extractor.type === 'regex') place(extractor.part, sampleOf(extractor.patterns[0]?.source ?? ''), draft)
    else draft.isWhole = false
  }
}

function meetMatcher(matcher: Matcher, draft: Draft): void {
  if (matcher.negative) {
    if (matcher.type === 'word') draft.forbidden.push(...matcher.words)
    return
  }
  const some = <Item>(items: readonly Item[]) => (matcher.condition === 'and' ? items : items.slice(0, 1))
  if (matcher.type === 'status') agree(matcher.statuses[0] ?? 200, draft)
  else if (matcher.type === 'word') for (const word of some(matcher.bytes)) place(matcher.part, word, draft)
  else if (matcher.type === 'binary') for (const word of some(matcher.words)) place(matcher.part, word, draft)
  else if (matcher.type === 'regex')
    for (const { source } of some(matcher.patterns)) placeSample(matcher.part, source, draft)
  else if (matcher.type === 'dsl') for (const { source } of some(matcher.expressions)) meetExpression(source, draft)
  else draft.isWhole = false
}

/** A server returns one status, and some statuses have no body. */
function agree(status: number, draft: Draft): void {
  if ((draft.status ?? status) !== status || status < 200 || [204, 304].includes(status)) draft.isWhole = false
  draft.status = status
}

const TERM =
  /^\(?\s*(?:status_code(?:_\d)?\s*==\s*(\d{3})|(contains|contains_all|contains_any|starts_?with)\(\s*(?:to_?lower\(\s*)?(\w+?)(?:_\d+)?\s*\)?\s*,\s*((?:(?:"[^"\\]*"|'[^'\\]*')\s*,?\s*)+)\))\s*\)?$/i

/** Status comparisons and required words, joined by `&&`. */
function meetExpression(source: string, draft: Draft): void {
  for (const term of source.split('&&').map((term) => term.trim())) {
    if (term.startsWith('!')) {
      draft.forbidden.push(...[...term.matchAll(/"([^"]*)"/g)].map(([, word = '']) => word))
      // Nothing can be derived for a missing part.
      if (/\((?:to_?lower\()?location\b/.test(term)) draft.isWhole = false
      continue
    }
    const [, status, call = '', part = '', list = ''] = TERM.exec(term) ?? []
    if (status !== undefined) agree(Number(status), draft)
    else if (call === '' || source.includes('||')) draft.isWhole = false
    else {
      const words = [...list.matchAll(/"([^"]*)"|'([^']*)'/g)].map(
        ([, doubleQuoted, singleQuoted]) => doubleQuoted ?? singleQuoted ?? '',
      )
      for (const word of /any|with/i.test(call) ? words.slice(0, 1) : words) place(part, toBytes(word), draft)
    }
  }
}

function placeSample(part: string, source: string, draft: Draft): void {
  if (/^(?:\(\?i\))?\^.*\$$/s.test(source) && /^(?:body)?$/.test(part)) draft.isBodyAlone = true
  place(part, sampleOf(source), draft)
}

function place(part: string, text: string | null, draft: Draft): void {
  if (text === null || text.includes('{{')) draft.isWhole = false
  else if (part === '' || part === 'body' || part === 'response') draft.body.push(text)
  else if (part === 'content_type') draft.headers.push(['Content-Type', text])
  else if (['header', 'all_headers', 'server', 'location', 'set_cookie'].includes(part)) placeInHead(part, text, draft)
  else draft.isWhole = false
}

function placeInHead(part: string, text: string, draft: Draft): void {
  const name = { server: 'Server', location: 'Location', set_cookie: 'Set-Cookie' }[part] ?? 'X-Made'
  const [, written, value] = (name === 'X-Made' && /^([\w-]+):\s*(.*)$/.exec(text)) || []
  // eslint-disable-next-line no-control-regex
  if (/[^\t\x20-\x7e]/.test(text)) draft.isWhole = false
  else if (written !== undefined && value !== undefined) draft.headers.push([written, value])
  else draft.headers.push([name, text])
}
