/** Responses of an API's operations that only read to requests without authentication, read once for all checks. */
import { type Description, Operation, operationsMax, pathOf, readDescription } from '#native/web/api-description.ts'
import type { NativeContext } from '#native/native-check.ts'
import { ruledPaths } from '#native/web/named-paths.ts'
import { linkedItems, type Parameter, parametersOf } from '#native/web/parameters.ts'
import { type ScriptCall, scriptCalls } from '#native/web/script-calls.ts'
import { linksIn } from '#native/web/records.ts'
import { listsPeople } from '#native/web/record-kinds.ts'
import { readPages } from '#native/web/site-pages.ts'
import { identifiedNames } from '#template/relevance.ts'
import { keepsDocuments } from '#template/selection.ts'
import { isChanging } from '#native/web/verbs.ts'
import { folderOf, pathHere, requestWeb, type WebResponse } from '#native/web/request.ts'
import { readSite } from '#native/web/site.ts'

export interface Answer {
  readonly target: string
  /** The description declares that the operation requires authentication. */
  readonly isProtected: boolean
  readonly page: WebResponse
}

export const internal = /admin|backup|config|credential|debug|dump|env|export|internal|secret|setting|token|variable/i
const operationsRead = 16
const callsRead = 12
const collectionsMax = 6
const known = new WeakMap<NativeContext, Promise<readonly Answer[] | undefined>>()

/** @returns undefined if the server didn't answer */
export function readAnswers(context: NativeContext): Promise<readonly Answer[] | undefined> {
  const reading = known.get(context) ?? read(context)
  known.set(context, reading)
  return reading
}

async function read(context: NativeContext): Promise<readonly Answer[] | undefined> {
  const description = await readDescription(context)
  if (description === undefined) return undefined
  const operations = description ? operationsOf(description, folderOf(context.basePath)) : []
  const paths = (await calledPaths(context)).filter((path) => !path.includes('*'))
  const listed = await indexedPaths(context)
  const called = [...paths, ...(await calledQueries(context)), ...(await internalPaths(context)), ...listed]
  const described = new Set(operations.map(({ target }) => target))
  const others = [...new Set(called)].filter((target) => !described.has(target)).slice(0, callsRead)
  const answers: Answer[] = []
  for (const { target, isProtected } of [...operations, ...others.map((target) => ({ target, isProtected: false }))]) {
    const page = await requestWeb(context, { target, headers: { Accept: 'application/json' } })
    if (page) answers.push({ target, isProtected, page })
  }
  for (const target of keepsDocuments(identifiedNames(context.service.technologies)) ? [] : await searches(context)) {
    const headers = { Accept: 'application/json', 'Content-Type': 'application/json' }
    const page = await requestWeb(context, { method: 'POST', target, headers, body: '{}' })
    if (page) answers.push({ target, isProtected: false, page })
  }
  return answers
}

const indexes = ['api/', 'api/v1/']

/** Collections that a JSON index of the API links to. */
async function indexedPaths(context: NativeContext): Promise<readonly string[]> {
  const targets = indexes.map((name) => `${folderOf(context.basePath)}${name}`)
  const paths: string[] = []
  for (const target of targets) {
    const index = await requestWeb(context, { target, headers: { Accept: 'application/json' } })
    if (index?.status === 200) paths.push(...linksIn(index.body, target))
  }
  return paths.filter((path) => path.startsWith(folderOf(context.basePath)) && !isChanging(path))
}

const ruledMax = 4

/** Internal paths that robots.txt asks crawlers to skip. */
async function internalPaths(context: NativeContext): Promise<readonly string[]> {
  const paths = await ruledPaths(context, folderOf(context.basePath))
  return paths.filter((path) => internal.test(path) && !isChanging(path)).slice(0, ruledMax)
}

const searchesMax = 2

/** Paths of scripts whose POST only searches. */
async function searches(context: NativeContext): Promise<readonly string[]> {
  const calls = await callsOf(context)
  const paths = calls.flatMap(({ method, path }) =>
    method === 'POST' && /\/(?:find|list|query|search)\/?$/i.test(path) && !isChanging(path) ? path : [],
  )
  return [...new Set(paths)].slice(0, searchesMax)
}

/** Operations that need no parameters, those first that should be protected. */
function operationsOf(description: Description, base: string) {
  return Object.entries(description.paths)
    .slice(0, operationsMax)
    .flatMap(([path, { get }]) => {
      const operation = Operation.safeParse(get).data
      const isCallable = operation && !operation.parameters?.some(({ required }) => required)
      if (!isCallable || !/^\/[\w./-]{1,200}$/.test(path) || isChanging(path)) return []
      const isProtected = (operation.security ?? description.security ?? []).length > 0
      return [{ target: pathOf(path, description, base), isProtected, isFirst: isProtected || internal.test(path) }]
    })
    .toSorted((left, right) => Number(right.isFirst) - Number(left.isFirst))
    .slice(0, operationsRead)
}

/** Paths of GET requests in scripts and pages, with `*` for their variable parts. */
async function calledPaths(context: NativeContext): Promise<readonly string[]> {
  const calls = await callsOf(context)
  return [...new Set(calls.flatMap(({ method, path }) => (method === 'GET' && !isChanging(path) ? path : [])))]
}

