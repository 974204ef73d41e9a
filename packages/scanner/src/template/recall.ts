/** Templates of which only the facts are at hand: their words and blocks are read when they are looked at. */
import type { KeptTemplate } from '#template/cache.ts'
import { parseFlow, type Flow } from '#template/flow.ts'
import { checkVariables, readDns, readHttp, readNetwork, readSsl } from '#template/parse-blocks.ts'
import { Refused, at, either, items, text, type Node } from '#template/parse-node.ts'
import type { ReadList } from '#template/payloads.ts'
import { scopeOf } from '#template/scope.ts'
import type { CheckInfo, Template, TemplateBlocks, TemplateFacts } from '#template/template.ts'

/** A template as it was understood before. */
export function recall({ facts, info, document }: KeptTemplate, readList: ReadList): Template {
  return templateOf(
    facts,
    () => JSON.parse(info()) as CheckInfo, // kept as it was understood
    () => {
      const value: unknown = JSON.parse(document())
      return readBlocks({ value, path: [] }, readList).blocks
    },
  )
}

const unread = Symbol('unread')

/** What turns what was not looked at yet into what is known. */
interface Unread {
  readonly [unread]: { info: () => CheckInfo; blocks: () => TemplateBlocks }
}
type Read = TemplateBlocks & Pick<Template, 'info'>

/** The same for all: getters of their own would cost ten thousand templates a fifth of a second. */
const readLater: Read & ThisType<Unread> = {
  get info() {
    return this[unread].info()
  },
  get http() {
    return this[unread].blocks().http
  },
  get flow() {
    return this[unread].blocks().flow
  },
  get network() {
    return this[unread].blocks().network
  },
  get ssl() {
    return this[unread].blocks().ssl
  },
  get dns() {
    return this[unread].blocks().dns
  },
}
const none: ReadonlySet<never> = new Set()

/** The functions are called at most once, when somebody asks for what they give. */
export function templateOf(
  { blocks: counts, ...facts }: TemplateFacts,
  readInfo: () => CheckInfo,
  readBlocksNow: () => TemplateBlocks,
): Template {
  let info: CheckInfo | undefined
  let blocks: TemplateBlocks | undefined
  const template: Read & Unread = Object.create(readLater)
  return Object.assign(template, {
    ...facts,
    counts,
    variables: new Map(facts.variables),
    lacking: facts.lacking.length === 0 ? none : new Set(facts.lacking),
    subjects: new Set(facts.subjects),
    [unread]: { info: () => (info ??= readInfo()), blocks: () => (blocks ??= readBlocksNow()) },
  })
}

const kernelKeys = 'http requests tcp network ssl dns flow variables constants'.split(' ')

/** The part of a document that `readBlocks` reads, as JSON. */
export function kernelOf(root: Node): string {
  return JSON.stringify(Object.fromEntries(kernelKeys.map((key) => [key, at(root, key).value])))
}

/** @throws Refused for a block that cannot be carried out in full */
export function readBlocks(root: Node, readList: ReadList): { blocks: TemplateBlocks; lacking: ReadonlySet<string> } {
  const scope = scopeOf(root)
  const written = items(either(root, 'http', 'requests'))
  const http = written.map((block) => readHttp(block, { scope, readList, isOneOfMany: written.length > 1 }))
  const flow = readFlow(at(root, 'flow'), http.length)
  checkVariables(root, scope)
  const dialogues = items(either(root, 'tcp', 'network'))
  const network = dialogues.map((block) => readNetwork(block, { scope, readList, isOneOfMany: dialogues.length > 1 }))
  const ssl = items(at(root, 'ssl')).map((block) => readSsl(block, written.length > 0))
  const dns = items(at(root, 'dns')).map((block) => readDns(block, scope))
  return { blocks: { http, flow, network, ssl, dns }, lacking: scope.lacking }
}

function readFlow(node: Node, blocks: number): Flow | null {
  if (node.value === undefined) return null
  const flow = parseFlow(text(node), blocks)
  if (typeof flow === 'string') throw new Refused('flow', node.path, flow)
  return flow
}
