/** HTTP requests of native checks, and their proof. */
import { bracketed } from '#ip.ts'
import { bytes } from '#wire.ts'
import { refreshTarget } from '#html.ts'
import { createJar, isCookieGate } from '#net/cookie-jar.ts'
import type { HttpFailure, HttpResponse } from '#net/http-message.ts'
import type { NativeContext, Proof } from '#native/native-check.ts'
import { isCompleteResponse, parseResponse } from '#net/raw-http.ts'
import { isFatalPath } from '#fingerprint/fatal-paths.ts'
import { identifiedNames } from '#template/relevance.ts'

export interface WebRequest {
  readonly method?: string
  /** Origin form, or absolute form for a proxy. */
  readonly target: string
  /** Value of the `Host` header; absent: the service's own. */
  readonly host?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Until the first byte of the response; default 3 s. */
  readonly waitMs?: number
  /** Maximum size of the response; default 512 KiB. */
  readonly bytesMax?: number
}
export interface WebResponse {
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  readonly body: string
  /** As sent and received. */
  readonly request: string
  readonly received: string
}

const bytesUsual = 512 * 1024

/** The server rejects requests as too many, so a check can't decide anything. */
export class RateLimited extends Error {}

/**
 * A request that consists of a path only is shared with other checks.
 *
 * @returns undefined if the server didn't answer with HTTP
 * @throws RateLimited
 */
export async function requestWeb(context: NativeContext, request: WebRequest): Promise<WebResponse | undefined> {
  const { target, ...others } = request
  if (isFatalPath(target, identifiedNames(context.service.technologies))) return undefined
  const isShared = target.startsWith('/') && Object.keys(others).length === 0
  const response = await (isShared ? requestShared(context, target) : exchangeWeb(context, request))
  if (response?.status === 429) throw new RateLimited()
  return response
}

async function requestShared(context: NativeContext, path: string): Promise<WebResponse | undefined> {
  return asText(await context.requestPage(path))
}

function asText(response: HttpResponse | HttpFailure): WebResponse | undefined {
  if (response.kind === 'failure') return undefined
  const { status, statusText, headers, body, request } = response
  const lines = [`HTTP/1.1 ${status} ${statusText}`, ...headers.map(([name, value]) => `${name}: ${value}`)]
  const received = `${lines.join('\r\n')}\r\n\r\n${body.toString('latin1')}`
  return { status, headers, body: body.toString('utf8'), request, received }
}

/** Sends the request again with the cookie that a server requires before it serves a page. */
async function exchangeWeb(context: NativeContext, request: WebRequest): Promise<WebResponse | undefined> {
  const response = await sendOnce(context, request)
  const { method = 'GET', target: path, headers = {} } = request
  if (!response || !isCookieGate(context.service, { method, path }, response)) return response
  const jar = createJar()
  jar.storeCookies(path, response)
  const withCookies = jar.addCookies({ method, path, headers }).headers ?? headers
  return (await sendOnce(context, { ...request, headers: withCookies })) ?? response
}

async function sendOnce(
  context: NativeContext,
  {
    method = 'GET',
    target,
    host = ownHost(context),
    headers = {},
    body,
    waitMs = 3000,
    bytesMax = bytesUsual,
  }: WebRequest,
): Promise<WebResponse | undefined> {
  const fields = {
    Host: host,
    'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) Glacis',
    Accept: '*/*',
    ...headers,
    ...(body === undefined ? {} : { 'Content-Length': String(body.length) }),
    Connection: 'close',
  }
  const unframed = { method, path: target, headers: fields, ...(body !== undefined && { body: bytes(body) }) }
  const overHttp2 = context.requestHttp2(unframed, waitMs + 2000)
  if (overHttp2) return asText(await overHttp2)
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  const request = `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`
  const options = { firstByteMs: waitMs, idleMs: 1500, totalMs: waitMs + 2000, bytesMax, enough: isCompleteResponse }
  const received = await context.exchange(bytes(request), options)
  const response = received && parseResponse(received)
  if (!received || !response) return undefined
  const { status, headers: sent, body: content } = response
  return {
    status,
    headers: sent,
    body: content.toString('utf8'),
    request,
    received: readableAnswer(received, response),
  }
}

/** What was received; compressed content as text. */
function readableAnswer(received: Buffer, { headers, body }: Pick<HttpResponse, 'headers' | 'body'>): string {
  const text = received.toString('latin1')
  if (!headers.some(([name]) => name.toLowerCase() === 'content-encoding')) return text
  return `${text.split('\r\n\r\n', 1)[0]}\r\n\r\n${body.toString('latin1')}`
}

/** The response as proof, with the parts that prove the finding highlighted. */
export function webProof({ request, received }: WebResponse, highlights: readonly string[]): Proof {
  return { request, answer: received.slice(0, 16_000), highlights }
}

/** Host and port as in a URL. */
export function ownHost({ hostname, port, service }: NativeContext): string {
  const host = bracketed(hostname)
  return port === (service.tls ? 443 : 80) ? host : `${host}:${port}`
}

/** A page whose absolute links to its own server are paths. */
export function withPathsOnly(context: NativeContext, page: string): string {
  const scheme = context.service.tls ? 'https' : 'http'
  return [ownHost(context), `${context.address}:${context.port}`].reduce(
    (text, host) => text.replaceAll(`${scheme}://${host}/`, '/'),
    page,
  )
}

/** The path of a link on the same server, without its query. */
export function pathHere(link: string, base: string): string | undefined {
  if (!URL.canParse(link, `http://here.invalid${base}`)) return undefined
  const { hostname, pathname } = new URL(link, `http://here.invalid${base}`)
  return hostname === 'here.invalid' ? pathname : undefined
}

/** The path and query of a link on the same server. */
export function targetHere(link: string, base: string): string | undefined {
  if (!URL.canParse(link, `http://here.invalid${base}`)) return undefined
  const { hostname, pathname, search } = new URL(link, `http://here.invalid${base}`)
  return hostname === 'here.invalid' ? `${pathname}${search}` : undefined
}

/** The folder of a path, with its last slash. */
export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1)
}

const redirectsMax = 4

/** A page with its path. URLs of this server in its text are paths. */
export interface Page extends WebResponse {
  readonly path: string
}

/** The page at a path, after redirects on this server. Cookies are kept until then. */
export async function readPage(context: NativeContext, start: string): Promise<Page | undefined> {
  const jar = createJar()
  let path = start
  for (let step = 0; ; step++) {
    const page = await readPageAt(context, path, jar.addCookies({ method: 'GET', path }).headers)
    if (page) jar.storeCookies(path, page)
    const location = page?.headers.find(([name]) => name.toLowerCase() === 'location')?.[1]
    const refresh = page && location === undefined ? refreshTarget(page.body) : undefined
    if (step === redirectsMax) return page
    const next =
      location === undefined ? refresh && targetHere(refresh, path) : pathHere(withPathsOnly(context, location), path)
    if (next === undefined || next === path) return page
    path = next
  }
}

export async function readPageAt(
  context: NativeContext,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Page | undefined> {
  const page = await requestWeb(context, { target: path, headers: { Accept: 'text/html,*/*;q=0.8', ...headers } })
  return page && { ...page, body: withPathsOnly(context, page.body), path }
}
