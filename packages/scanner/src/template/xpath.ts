/** XPath 1.0 over what a host answered, read as HTML or, where it says so, as XML. */
import { createRequire } from 'node:module'
import { DOMParser } from '@xmldom/xmldom'
import { toBytes } from '#template/dsl-value.ts'
import { compilePattern } from '#template/regex.ts'

/** What is looked at of a document, in characters, and how much a path may select. */
const DOCUMENT_MAX = 256 * 1024
const NODES_MAX = 200
const DEPTH_MAX = 400
const SOURCE_MAX = 2_000

export interface XPath {
  readonly source: string
  /** Whether the path selects something in the byte string, or holds as a condition. */
  matches(text: string): boolean
  /** Texts of what the path selects, or their attribute of that name; each as a byte string. */
  read(text: string, attribute: string): string[]
}

/** @returns null for what is no XPath */
export function parseXPath(source: string): XPath | null {
  if (source.length > SOURCE_MAX) return null
  const path = compiled(withoutPrefixes(source))
  if (!path) return null
  return {
    source,
    matches: (text) => selected(path, text).some((one) => one !== 'false' && one !== ''),
    read: (text, attribute) => selected(path, text).flatMap((one) => textOf(one, attribute)),
  }
}

/** A path that is parsed once. */
interface Path {
  evaluate(options: object): { stringValue(): string; toArray?: () => XmlNode[] }
}
interface XmlNode {
  readonly textContent: string | null
  readonly getAttribute?: (name: string) => string | null
}
/** The library's own types leave this function out, and bring those of a browser with them. */
const library: { readonly parse: (source: string) => Path } = createRequire(import.meta.url)('xpath')

function compiled(source: string): Path | null {
  try {
    return library.parse(source)
  } catch {
    // Whatever the parser objects to is, for a pack, one and the same thing: not a path we follow.
    return null
  }
}

/** Names are compared without their prefixes, because a page chooses its own. */
function withoutPrefixes(source: string): string {
  return source.replace(/("[^"]*"|'[^']*')|\b[A-Za-z][\w-]*:(?=[A-Za-z])/g, (_, quoted?: string) => quoted ?? '')
}

/** Nodes, or the one value that the path comes to. What cannot be read has none. */
function selected(path: Path, text: string): readonly (XmlNode | string)[] {
  const isXml = text.trimStart().startsWith('<?xml')
  if (isTooDeep(text.slice(0, DOCUMENT_MAX))) return []
  try {
    const node = documentOf(text, isXml)
    const options = { node, isHtml: !isXml, allowAnyNamespaceForNoPrefix: true, functions: { matches } }
    const result = path.evaluate(options)
    return result.toArray?.().slice(0, NODES_MAX) ?? [result.stringValue()]
  } catch {
    // A page that is no document, or is nested by the ten thousand, answers to no path; neither does
    // a path that calls a function that does not exist.
    return []
  }
}

const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/i

/** Time and stack grow with the nesting, and no page that means well nests so deeply. */
function isTooDeep(text: string): boolean {
  let depth = 0
  for (const [, close, name = '', empty] of text.matchAll(/<(\/?)([A-Za-z][\w:-]{0,60})[^<>]{0,2000}?(\/?)>/g)) {
    if (close) depth = Math.max(0, depth - 1)
    else if (!empty && !VOID.test(name) && ++depth > DEPTH_MAX) return true
  }
  return false
}

function documentOf(text: string, isXml: boolean) {
  const quiet = () => undefined
  const readable = Buffer.from(text.slice(0, DOCUMENT_MAX), 'latin1').toString('utf8')
  return new DOMParser({ onError: quiet }).parseFromString(readable, isXml ? 'text/xml' : 'text/html')
}

/** The one function of XPath 2.0 that checks use; the library hands over values of its own. */
function matches(_context: unknown, text: { stringValue(): string }, pattern: { stringValue(): string }): boolean {
  return compilePattern(pattern.stringValue())?.test(toBytes(text.stringValue())) ?? false
}

function textOf(one: XmlNode | string, attribute: string): string[] {
  if (typeof one === 'string') return [toBytes(one)]
  const value = attribute === '' ? one.textContent : one.getAttribute?.(attribute)
  return value === null || value === undefined ? [] : [toBytes(value)]
}
