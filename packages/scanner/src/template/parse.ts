/**
 * Parses templates in nuclei's format. Packs are untrusted: size, aliases, and depth are bounded,
 * and a template with any unsupported feature is rejected with its line number.
 */
import { LineCounter, isNode, parseDocument, visit, type Document } from 'yaml'
import type { CachedTemplate } from '#template/cache.ts'
import { readTemplate } from '#template/parse-facts.ts'
import { UnsupportedFeature } from '#template/parse-node.ts'
import type { ReadList } from '#template/payloads.ts'
import { cacheableBlocks, templateOf } from '#template/lazy-template.ts'
import type { RejectedTemplate, Template } from '#template/template.ts'

const SOURCE_BYTES_MAX = 1024 * 1024
const ALIASES_MAX = 50
const DEPTH_MAX = 24

/** A template with the data needed to restore it from the cache. */
export interface ParsedTemplate {
  readonly template: Template
  readonly cacheable: CachedTemplate
}

/**
 * @param file name used in messages
 * @param source YAML text
 * @param readList reads payload lists that the template references by file
 * @returns the template, or the reason for rejecting it; never throws on pack content
 */
export function parseTemplate(
  file: string,
  source: string,
  readList: ReadList = () => null,
): Template | RejectedTemplate {
  const parsed = parseCacheable(file, source, readList)
  return 'reason' in parsed ? parsed : parsed.template
}

/** Like `parseTemplate`, but also returns the cacheable data. */
export function parseCacheable(file: string, source: string, readList: ReadList): ParsedTemplate | RejectedTemplate {
  if (source.length > SOURCE_BYTES_MAX) return rejected(file, 0, 'too large', `larger than ${SOURCE_BYTES_MAX} bytes`)
  const counter = new LineCounter()
  const tree = parseYaml(source, counter)
  if (typeof tree === 'string') return rejected(file, 0, 'YAML', tree)
  const [yamlError] = tree.errors
  if (yamlError) return rejected(file, yamlError.linePos?.[0].line ?? 0, 'YAML', withoutPosition(yamlError.message))
  try {
    keepNumbersAsWritten(tree)
    const value: unknown = tree.toJS({ maxAliasCount: ALIASES_MAX })
    if (depthOf(value) > DEPTH_MAX) return rejected(file, 0, 'YAML', `nested deeper than ${DEPTH_MAX}`)
    const root = { value, path: [], isValidated: false }
    const { facts, info, blocks } = readTemplate(file, root, readList)
    const template = templateOf(
      facts,
      () => info,
      () => blocks,
    )
    const [infoJson, document] = [JSON.stringify(info), cacheableBlocks(root)]
    return { template, cacheable: { facts, info: () => infoJson, document: () => document } }
  } catch (error) {
    if (error instanceof UnsupportedFeature)
      return rejected(file, lineOf(tree, counter, error.path), error.feature, error.message)
    if (error instanceof ReferenceError || error instanceof RangeError) return rejected(file, 0, 'YAML', error.message)
    throw error
  }
}

/** The first line of a YAML error, without its position, which is reported as the line. */
function withoutPosition(message: string): string {
  return (message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '')
}

function rejected(file: string, line: number, feature: string, message: string): RejectedTemplate {
  return { file, line, feature, reason: line > 0 ? `line ${line}: ${message}` : message }
}

function parseYaml(source: string, lineCounter: LineCounter): Document.Parsed | string {
  try {
    return parseDocument(source, { lineCounter, logLevel: 'silent', strict: true })
  } catch (error) {
    // Tens of thousands of nested brackets overflow the parser's stack.
    if (error instanceof RangeError) return 'nested too deeply'
    throw error
  }
}

/** Numbers are kept as written: `00000000` has eight digits, and `1.10` differs from `1.1`. */
function keepNumbersAsWritten(document: Document): void {
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
