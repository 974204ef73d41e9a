/** The HTTP side of templates: requests from blocks, redirects by the template's policy, answers as names. */
import type { HttpClient, HttpFailure, HttpRequest, HttpResponse, Origin } from '#net/http.ts'
import type { Lookup } from '#template/dsl.ts'
import { toBytes, type DslValue } from '#template/dsl-value.ts'
import type { Jar } from '#template/jar.ts'
import { encodeTarget, rawBytesOf, rawRequestOf, type Annotations } from '#template/raw.ts'
import type { Answer, HttpBlock, RedirectPolicy } from '#template/template.ts'
import { fillBytes } from '#template/variables.ts'

/** One request of a chain and its answer. */
export interface Exchange {
  readonly origin: Origin
  readonly path: string
  readonly request: HttpRequest
  readonly response: HttpResponse
}
export interface Chain {
  /** In order; every one of them may match. */
  readonly exchanges: readonly Exchange[]
  /** Why the chain broke off; null when its end was reached. */
  readonly failure: HttpFailure | null
}

/** One request of a block. */
export interface Question {
  /** The request for a target; null when it cannot be sent there. */
  readonly write: (basePath: string, lookup: Lookup) => HttpRequest | null
  /** The text byte for byte, for what bends the rules of HTTP; null for all else. */
  readonly bytes: (basePath: string, lookup: Lookup) => Buffer | null
  /** How long to wait before it is sent, in milliseconds. */
  readonly pauseMs: number
  readonly annotations: Annotations
}

const plain: Annotations = { deadlineMs: null, sendsHostAsSni: false, isOnce: false, sni: null }

/** The requests of a block, in order. */
export function questionsOf(block: HttpBlock): readonly Question[] {
  const known = asked.get(block) ?? readQuestions(block)
  asked.set(block, known)
  return known
}

function readQuestions(block: HttpBlock): Question[] {
  return [
    ...block.paths.map((path): Question => ({
      write: (basePath, lookup) => requestOf(block, path, basePath, lookup),
      bytes: () => null,
      pauseMs: pauseIn(path),
      annotations: plain,
    })),
    ...block.raws.map((raw): Question => ({
      write: (basePath, lookup) => rawRequestOf(raw, basePath, lookup),
      bytes: (_, lookup) => (raw.bendsRules ? rawBytesOf(raw, lookup) : null),
      pauseMs: pauseIn(raw.text),
      annotations: raw.annotations,
    })),
  ]
}

/** A check may wait for what it has set going, but not for ever. */
const PAUSE_MS_MAX = 20_000

