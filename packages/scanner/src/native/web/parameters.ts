/** Names of parameters in pages, scripts, and descriptions of an API. */
import {
  type DescribedParameter,
  type Description,
  Operation,
  operationsMax,
  pathOf,
} from '#native/web/api-description.ts'
import { formsIn, linksOf } from '#native/web/html-forms.ts'
import { isChanging, isDestructive } from '#native/web/verbs.ts'
import { targetHere } from '#native/web/request.ts'
import type { WebSite } from '#native/web/site.ts'

/** A parameter with the request that contains it. */
export interface Parameter {
  readonly path: string
  readonly query: readonly (readonly [string, string])[]
  readonly name: string
  readonly value: string
  /** The path contains `{name}`. */
  readonly isInPath?: boolean
}

type PageText = Pick<WebSite['front'], 'path' | 'body'>

interface PageOfSite {
  readonly front: PageText
}

const parametersMax = 16
/** Files whose query is a version. */
const asset = /\.(?:css|gif|ico|jpe?g|js|map|mjs|png|svg|webp|woff2?)$/i
const describedMax = 16
/** Tools of a development server: some open a file in the developer's editor, and some crash if a file doesn't exist. */
const developerTool = /^\/__[a-z]/
const fileValue = /\.[a-z\d]{1,5}$|\//i
const generalName = /^(?:f|id|key|n|name|p|slug|title|topic)$/i
const fileName = /file|path|page|doc|template|download|dir|folder|view|include|image|attachment/i

