/**
 * Reads a template in nuclei's format. Packs are data from elsewhere: sizes, aliases and depth are
 * bounded, and a template with a single feature that is not carried out is refused with its line.
 */
import { LineCounter, isNode, parseDocument, visit, type Document } from 'yaml'
import type { KeptTemplate } from '#template/cache.ts'
import { readTemplate } from '#template/parse-facts.ts'
import { Refused } from '#template/parse-node.ts'
import type { ReadList } from '#template/payloads.ts'
import { kernelOf, templateOf } from '#template/recall.ts'
import type { Template } from '#template/template.ts'

const SOURCE_BYTES_MAX = 1024 * 1024
const ALIASES_MAX = 50
const DEPTH_MAX = 24

export interface RefusedTemplate {
  readonly file: string
  /** From 1; 0 where no line can be named. */
  readonly line: number
  /** Short name of the feature or mistake, under which refusals are counted. */
  readonly feature: string
  /** One sentence with the line. */
  readonly reason: string
}

/** A template, and what must be kept of it to have it again. */
export interface Understood {
  readonly template: Template
  readonly kept: KeptTemplate
}

/**
 * @param file name for messages
 * @param source YAML text
 * @param readList answers with the lists of values that the template names by their files
 * @returns the template, or why it is not run; never throws for what a pack may contain
 */
export function parseTemplate(
  file: string,
  source: string,
  readList: ReadList = () => null,
): Template | RefusedTemplate {
  const understood = understand(file, source, readList)
  return 'reason' in understood ? understood : understood.template
}

/** As `parseTemplate`, with what must be kept to skip the reading next time. */
export function understand(file: string, source: string, readList: ReadList): Understood | RefusedTemplate {
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
    const [words, document] = [JSON.stringify(info), kernelOf(root)]
    return { template, kept: { facts, info: () => words, document: () => document } }
  } catch (error) {
    if (error instanceof Refused) return refused(file, lineOf(tree, counter, error.path), error.feature, error.message)
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
    // Brackets nested by the ten thousand end the parser's stack.
    if (error instanceof RangeError) return 'nested too deeply'
    throw error
  }
}

/** A number is a text to those who wrote it: `00000000` has eight digits, and `1.10` is no `1.1`. */
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

/** The line of the deepest part of the way that exists. */
function lineOf(document: Document, counter: LineCounter, path: readonly (string | number)[]): number {
  for (let length = path.length; length > 0; length--) {
    const node = document.getIn(path.slice(0, length), true)
    if (isNode(node) && node.range) return counter.linePos(node.range[0]).line
  }
  return 1
}
