/**
 * Lazy templates: facts are available immediately, metadata and blocks are parsed on first access.
 */
import type { CachedTemplate } from '#template/cache.ts'
import { parseFlow, type Flow } from '#template/flow.ts'
import { checkVariables, readDns, readHttp, readNetwork, readSsl } from '#template/parse-blocks.ts'
import { UnsupportedFeature, at, firstOf, items, text, type Node } from '#template/parse-node.ts'
import type { ReadList } from '#template/payloads.ts'
import { scopeOf } from '#template/scope.ts'
import type { CheckInfo, Template, TemplateBlocks, TemplateFacts } from '#template/template.ts'

/** A template restored from the cache. */
export function lazyTemplate({ facts, info, document }: CachedTemplate, readList: ReadList): Template {
  return templateOf(
    facts,
    () => JSON.parse(info()) as CheckInfo, // cached in this form
    () => {
      const value: unknown = JSON.parse(document())
      return readBlocks({ value, path: [], isValidated: true }, readList).blocks
    },
  )
}

const parsers = Symbol('unread')

/** Parsers for the lazy properties. */
interface Unparsed {
  readonly [parsers]: { info: () => CheckInfo; blocks: () => TemplateBlocks }
}
type Read = TemplateBlocks & Pick<Template, 'info'>

/**
 * Shared getters: defining them per template would cost a fifth of a second for ten thousand
 * templates.
 */
const lazyGetters: Read & ThisType<Unparsed> = {
  get info() {
    return this[parsers].info()
  },
  get http() {
    return this[parsers].blocks().http
  },
  get flow() {
    return this[parsers].blocks().flow
  },
  get network() {
    return this[parsers].blocks().network
  },
  get ssl() {
    return this[parsers].blocks().ssl
  },
  get dns() {
    return this[parsers].blocks().dns
  },
}
const none: ReadonlySet<never> = new Set()

/** Each function is called at most once, on first access. */
export function templateOf(
  { blocks: counts, ...facts }: TemplateFacts,
  readInfo: () => CheckInfo,
  parseBlocks: () => TemplateBlocks,
): Template {
  let info: CheckInfo | undefined
  let blocks: TemplateBlocks | undefined
  const template: Read & Unparsed = Object.create(lazyGetters)
  return Object.assign(template, {
    ...facts,
    counts,
    variables: new Map(facts.variables),
    missingValues: facts.missingValues.length === 0 ? none : new Set(facts.missingValues),
    subjects: new Set(facts.subjects),
    [parsers]: { info: () => (info ??= readInfo()), blocks: () => (blocks ??= parseBlocks()) },
  })
}

const blockKeys = 'http requests tcp network ssl dns flow variables constants'.split(' ')

/** The part of a document that `readBlocks` reads, as JSON. */
export function cacheableBlocks(root: Node): string {
  return JSON.stringify(Object.fromEntries(blockKeys.map((key) => [key, at(root, key).value])))
}

/** @throws UnsupportedFeature for a block that isn't fully supported */
export function readBlocks(
  root: Node,
  readList: ReadList,
): { blocks: TemplateBlocks; missingValues: ReadonlySet<string> } {
  const scope = scopeOf(root)
  const httpNodes = items(firstOf(root, 'http', 'requests'))
  const http = httpNodes.map((block) => readHttp(block, { scope, readList, isOneOfMany: httpNodes.length > 1 }))
  const flow = readFlow(at(root, 'flow'), http.length)
  checkVariables(root, scope)
  const networkNodes = items(firstOf(root, 'tcp', 'network'))
  const network = networkNodes.map((block) =>
    readNetwork(block, { scope, readList, isOneOfMany: networkNodes.length > 1 }),
  )
  const ssl = items(at(root, 'ssl')).map((block) => readSsl(block, httpNodes.length > 0))
  const dns = items(at(root, 'dns')).map((block) => readDns(block, scope))
  return { blocks: { http, flow, network, ssl, dns }, missingValues: scope.missingValues }
}

function readFlow(node: Node, blocks: number): Flow | null {
  if (node.value === undefined) return null
  const flow = parseFlow(text(node), blocks)
  if (typeof flow === 'string') throw new UnsupportedFeature('flow', node.path, flow)
  return flow
}
