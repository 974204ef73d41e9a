import { isFatalFor } from '#fingerprint/fatal-paths.ts'
import { faviconHash, faviconMd5 } from '#fingerprint/favicon.ts'
import { pathOnOrigin } from '#fingerprint/origin.ts'
import { versionIn } from '#fingerprint/own-name.ts'
import { scriptExcerpt, scriptPaths } from '#fingerprint/script.ts'
import { oneLine, printable } from '#fingerprint/text.ts'
import { refreshTarget } from '#html.ts'
import { createJar } from '#net/cookie-jar.ts'
import type { FingerprintText } from '#fingerprint/fingerprint-text.ts'
import { readPages, requestsAtOnceTo } from '#fingerprint/read-pages.ts'
import { relevantPaths, type WebPath } from '#fingerprint/web-paths.ts'
import { queryWebProducts } from '#fingerprint/web-queries.ts'
import {
  bodyText,
  bodyTraces,
  errorTraces,
  headerOf,
  headerTraces,
  jsonTraces,
  ownNameTraces,
  pageText,
  titleOf,
} from '#fingerprint/web-traces.ts'
import { linkedItems, parametersOf, plainPaths } from '#native/web/parameters.ts'
import { apiPaths } from '#native/web/records.ts'
import type { HttpClient } from '#net/http.ts'
import type { HttpRequest, HttpResponse, Origin } from '#net/http-message.ts'

/** Content of a web server's front page. */
export interface WebPage {
  readonly status: number
  readonly title: string
  readonly server: string
  /** Status line and headers, made printable. */
  readonly head: string
  readonly traces: readonly FingerprintText[]
  /** Maximum number of concurrent requests to the server. */
  readonly requestsAtOnce: number
  /** Folder that the front page redirects to on the same origin, or that it sets cookies for. */
  readonly ownFolder?: string
  /** Other folders that a front page with few links refers to. */
  readonly linkedFolders: readonly string[]
  /** Folders of all links and frames, including those to pages of the application itself. */
  readonly hintedFolders: readonly string[]
}

export interface WebTools {
  readonly http: HttpClient
  /** Client whose cached responses checks reuse. */
  readonly shared: Pick<HttpClient, 'request'>
  readonly signal: AbortSignal
  readonly paths: readonly WebPath[]
}

const redirectsMax = 4
/** A front page with more links to folders is a site rather than an index of applications. */
const linkedFoldersMax = 5
/** Many servers delay their responses to requests without a password. */
const refusedMax = 3

/**
 * Reads a web server's front page, its favicon, and the pages that fingerprints need. Follows
 * redirects within the same origin only. Undefined when the server doesn't speak HTTP.
 *
 * @param base folder of an application below the root; the paths that fingerprints need are relative to it
 * @throws only when `signal` aborts, with its reason
 */
