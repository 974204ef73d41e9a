/** XPath 1.0 on a response parsed as HTML or, if declared so, as XML. */
import { createRequire } from 'node:module'
import { DOMParser } from '@xmldom/xmldom'
import { toBytes } from '#template/dsl-value.ts'
import { compilePattern } from '#template/regex.ts'
import { type LibraryPath, limitNodeSets, limitPath } from '#template/xpath-budget.ts'
import { spend, Stopped, withStepLimit } from '#unit.ts'

/** Maximum document length in characters, and maximum number of selected nodes. */
const DOCUMENT_MAX = 256 * 1024
const NODES_MAX = 200
const DEPTH_MAX = 400
const SOURCE_MAX = 2_000
/** Attributes of one element. The parser compares each with the earlier ones. */
const ATTRIBUTES_MAX = 1_000
/** Steps for parsing and evaluation, less than the watchdog's time. Ordinary pages take a hundredth. */
const STEPS_MAX = 60_000_000
const parseStepsPerCharacter = 40

export interface XPath {
  readonly source: string
  /** Whether the path selects anything in the byte string, or is true as a condition. */
  matches(text: string): boolean
  /** Texts of the selected nodes, or of their attribute with this name; each as a byte string. */
  read(text: string, attribute: string): string[]
}

/** @returns null when the source is not valid XPath */
export function parseXPath(source: string): XPath | null {
  if (source.length > SOURCE_MAX) return null
  const path = compile(withoutPrefixes(source))
  if (!path) return null
  return {
    source,
    matches: (text) => select(path, text).some((result) => result !== 'false' && result !== ''),
    read: (text, attribute) => select(path, text).flatMap((result) => textOf(result, attribute)),
  }
}

interface XmlNode {
  readonly textContent: string | null
  readonly getAttribute?: (name: string) => string | null
}
/** The library's types omit this function and require browser types. */
const library: { readonly parse: (source: string) => LibraryPath & { readonly expression: object } } = createRequire(
  import.meta.url,
)('xpath')
limitNodeSets(Object.getPrototypeOf(library.parse('/*').evaluate({ node: documentOf('<a/>', true) })))

function compile(source: string): LibraryPath | null {
  try {
    const path = library.parse(source)
    limitPath(path.expression)
    return path
  } catch {
    // Any parser error means that the pack's path is invalid.
    return null
  }
}

/** Ignores namespace prefixes, because each page chooses its own. */
function withoutPrefixes(source: string): string {
  return source.replace(/("[^"]*"|'[^']*')|\b[A-Za-z][\w-]*:(?=[A-Za-z])/g, (_, quoted?: string) => quoted ?? '')
}

/**
 * The selected nodes, or the single value of the expression. Empty if the document can't be parsed.
 *
 * @throws Stopped if that takes too many steps
 */
function select(path: LibraryPath, text: string): readonly (XmlNode | string)[] {
  const start = text.slice(0, DOCUMENT_MAX)
  const isXml = start.trimStart().startsWith('<?xml')
  if (!isReasonable(start)) return []
  try {
    return withStepLimit('XPath expression', STEPS_MAX, () => evaluate(path, text, isXml))
  } catch (error) {
    if (error instanceof Stopped) throw error
    // The document is malformed, or the path calls an unknown function.
    return []
  }
}

function evaluate(path: LibraryPath, text: string, isXml: boolean): readonly (XmlNode | string)[] {
  const node = documentOf(text, isXml)
  const options = { node, isHtml: !isXml, allowAnyNamespaceForNoPrefix: true, functions: { matches } }
  const result = path.evaluate(options)
  const nodes = result.toArray?.() as XmlNode[] | undefined // of the document above
  return nodes?.slice(0, NODES_MAX) ?? [result.stringValue()]
}

const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/i

/** Time and stack depth grow with nesting and with attributes; no legitimate page has as many. */
function isReasonable(text: string): boolean {
  let depth = 0
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at)) {
    const end = endOfTag(text, at)
    const tag = text.slice(at, end)
    at = end
    const [, close, name = ''] = /^<(\/?)([A-Za-z][\w:-]{0,60})/.exec(tag) ?? []
    if (name === '') continue
    if (tag.split('=', ATTRIBUTES_MAX + 1).length > ATTRIBUTES_MAX) return false
    if (tag.split(/\s+/, ATTRIBUTES_MAX + 1).length > ATTRIBUTES_MAX) return false
    if (close) depth = Math.max(0, depth - 1)
    else if (!tag.endsWith('/') && !VOID.test(name) && ++depth > DEPTH_MAX) return false
  }
  return true
}

/** Position of the `>`, of the next `<`, or of the end. */
function endOfTag(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text[at] !== '<' && text[at] !== '>') at++
  return at
}

function documentOf(text: string, isXml: boolean) {
  const ignoreErrors = () => undefined
  const decoded = Buffer.from(text.slice(0, DOCUMENT_MAX), 'latin1').toString('utf8')
  spend(decoded.length * parseStepsPerCharacter)
  // The parser searches for the end of a tag from each of these.
  const escaped = decoded.replaceAll(/<(?![A-Za-z/!?])/g, '&lt;')
  return new DOMParser({ onError: ignoreErrors }).parseFromString(escaped, isXml ? 'text/xml' : 'text/html')
}

/** The only XPath 2.0 function that checks use; its arguments are the library's own types. */
function matches(_context: unknown, text: { stringValue(): string }, pattern: { stringValue(): string }): boolean {
  return compilePattern(pattern.stringValue())?.test(toBytes(text.stringValue())) ?? false
}

function textOf(result: XmlNode | string, attribute: string): string[] {
  if (typeof result === 'string') return [toBytes(result)]
  const value = attribute === '' ? result.textContent : result.getAttribute?.(attribute)
  return value === null || value === undefined ? [] : [toBytes(value)]
}
