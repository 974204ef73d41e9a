/** Parses the matchers and extractors of a block. */
import { parseExpression, type Expression } from '#template/dsl.ts'
import { toBytes } from '#template/dsl-value.ts'
import { gadgets } from '#template/dsl-build.ts'
import { parseJq, type Query } from '#template/jq.ts'
import { at, flag, items, oneOf, onlyKeys, reject, text, texts, integer, type Node } from '#template/parse-node.ts'
import { compilePattern, lazyPattern, type Pattern } from '#template/regex.ts'
import type { Extractor, Matcher, Operators } from '#template/template.ts'
import { placeholdersOf } from '#template/variables.ts'
import { parseXPath, type XPath } from '#template/xpath.ts'

const matcherKeys = new Set(
  'type name part words regex status size binary dsl condition negative case-insensitive match-all internal encoding xpath'.split(
    ' ',
  ),
)
const extractorKeys = new Set(
  'type name part regex group kval json dsl internal case-insensitive xpath attribute'.split(' '),
)

/**
 * Parses `matchers`, `matchers-condition`, and `extractors`.
 *
 * @throws UnsupportedFeature for unsupported types and options
 */
export function readOperators(block: Node, mayBeEmpty = false): Operators {
  const matchers = items(at(block, 'matchers')).map(readMatcher)
  const extractors = items(at(block, 'extractors')).map(readExtractor)
  if (!mayBeEmpty && matchers.length + extractors.length === 0)
    reject(block, 'no matchers', 'a block without matchers or extractors')
  return { condition: oneOf(at(block, 'matchers-condition'), ['and', 'or'], 'or'), matchers, extractors }
}

function readMatcher(node: Node): Matcher {
  onlyKeys(node, matcherKeys)
  const base = {
    name: text(at(node, 'name'), ''),
    part: partName(at(node, 'part')),
    condition: oneOf(at(node, 'condition'), ['and', 'or'], 'or'),
    negative: flag(at(node, 'negative')),
    isInternal: flag(at(node, 'internal')),
  }
  const type = text(at(node, 'type'))
  switch (type) {
    case 'word':
      return { ...base, type, ...readWords(node) }
    case 'regex':
      return { ...base, type, patterns: some(at(node, 'regex')).map(pattern) }
    case 'binary':
      return { ...base, type, words: some(at(node, 'binary')).map(hexBytes) }
    case 'status':
      return { ...base, type, statuses: some(at(node, 'status')).map((item) => integer(item, 0)) }
    case 'size':
      return { ...base, type, sizes: some(at(node, 'size')).map((item) => integer(item, 0)) }
    case 'dsl':
      return { ...base, type, expressions: some(at(node, 'dsl')).map(expression) }
    case 'xpath':
      return { ...base, type, paths: some(at(node, 'xpath')).map(xpath) }
    default:
      return reject(at(node, 'type'), `the matcher type ${type}`)
  }
}

function readWords(node: Node) {
  const isHex = text(at(node, 'encoding'), '') === 'hex'
  const words = some(at(node, 'words')).map((item) => (isHex ? wordOfHex(text(item)) : text(item)))
  for (const word of words) {
    for (const placeholder of placeholdersOf(word))
      if (typeof placeholder !== 'string') rejectUnsupportedGadget(placeholder, at(node, 'words'))
  }
  const ignoresCase = flag(at(node, 'case-insensitive'))
  const bytes = words.map((word) => (word.includes('{{') ? null : toBytes(ignoresCase ? word.toLowerCase() : word)))
  return { words, bytes, ignoresCase }
}

/** A value that isn't valid hexadecimal is used as plain text. */
function wordOfHex(written: string): string {
  return /^([\da-f]{2})+$/i.test(written) ? Buffer.from(written, 'hex').toString() : written
}

function readExtractor(node: Node): Extractor {
  onlyKeys(node, extractorKeys)
  const base = {
    name: text(at(node, 'name'), ''),
    part: partName(at(node, 'part')),
    isInternal: flag(at(node, 'internal')),
  }
  const type = text(at(node, 'type'))
  switch (type) {
    case 'regex':
      return { ...base, type, patterns: some(at(node, 'regex')).map(pattern), group: integer(at(node, 'group'), 0) }
    case 'kval':
      return { ...base, type, keys: texts(at(node, 'kval')).map((key) => key.toLowerCase().replaceAll('-', '_')) }
    case 'json':
      return { ...base, type, queries: some(at(node, 'json')).map(query) }
    case 'xpath':
      return { ...base, type, paths: some(at(node, 'xpath')).map(xpath), attribute: text(at(node, 'attribute'), '') }
    case 'dsl':
      return { ...base, type, expressions: some(at(node, 'dsl')).map(expression) }
    default:
      return reject(at(node, 'type'), `the extractor type ${type}`)
  }
}

/**
 * @throws UnsupportedFeature when an expression uses undefined variables or functions; unknown names may be
 * header names and are kept
 */
export function rejectUnsupportedGadget(expression: Expression, node: Node): void {
  const gadget = /generate_java_gadget\(\s*["']([^"']*)["']/.exec(expression.source)?.[1]
  if (gadget !== undefined && !gadgets.has(gadget)) reject(node, 'harmful gadget', `the serialized object ${gadget}`)
}

function partName(node: Node): string {
  const name = text(node, '')
  return name.replace(/^(all|raw)$/, 'response')
}

function some(node: Node): Node[] {
  const matchers = items(node)
  return matchers.length > 0 ? matchers : reject(node, 'invalid', `${node.path.join('.')} is empty`)
}

function pattern(node: Node): Pattern {
  const source = text(node)
  if (node.isValidated) return lazyPattern(source)
  return compilePattern(source) ?? reject(node, 'regular expression', `not RE2 syntax: ${source.slice(0, 80)}`)
}

function expression(node: Node): Expression {
  const parsed = parseExpression(text(node))
  if (typeof parsed === 'string') return reject(node, parsed.startsWith('the function') ? parsed : 'expression', parsed)
  rejectUnsupportedGadget(parsed, node)
  return parsed
}

function query(node: Node): Query {
  return parseJq(text(node)) ?? reject(node, 'the jq expression')
}

function xpath(node: Node): XPath {
  return parseXPath(text(node)) ?? reject(node, 'xpath', `not XPath syntax: ${text(node).slice(0, 80)}`)
}

function hexBytes(node: Node): string {
  const hex = text(node).replace(/\s/g, '')
  if (!/^([\da-f]{2})+$/i.test(hex)) reject(node, 'invalid', `not hexadecimal: ${hex.slice(0, 40)}`)
  return Buffer.from(hex, 'hex').toString('latin1')
}