export async function readWeb(
  origin: Origin,
  { http, shared, signal, paths }: WebTools,
  base = '/',
): Promise<WebPage | undefined> {
  const send = (request: HttpRequest) =>
    http.request(origin, { ...request, headers: { ...browserHeaders, ...request.headers } }, { signal })
  const jar = createJar()
  const get = async (path: string) => {
    const response = await send(jar.addCookies({ method: 'GET', path }))
    if (response.kind === 'response') jar.storeCookies(path, response)
    return response
  }
  const below = (path: string) => `${base}${path.slice(1)}`
  const first = await get(base)
  if (first.kind === 'failure') return undefined
  const requestsAtOnce = requestsAtOnceTo(first)
  const traces = [...headerTraces(first), ...bodyTraces(first)]
  let last = first
  let at = base
  let ownFolder: string | undefined
  for (let step = 0; step < redirectsMax; step++) {
    const path = redirectPath(last, origin, at)
    const next = path === undefined ? undefined : await get(path)
    if (next?.kind !== 'response') break
    traces.push(...headerTraces(next), ...bodyTraces(next))
    last = next
    at = path ?? at
    ownFolder ??= folderAt(at)
  }
  const front = bodyText(last)
  const icon = iconPath(front, below)
  const manifest = manifestPath(front, origin, at)
  const linkedFiles = [...scriptPaths(front, origin), ...(manifest === undefined ? [] : [manifest]), icon]
  const files = new Map(await readPages(linkedFiles, get, { atOnce: requestsAtOnce }))
  traces.push(...faviconTraces(files.get(icon)))
  const scripts: string[] = []
  for (const path of scriptPaths(front, origin)) {
    const script = files.get(path)
    if (script?.status !== 200) continue
    scripts.push(script.body.toString('latin1'))
    traces.push({ field: 'http.script', text: scriptExcerpt(script.body) })
  }
  const manifestName = nameInManifest(files.get(manifest ?? ''))
  const cookies = traces.flatMap(({ field, text }) =>
    field === 'http_header.cookie' ? (text.split('=', 1)[0] ?? '') : [],
  )
  traces.push(...ownNameTraces(front, { scripts: scripts.join('\n'), manifestName, cookies }))
  const named = apiPaths([front, ...scripts], versionCall).flatMap((call) => pathOnOrigin(call, origin, at) ?? [])
  for (const [, page] of await readPages(named.slice(0, versionCallsMax), get, { atOnce: requestsAtOnce })) {
    const version = page.status === 200 ? versionIn(bodyText(page)) : undefined
    if (version !== undefined) traces.push({ field: 'web.version', text: version })
  }
  const described = descriptionPaths.map((path) => [path, []] as const)
  const fieldsOf = new Map([...described, ...relevantPaths(paths, traces)].filter(([path]) => !isFatalFor(front, path)))
  const readBelow = (path: string) => shared.request(origin, { method: 'GET', path: below(path) }, { signal })
  let refused = 0
  const isLast = ({ status }: HttpResponse) => base !== '/' && status === 401 && ++refused === refusedMax
  let hasErrorPage = false
  for (const [path, page] of await readPages([...fieldsOf.keys()], readBelow, { atOnce: requestsAtOnce, isLast })) {
    if (page.status === 404 && !hasErrorPage) {
      traces.push(...errorTraces(page))
      // Outside of its folder, an application's server responds with an empty page.
      hasErrorPage = page.body.length > 0
    }
    // An API below a root that isn't its own is named by its realm.
    if (page.status === 401) traces.push(...headerTraces(page).filter(({ field }) => field === 'http_header.wwwauth'))
    const fields = fieldsOf.get(path) ?? []
    const isAnswer =
      page.status === 200 || (page.status === 404 && fields.some(({ requires }) => requires.startsWith('=')))
    if (!isAnswer) continue
    const text = path.endsWith('.js') ? scriptExcerpt(page.body) : pageText(page)
    const version = versionPath.test(path) ? versionIn(text) : undefined
    if (version !== undefined) traces.push({ field: 'web.version', text: version })
    traces.push(...fields.map(({ field }) => ({ field, text })), ...jsonTraces(text))
  }
  const start = { path: at, body: front }
  const plain = plainPaths([...parametersOf([start], []), ...linkedItems({ front: start, base })]).slice(
    0,
    plainPagesMax,
  )
  const readPlain = (path: string) => shared.request(origin, { method: 'GET', path }, { signal })
  for (const [, page] of await readPages(plain, readPlain, { atOnce: requestsAtOnce })) {
    if (page.status >= 500) traces.push(...errorTraces(page))
  }
  const answered = async (request: HttpRequest) => {
    const response = await send({ ...request, path: below(request.path) })
    return response.kind === 'response' ? response : undefined
  }
  traces.push(...(await queryWebProducts(traces, answered)))
  const title = titleOf(front) || titleOf(bodyText(first))
  const server = oneLine(headerOf(first, 'server'), 300)
  ownFolder ??= cookieFolder(first)
  const linked = linksIn(front, origin, at)
  const others = (folders: readonly (string | undefined)[]) => fewFolders(folders.filter((item) => item !== ownFolder))
  return {
    status: first.status,
    title: oneLine(title, 300),
    server,
    head: headText(first),
    traces: distinct(traces),
    requestsAtOnce,
    linkedFolders: others(linked.filter((path) => path.endsWith('/')).map(folderAt)),
    hintedFolders: others(linked.map(folderOfLink)),
    ...(ownFolder === undefined ? {} : { ownFolder }),
  }
}

/** The folder of a path; undefined for the root and for unusual or deep paths. */
function folderAt(path: string): string | undefined {
  const [file = ''] = path.split('?', 1)
  const folder = file.slice(0, file.lastIndexOf('/') + 1)
  return /^\/(?:[\w~-][\w.~-]{0,60}\/){1,3}$/.test(folder) ? folder : undefined
}

/** Applications that don't serve the root still set their cookies for their own folder. */
function cookieFolder(response: HttpResponse): string | undefined {
  const cookies = response.headers.filter(([key]) => key.toLowerCase() === 'set-cookie')
  const paths = cookies.flatMap(([, value]) => /;\s{0,9}path=(\/[^;\s]{1,200})/i.exec(value)?.[1] ?? [])
  const [path] = paths
  return path === undefined ? undefined : folderAt(path.endsWith('/') ? path : `${path}/`)
}

