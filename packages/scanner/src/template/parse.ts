/**
 * Parses templates in nuclei's format. Packs are untrusted: size, aliases, and depth are bounded,
 * and a template with any unsupported feature is refused with its line number.
 */
import { LineCounter, isNode, parseDocument, visit, type Document } from 'yaml'
import type { CachedTemplate } from '#template/cache.ts'
import { readTemplate } from '#template/parse-facts.ts'
import { UnsupportedFeature } from '#template/parse-node.ts'
import type { ReadList } from '#template/payloads.ts'
import { cacheableBlocks, templateOf } from '#template/lazy-template.ts'
import type { RefusedTemplate, Template } from '#template/template.ts'

const SOURCE_BYTES_MAX = 1024 * 1024
const ALIASES_MAX = 50
const DEPTH_MAX = 24

/** A template with the data needed to restore it from the cache. */
export interface ParsedTemplate {
  readonly template: Template
  readonly kept: CachedTemplate
}

/**
 * @param file name used in messages
 * @param source YAML text
 * @param readList reads payload lists that the template references by file
 * @returns the template, or the reason for refusing it; never throws on pack content
 */
export function parseTemplate(
  file: string,
  source: string,
  readList: ReadList = () => null,
): Template | RefusedTemplate {
  const understood = parseCacheable(file, source, readList)
  return 'reason' in understood ? understood : understood.template
}

/** Like `parseTemplate`, but also returns the cacheable data. */
export function parseCacheable(file: string, source: string, readList: ReadList): ParsedTemplate | RefusedTemplate {
  if (source.length > SOURCE_BYTES_MAX) return refused(file, 0, 'too large', `larger than ${SOURCE_BYTES_MAX} bytes`)
  const counter = new LineCounter()
  const tree = readYaml(source, counter)
  if (typeof tree === 'string') return refused(file, 0, 'YAML', tree)
  const [mistake] = tree.errors
  if (mistake) return refused(file, mistake.linePos?.[0].line ?? 0, 'YAML', mistake.message.split('\n')[0] ?? '')
  try {
    keepAsWritten(tree)
    const value: unknown = tree.toJS({ maxAliasCount: ALIASES_MAX })
    if (depthOf(value) > DEPTH_MAX) return refused(file, 0, 'YAML', `nested deeper than ${DEPTH_MAX}`)
    const root = { value, path: [] }
    const { facts, info, blocks } = readTemplate(file, root, readList)
    const template = templateOf(
      facts,
      () => info,
      () => blocks,
    )
    const [words, document] = [JSON.stringify(info), cacheableBlocks(root)]
    return { template, kept: { facts, info: () => words, document: () => document } }
  } catch (error) {
    if (error instanceof UnsupportedFeature)
      return refused(file, lineOf(tree, counter, error.path), error.feature, error.message)
    if (error instanceof ReferenceError || error instanceof RangeError) return refused(file, 0, 'YAML', error.message)
    throw error
  }
}

function refused(file: string, line: number, feature: string, message: string): RefusedTemplate {
  return { file, line, feature, reason: line > 0 ? `line ${line}: ${message}` : message }
}

function readYaml(source: string, lineCounter: LineCounter): Document.Parsed | string {
  try {
    return parseDocument(source, { lineCounter, logLevel: 'silent', strict: true })
  } catch (error) {
    // Tens of thousands of nested brackets overflow the parser's stack.
    if (error instanceof RangeError) return 'nested too deeply'
    throw error
  }
}

/** Numbers are kept as written: `00000000` has eight digits, and `1.10` differs from `1.1`. */
function keepAsWritten(document: Document): void {
  visit(document, {
    Scalar(_, scalar) {
      const { value, source } = scalar
      if (typeof value === 'number' && source !== undefined && source !== String(value)) scalar.value = source
    },
  })
}

function depthOf(value: unknown, depth = 0): number {
  if (typeof value !== 'object' || value === null || depth > DEPTH_MAX) return depth
  return Math.max(
    depth,
    ...Object.values(value)
      .slice(0, 10_000)
      .map((member) => depthOf(member, depth + 1)),
  )
}

/** The line of the deepest existing node on the path. */
function lineOf(document: Document, counter: LineCounter, path: readonly (string | number)[]): number {
  for (let length = path.length; length > 0; length--) {
    const node = document.getIn(path.slice(0, length), true)
    if (isNode(node) && node.range) return counter.linePos(node.range[0]).line
  }
  return 1
}