/** Requests in scripts and pages to this server. */
export async function callsOf(context: NativeContext): Promise<readonly ScriptCall[]> {
  const site = await readSite(context)
  if (!site) return []
  const { pages, scripts } = await readPages(context, site)
  return scriptCalls([...pages.map(({ body }) => body), ...scripts]).flatMap(({ method, path }) => {
    const target = /^\/?[\w./*:~-]{1,160}$/.test(path) ? pathHere(path, site.front.path) : undefined
    return target?.startsWith(site.base) ? [{ method, path: target }] : []
  })
}

/** Calls of scripts with a query, such as `/api/orders?year=2026`. */
async function calledQueries(context: NativeContext): Promise<readonly string[]> {
  const site = await readSite(context)
  const scripts = site ? (await readPages(context, site)).scripts : []
  const targets = parametersOf([], scripts).map(
    ({ path, query }) => `${path}?${query.map((pair) => pair.map(encodeURIComponent).join('=')).join('&')}`,
  )
  return [...new Set(targets)].filter((target) => !isChanging(target))
}

/** Records that a path or a query identifies. */
export interface Collection {
  /** With `*` in place of the identifier. */
  readonly target: string
  /** Identifiers that the site itself shows. */
  readonly examples: readonly string[]
}

const identifier = /^[A-Z]{0,4}-?\d{1,12}$/

/** Collections of the description, and of the calls and links of the site, such as `/api/orders/*`. */
export async function collectionsOf(context: NativeContext): Promise<readonly Collection[]> {
  const site = await readSite(context)
  if (!site) return []
  const { pages, scripts } = await readPages(context, site)
  const texts = [...pages.map(({ body }) => body), ...scripts]
  const shown = shownIdentifiers(texts)
  const called = (await calledPaths(context)).flatMap((path) => collectionIn(path, shown))
  const queried = parametersOf(pages, scripts).flatMap(({ path, query, name, value }) => {
    if (!identifier.test(value)) return []
    const pairs = query.map(
      ([key, text]) => `${encodeURIComponent(key)}=${key === name ? '*' : encodeURIComponent(text)}`,
    )
    const target = `${path}?${pairs.join('&')}`
    return isChanging(target) ? [] : { target, examples: [value] }
  })
  const linked = pages.flatMap((front) => linkedItems({ front, base: site.base })).flatMap(collectionOfItem)
  const { api = [], other = [] } = Object.groupBy(linked, ({ target }) => (apiPath.test(target) ? 'api' : 'other'))
  const description = await readDescription(context)
  const described = describedCollections(description, folderOf(context.basePath))
  const all = [...called, ...queried, ...api, ...described, ...other]
  const lists = await listPaths(context, description)
  // The first of each: calls and links have examples.
  return [...firstOfEach(all).slice(0, collectionsMax), ...lists]
}

function firstOfEach(collections: readonly Collection[]): readonly Collection[] {
  const groups = Map.groupBy(collections, ({ target }) => target)
  return [...groups.values()].flatMap(([first]) => first ?? [])
}

const listsMax = 3
/** Numbers with which databases and shops begin. */
const firstNumbers = ['1', '1001']

/** Lists of people or of their orders, such as `/api/claims`, whose records may be readable one by one. */
async function listPaths(
  context: NativeContext,
  description: Description | null | undefined,
): Promise<readonly Collection[]> {
  const operations = description ? operationsOf(description, folderOf(context.basePath)) : []
  const paths = [...(await calledPaths(context)), ...operations.map(({ target }) => target)]
  const lists = paths.filter((path) => !path.includes('*') && apiPath.test(path) && listsPeople(path))
  return [...new Set(lists)]
    .slice(0, listsMax)
    .map((path) => ({ target: `${path.replace(/\/$/, '')}/*`, examples: firstNumbers }))
}

const apiPath = /\/(?:api|rest|v\d+)\//

/** `/orders/7` in a link. Pages are read by another check, but it may also be a record. */
function collectionOfItem({ path, name, value }: Parameter): readonly Collection[] {
  return identifier.test(value) ? [{ target: path.replace(`{${name}}`, '*'), examples: [value] }] : []
}

function describedCollections(description: Description | null | undefined, base: string): readonly Collection[] {
  return Object.entries(description?.paths ?? {})
    .slice(0, operationsMax)
    .flatMap(([path, { get }]) =>
      get !== undefined && description && /^\/[\w./-]{1,160}\/\{\w{1,40}\}$/.test(path) && !isChanging(path)
        ? { target: pathOf(path.replace(/\{\w+\}$/, '*'), description, base), examples: [] }
        : [],
    )
}

/** `/api/orders/*` as it is, and `/api/orders/7/state` as the collection `/api/orders/*` with an example. */
function collectionIn(path: string, shown: readonly string[]): readonly Collection[] {
  if (/^[^*]{1,160}\/\*$/.test(path)) return [{ target: path, examples: shown }]
  const parts = path.split('/')
  const at = parts.findIndex((part) => identifier.test(part))
  return at < 2 ? [] : [{ target: `${parts.slice(0, at).join('/')}/*`, examples: [parts[at] ?? ''] }]
}

const shownMax = 3

/** Identifiers in form fields, and those that scripts use in place of a missing one. */
function shownIdentifiers(texts: readonly string[]): readonly string[] {
  const found = texts.flatMap((text) => [
    ...text
      .matchAll(/\s(?:placeholder|value)\s{0,3}=\s{0,3}["']([A-Z]{0,4}-?\d{1,12})["']|\|\|\s{0,3}["']?(\d{1,12})\b/g)
      .take(20),
  ])
  return [...new Set(found.map(([, field, otherwise]) => field ?? otherwise ?? ''))].slice(0, shownMax)
}