function pauseIn(text: string): number {
  const seconds = /\{\{\s*wait_?for\((\d{1,4})\)/.exec(text)?.[1]
  return Math.min(Number(seconds ?? 0) * 1000, PAUSE_MS_MAX)
}

const asked = new WeakMap<HttpBlock, Question[]>()

/**
 * The request of a block's path on a target.
 *
 * @param basePath path of the target, put in place of `{{BaseURL}}`
 * @returns null when a placeholder has no value or the address would leave the target: not sent
 */
export function requestOf(block: HttpBlock, path: string, basePath: string, lookup: Lookup): HttpRequest | null {
  const [, name = '', written = ''] = /^\{\{(BaseURL|RootURL)\}\}([^]*)$/.exec(path) ?? []
  const rest = fillBytes(written, lookup)
  const body = block.body === null ? null : fillBytes(block.body, lookup)
  const headers = fillHeaders(block.headers, lookup)
  if (rest === null || headers === null || (block.body !== null && body === null)) return null
  const base = name === 'BaseURL' ? (rest === '' ? basePath : basePath.replace(/\/+$/, '')) : ''
  const whole = encodeTarget(toBytes(base) + rest)
  const target = whole === '' || whole.startsWith('?') ? `/${whole}` : whole
  if (!target.startsWith('/')) return null
  return { method: block.method, path: target, headers, ...(body !== null && { body: Buffer.from(body, 'latin1') }) }
}

function fillHeaders(headers: Readonly<Record<string, string>>, lookup: Lookup): Record<string, string> | null {
  const filled = Object.entries(headers).map(([name, value]) => [name, fillBytes(value, lookup)] as const)
  if (filled.some(([, value]) => value === null)) return null
  return Object.fromEntries(filled.map(([name, value]) => [name, Buffer.from(value ?? '', 'latin1').toString('utf8')]))
}

/**
 * What may not stand in a request line as it is: blanks (`%20` in a path, `+` in a query), quotes,
 * angle brackets, control characters, non-ASCII, and a percent sign without two digits. All else,
 * `..`, `//` and `%2e` included, leaves as written; a fragment is cut.
 */
export function encodePath(path: string): string {
  return encodeTarget(toBytes(path))
}

export interface FollowOptions {
  readonly policy: RedirectPolicy
  readonly redirectsMax: number
  readonly signal: AbortSignal
  /** Gives cookies to each request and takes those of each answer. */
  readonly jar?: Jar
  /** Time for each answer, in milliseconds; the client's own where absent. */
  readonly deadlineMs?: number
}

/**
 * Sends a request and follows its redirects as far as the policy lets it. A redirect to another host
 * is never followed: its answer is the end of the chain.
 */
export async function follow(
  client: Pick<HttpClient, 'request'>,
  start: Origin,
  first: HttpRequest,
  { policy, redirectsMax, signal, jar, deadlineMs }: FollowOptions,
): Promise<Chain> {
  const exchanges: Exchange[] = []
  const seen = new Set<string>()
  let origin = start
  let request = first
  for (;;) {
    const dressed = jar?.dress(request) ?? request
    const response = await client.request(origin, dressed, { signal, ...(deadlineMs !== undefined && { deadlineMs }) })
    if (response.kind === 'failure') return { exchanges, failure: response }
    jar?.take(request.path, response)
    exchanges.push({ origin, path: request.path, request: dressed, response })
    const next = policy === 'none' ? null : nextHop(origin, request, response, policy)
    const key = next && [next.origin.port, next.origin.tls, next.request.method, next.request.path].join(' ')
    if (!next || key === null || seen.has(key) || exchanges.length > redirectsMax) return { exchanges, failure: null }
    seen.add(key)
    origin = next.origin
    request = next.request
  }
}

function nextHop(origin: Origin, request: HttpRequest, response: HttpResponse, policy: RedirectPolicy) {
  if (![301, 302, 303, 307, 308].includes(response.status)) return null
  const location = response.headers.find(([name]) => name.toLowerCase() === 'location')?.[1]
  const target = location === undefined ? null : resolveLocation(origin, request.path, location)
  if (!target) return null
  const isSameOrigin = target.origin.port === origin.port && target.origin.tls === origin.tls
  if (policy === 'same-origin' && !isSameOrigin) return null
  const keeps = response.status === 307 || response.status === 308 || ['GET', 'HEAD'].includes(request.method)
  const { body: _body, ...bare } = request
  return {
    origin: target.origin,
    request: keeps ? { ...request, path: target.path } : { ...bare, method: 'GET', path: target.path },
  }
}

/** Where a `Location` leads; null when that is another host or no HTTP at all. */
function resolveLocation(origin: Origin, path: string, location: string): { origin: Origin; path: string } | null {
  const [, scheme, host, rest = ''] = /^(?:(https?):)?\/\/([^/?#]*)([^]*)$/i.exec(location.trim()) ?? []
  if (host === undefined) {
    if (/^[a-z][a-z\d+.-]*:/i.test(location.trim())) return null
    return { origin, path: encodePath(relativePath(path, location.trim())) }
  }
  const [, name = '', port] = /^(\[[^\]]+\]|[^:@]+)(?::(\d{1,5}))?$/.exec(host) ?? []
  const bare = name.replace(/^\[|\]$/g, '').toLowerCase()
  if (bare !== origin.hostname.toLowerCase() && bare !== origin.address) return null
  const tls = scheme === undefined ? origin.tls : scheme.toLowerCase() === 'https'
  const number = port === undefined ? (tls ? 443 : 80) : Number(port)
  if (number < 1 || number > 65_535) return null
  return { origin: { ...origin, tls, port: number }, path: encodePath(rest.startsWith('/') ? rest : `/${rest}`) }
}

function relativePath(path: string, location: string): string {
  if (location.startsWith('/')) return location
  const [folder = '/'] = /^[^?#]*\//.exec(path) ?? []
  const [bare = ''] = path.split('?', 1)
  return location.startsWith('?') ? bare + location : folder + location
}

/** The answer of an exchange under the names that matchers use. */
export function answerOf(exchange: Exchange, lookup: Lookup, bodyBytesMax: number | null = null): Answer {
  const values = valuesOf(exchange, bodyBytesMax)
  return { defaultPart: 'body', get: (name) => values.get(name) ?? lookup(name) }
}

const answers = new WeakMap<HttpResponse, Map<number | null, ReadonlyMap<string, DslValue>>>()

/** Computed once per response, because a thousand templates may look at the same one. */
function valuesOf(exchange: Exchange, bodyBytesMax: number | null): ReadonlyMap<string, DslValue> {
  const perLimit = answers.get(exchange.response) ?? new Map<number | null, ReadonlyMap<string, DslValue>>()
  answers.set(exchange.response, perLimit)
  const values = perLimit.get(bodyBytesMax) ?? readValues(exchange, bodyBytesMax)
  perLimit.set(bodyBytesMax, values)
  return values
}

function readValues({ response, origin, path }: Exchange, bodyBytesMax: number | null): Map<string, DslValue> {
  const headers = new Map<string, string>()
  const values = new Map<string, DslValue>()
  for (const [name, value] of response.headers) {
    const key = name.toLowerCase().replaceAll('-', '_')
    headers.set(key, headers.has(key) ? `${headers.get(key)} ${value}` : value)
    const [, cookie, content] = key === 'set_cookie' ? (/^([^=;]+)=([^;]*)/.exec(value) ?? []) : []
    if (cookie && content !== undefined) values.set(cookie.toLowerCase(), content)
  }
  for (const [key, value] of headers) values.set(key, value)
  const body = decoded(response, headers.get('content_type') ?? '').slice(0, bodyBytesMax ?? undefined)
  const head = headOf(response)
  const length = Number(headers.get('content_length') ?? Number.NaN)
  return new Map<string, DslValue>([
    ...values,
    ['body', body],
    ['header', head],
    ['all_headers', head],
    ['response', `${head}\r\n${body}`],
    ['raw', `${head}\r\n${body}`],
    ['request', toBytes(response.request)],
    ['status_code', response.status],
    ['duration', response.durationMs / 1000],
    ['content_length', Number.isFinite(length) ? length : body.length],
    ['host', origin.hostname],
    ['matched', `${origin.tls ? 'https' : 'http'}://${origin.hostname}:${origin.port}${path}`],
  ])
}

/** Status line and headers, names with a capital after each hyphen as templates expect them. */
export function headOf(response: HttpResponse): string {
  const known = heads.get(response) ?? writeHead(response)
  heads.set(response, known)
  return known
}

/** Matchers, the sieve before them and findings ask for the same one. */
const heads = new WeakMap<HttpResponse, string>()

function writeHead(response: HttpResponse): string {
  const lines = response.headers.map(([name, value]) => `${capitalised(name)}: ${value}\r\n`)
  return `HTTP/1.1 ${response.status} ${response.statusText}\r\n${lines.join('')}`
}

/** Servers have few names for their headers; a hostile one may have many. */
const spellingsMax = 500
const spellings = new Map<string, string>()

function capitalised(name: string): string {
  const known = spellings.get(name)
  if (known !== undefined) return known
  const spelled = name.toLowerCase().replace(/(?:^|-)[a-z]/g, (letter) => letter.toUpperCase())
  if (spellings.size < spellingsMax && name.length < 64) spellings.set(name, spelled)
  return spelled
}

/** The body as a byte string of UTF-8 where it is one of the Chinese encodings; all others as they came. */
function decoded(response: HttpResponse, contentType: string): string {
  if (!/charset=["']?(gb2312|gbk|gb18030)/i.test(contentType)) return response.body.toString('latin1')
  return toBytes(new TextDecoder('gb18030').decode(response.body))
}