/** Paths of links and frames on this server. */
function linksIn(html: string, origin: Origin, at: string): string[] {
  const links = html.matchAll(
    /<(?:a\b[^>]{0,200}?\bhref|i?frame\b[^>]{0,200}?\bsrc)\s{0,9}=\s{0,9}["']?([^"'\s>?#]{1,300})/gi,
  )
  return [...links].flatMap(([, target = '']) => pathOnOrigin(target, origin, at) ?? [])
}

/** Applications are often linked without a slash. */
function folderOfLink(path: string): string | undefined {
  return folderAt(/^\/[\w~-]+$/.test(path) ? `${path}/` : path)
}

function fewFolders(folders: readonly (string | undefined)[]): readonly string[] {
  const distinctFolders = new Set(folders.filter((folder) => folder !== undefined))
  return distinctFolders.size > linkedFoldersMax ? [] : [...distinctFolders]
}

/** Some servers return different or no pages to clients that don't look like a browser. */
const browserHeaders = { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) Glacis', Accept: 'text/html,*/*;q=0.8' }

/** Paths where a server describes itself. */
const versionPath = /\/(?:version|health|status|info|about)(?:\.json)?$/
/** Calls in an application's scripts that return its version. */
const versionCall =
  /\/(?:version|app|about|build|meta|server-?info|system-?info|app-?info|(?:server|system)\/(?:info|version))\/?$/i
const versionCallsMax = 4
/** Pages whose parameters are missing, which often causes an error that names the framework. */
const plainPagesMax = 2
/** Read even if no fingerprint needs them. */
const descriptionPaths = [
  '/version.json',
  '/api/info',
  '/api/v1/info',
  '/api/about',
  '/api/system/info',
  '/api/v1/version',
]

/** The web app manifest that a page links to. */
function manifestPath(page: string, origin: Origin, at: string): string | undefined {
  const tag =
    /<link\b[^>]{0,200}\brel=["']?manifest\b[^>]{0,300}|<link\b[^>]{0,300}\brel=["']?manifest\b/i.exec(page)?.[0] ?? ''
  return pathOnOrigin(/\bhref=["']?([^"'\s>]{1,500})/i.exec(tag)?.[1] ?? '', origin, at) || undefined
}

function nameInManifest(manifest: HttpResponse | undefined): string {
  if (manifest?.status !== 200) return ''
  return /"name"\s{0,9}:\s{0,9}"([^"\\]{1,60})"/.exec(bodyText(manifest))?.[1] ?? ''
}

function redirectPath(response: HttpResponse, origin: Origin, at: string): string | undefined {
  if ([301, 302, 303, 307, 308].includes(response.status))
    return pathOnOrigin(headerOf(response, 'location'), origin, at)
  const refresh = refreshTarget(bodyText(response))
  return response.status !== 200 || refresh === undefined ? undefined : pathOnOrigin(refresh, origin, at)
}

function iconPath(page: string, below: (path: string) => string): string {
  const tag = /<link\b[^>]{0,200}\brel=["']?(?:shortcut )?icon\b[^>]{0,300}/i.exec(page)?.[0] ?? ''
  const href = /\bhref=["']?([^"'\s>]{1,500})/i.exec(tag)?.[1] ?? ''
  return /^\/(?!\/)/.test(href) ? href : below('/favicon.ico')
}

function faviconTraces(icon: HttpResponse | undefined): FingerprintText[] {
  if (icon === undefined) return []
  if (icon.status === 404) return errorTraces(icon)
  if (icon.status !== 200 || icon.body.length === 0 || icon.truncated) return []
  if (/^\s*<(!doctype|html)/i.test(icon.body.subarray(0, 100).toString('latin1'))) return []
  return [
    { field: 'favicon.md5', text: faviconMd5(icon.body) },
    { field: 'favicon.mmh3', text: faviconHash(icon.body) },
  ]
}

function headText(response: HttpResponse): string {
  const lines = response.headers.map(([key, value]) => `${key}: ${value}`)
  return printable([`HTTP/1.1 ${response.status}`, ...lines].join('\n'), 4096)
}

function distinct(traces: readonly FingerprintText[]): FingerprintText[] {
  return [...new Map(traces.map((trace) => [`${trace.field}\0${trace.text}`, trace])).values()]
}