/** `'/order?id=7'`, and `'/tile?url=' + encodeURIComponent('https://…` */
const calledTarget =
  /["'`\s(](\/[\w./:~-]{1,200}\?[\w.=&/:%+-]{2,300})(?:["'`]\s{0,3}\+\s{0,3}(?:encodeURIComponent\(\s{0,3})?["'`](https?:\/\/[\w.-]{1,100}))?/g

/** Parameters of links and GET forms on pages, and of paths in their scripts; each once. */
export function parametersOf(pages: readonly PageText[], scripts: readonly string[]): readonly Parameter[] {
  const texts = [...pages.map(({ body }) => body), ...scripts]
  const called = texts.flatMap((text) =>
    [...text.matchAll(calledTarget)].flatMap(([, target = '', url = '']) => targetHere(`${target}${url}`, '/') ?? []),
  )
  const found = [...pages.flatMap((page) => linkedTargets(page)), ...called]
    .filter((target) => !isDestructive(target) && !asset.test(pathIn(target)) && !developerTool.test(target))
    .flatMap((target) => parametersIn(target))
  return distinct([...found, ...pages.flatMap((page) => formParameters(page))]).slice(0, parametersMax)
}

function linkedTargets({ path, body }: PageText): string[] {
  const links = body.matchAll(/\b(?:href|src)\s{0,9}=\s{0,9}["']([^"'\s>]{1,500}\?[^"'\s>]{1,500})["']/gi)
  return [...links].flatMap(([, link = '']) => targetHere(link.replaceAll('&amp;', '&'), path) ?? [])
}

const entered = /^(?:text|search|url|number|)$/

/** Labels of buttons that store the entered value, unlike those of searches. */
export const stores: RegExp =
  /\b(?:add|change|create|disable|enable|insert|modify|rename|save|set|store|subscribe|switch|write)\b/i

/** The fields of GET forms, each with the values of the others. Small devices also change their settings with GET forms. */
function formParameters({ path: base, body }: PageText): readonly Parameter[] {
  return formsIn(body).flatMap(({ isPost, action, fields, labels }) => {
    if (labels.some((label) => stores.test(label) || isDestructive(label))) return []
    const path = isPost ? undefined : targetHere(action, base)?.split('?', 1)[0]
    const named = fields.filter(({ name, type }) => name !== '' && (entered.test(type) || type === 'hidden'))
    const query = named.map(({ name, value }) => [name, value] as const)
    if (path === undefined || isDestructive(`${path}?${query.map((pair) => pair.join('=')).join('&')}`)) return []
    return named.map(({ name, value }) => ({ path, query, name, value }))
  })
}

const itemsMax = 2
/** Links that switch a device on or off change its state although they use GET. */
const state = /\/(?:on|off|open|up|down|toggle|high|low)\/?$/i

/** Items of collections that the start page links to, such as `/orders/7` and `/club/7/card`; one of each collection. */
export function linkedItems({ front, base }: PageOfSite & Pick<WebSite, 'base'>): readonly Parameter[] {
  const items = linksOf(front.body).flatMap((link): Parameter[] => {
    const target = pathIn(targetHere(link, front.path) ?? '')
    const [, collection = '', value = '', rest = ''] =
      /^(\/(?:[\w-]{1,40}\/){0,3}[a-z][\w-]{1,40}(?:s\/(?=[\w-]{1,60}\/?$)|\/(?=\d{1,12}(?:\/|$))))([\w-]{1,60})((?:\/[a-z][\w-]{1,40})?\/?)$/i.exec(
        target,
      ) ?? []
    if (!collection.startsWith(base) || isChanging(target) || isDestructive(target) || state.test(target)) return []
    return [{ path: `${collection}{id}${rest}`, query: [], name: 'id', value, isInPath: true }]
  })
  return distinct(items).slice(0, itemsMax)
}

const pagesMax = 4
const otherFile = /\.(?!html?$|php$|aspx?$|jsp$|do$)[a-z\d]{1,5}$/i

/** Pages that the start page links to without a parameter, such as `/order`; not those that could change something. */
export function linkedPages(site: PageOfSite & Pick<WebSite, 'base'>): readonly string[] {
  return [...new Set(readableTargets(site).filter((target) => !target.includes('?')))].slice(0, pagesMax)
}

const queriesMax = 2

/** Pages that it links to with parameters, such as `/login?next=/cart`; one of each path. None that names another host. */
export function linkedQueries(site: PageOfSite & Pick<WebSite, 'base'>): readonly string[] {
  const targets = readableTargets(site).filter(
    (target) => target.includes('?') && !parametersIn(target).some(({ name, value }) => namesHost(name, value)),
  )
  const byPath = new Map(targets.toReversed().map((target) => [pathIn(target), target]))
  return [...byPath.values()].toReversed().slice(0, queriesMax)
}

function readableTargets({ front, base }: PageOfSite & Pick<WebSite, 'base'>): readonly string[] {
  const targets = linksOf(front.body).flatMap((link) => targetHere(link, front.path) ?? [])
  return targets.filter(
    (target) =>
      target.startsWith(base) &&
      target !== front.path &&
      !otherFile.test(pathIn(target)) &&
      !isChanging(target) &&
      !isDestructive(target) &&
      !state.test(target),
  )
}

/** Without the query. */
export function pathIn(target: string): string {
  return target.split('?', 1)[0] ?? target
}

/** The paths that have parameters, requested without them, and the paths of the linked items. */
export function plainPaths(parameters: readonly Parameter[]): readonly string[] {
  const paths = parameters.flatMap(({ path, name, value, isInPath }) => {
    if (!isInPath) return path
    return value === '' ? [] : path.replace(`{${name}}`, () => value)
  })
  return [...new Set(paths)]
}

/** Where a weakness of a parameter is shown, such as `/report?file`. */
export function placeOf({ path, name, isInPath }: Parameter): string {
  return isInPath === true ? path : `${path}?${name}`
}

/** The first of each, so a link's value takes precedence over the example of a description. */
export function distinct(parameters: readonly Parameter[]): readonly Parameter[] {
  const groups = Map.groupBy(parameters, ({ path, name }) => `${path} ${name}`)
  return [...groups.values()].flatMap(([first]) => first ?? [])
}

/** Parameters of operations that only read, those that name files or URLs first. */
export function describedParameters(description: Description, base: string): readonly Parameter[] {
  const found = Object.entries(description.paths)
    .slice(0, operationsMax)
    .flatMap(([path, { get }]) => {
      if (get === undefined) return []
      const declared = Operation.safeParse(get).data?.parameters ?? []
      const inPath = [...path.matchAll(/\{(\w{1,60})\}/g)].map(([, name = '']) => name)
      if (!/^\/[\w./{}-]{1,200}$/.test(path) || isChanging(path) || inPath.length > 1) return []
      const target = pathOf(path, description, base)
      const [name] = inPath
      if (name !== undefined) return [{ path: target, query: [], name, value: '', isInPath: true }]
      const texts = declared.filter((item) => item.in === 'query' && item.name !== undefined)
      const query = texts.filter(({ required }) => required).map((item) => [item.name ?? '', exampleOf(item)] as const)
      return texts.map((item) => ({ path: target, query, name: item.name ?? '', value: exampleOf(item) }))
    })
  return found.toSorted((left, right) => Number(isReference(right)) - Number(isReference(left))).slice(0, describedMax)
}

/** Without an example, any value works, because parameters are tested one at a time. */
function exampleOf({ example, schema }: DescribedParameter): string {
  const value = example ?? schema?.example ?? schema?.default
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '1'
}

function parametersIn(target: string): readonly Parameter[] {
  const at = target.indexOf('?')
  if (at === -1) return []
  const query = [...new URLSearchParams(target.slice(at + 1))]
  return query.map(([name, value]) => ({ path: target.slice(0, at), query, name, value }))
}

export function isFile({ path, name, value, isInPath }: Parameter): boolean {
  // `/page?name=hours`
  const isNamedByPath = generalName.test(name) && !/^\d*$/.test(value) && fileName.test(path.split('/').at(-1) ?? '')
  return fileValue.test(value) || fileName.test(isInPath ? path : name) || isNamedByPath
}

const urlName = /^(?:u|ur[il]|href|src|source|target|feed|rss|link|site|proxy|remote|fetch|webhook)$|[_-]?ur[il]$/i

export function isUrl({ name, value }: Parameter): boolean {
  return /^https?:\/\//i.test(value) || urlName.test(name)
}

const hostName = /^(?:https?:\/\/)?(?:[a-z\d-]{1,63}\.){1,8}[a-z]{2,24}(?::\d{1,5})?(?=[/?#]|$)/i
const hostParameter = /^(?:address|dest|destination|domain|endpoint|host|host_?name|server)$/i

/** Whether a value names a host, which the server may contact: `https://example.com/feed`, and `example.com` as a target. */
export function namesHost(name: string, value: string): boolean {
  return hostName.test(value) && (/^https?:/i.test(value) || urlName.test(name) || hostParameter.test(name))
}

/** With this server in place of the hosts in its values, so that tests don't make the server contact others. */
export function withOwnHost(parameter: Parameter, own: string): Parameter {
  const replaced = (name: string, value: string) =>
    namesHost(name, value) ? `${/^https?:/i.test(value) ? 'http://' : ''}${own}` : value
  const { name, value, query } = parameter
  return {
    ...parameter,
    value: replaced(name, value),
    query: query.map(([key, text]) => [key, replaced(key, text)] as const),
  }
}

function isReference(parameter: Parameter): boolean {
  return isFile(parameter) || isUrl(parameter)
}
