/** Responses as seen by matchers: parts under the names that templates use. */
import type { HttpResponse } from '#net/http-message.ts'
import { toBytes, type DslValue, type Lookup } from '#template/dsl-value.ts'
import type { Exchange } from '#template/redirects.ts'
import type { ResponseParts } from '#template/template.ts'

/** The parts of an HTTP exchange under the names that matchers use. */
export function responseParts(exchange: Exchange, lookup: Lookup, bodyBytesMax: number | null = null): ResponseParts {
  const values = valuesOf(exchange, bodyBytesMax)
  return { defaultPart: 'body', get: (name) => values.get(name) ?? lookup(name) }
}

const partsByResponse = new WeakMap<HttpResponse, Map<number | null, ReadonlyMap<string, DslValue>>>()

/** Computed once per response, because a thousand templates may inspect the same one. */
function valuesOf(exchange: Exchange, bodyBytesMax: number | null): ReadonlyMap<string, DslValue> {
  const perLimit = partsByResponse.get(exchange.response) ?? new Map<number | null, ReadonlyMap<string, DslValue>>()
  partsByResponse.set(exchange.response, perLimit)
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

/** Status line and headers, with header names capitalized as templates expect. */
export function headOf(response: HttpResponse): string {
  const cached = heads.get(response) ?? writeHead(response)
  heads.set(response, cached)
  return cached
}

/** Cached: matchers, the prefilter, and findings use the same value. */
const heads = new WeakMap<HttpResponse, string>()

function writeHead(response: HttpResponse): string {
  const lines = response.headers.map(([name, value]) => `${capitalize(name)}: ${value}\r\n`)
  return `HTTP/1.1 ${response.status} ${response.statusText}\r\n${lines.join('')}`
}

/** Normal servers use few distinct header names; a hostile server may send many. */
const spellingsMax = 500
const capitalizedNames = new Map<string, string>()

function capitalize(name: string): string {
  const cached = capitalizedNames.get(name)
  if (cached !== undefined) return cached
  const capitalized = name.toLowerCase().replace(/(?:^|-)[a-z]/g, (letter) => letter.toUpperCase())
  if (capitalizedNames.size < spellingsMax && name.length < 64) capitalizedNames.set(name, capitalized)
  return capitalized
}

/** The body as a UTF-8 byte string if it uses a Chinese encoding, otherwise unchanged. */
function decoded(response: HttpResponse, contentType: string): string {
  if (!/charset=["']?(gb2312|gbk|gb18030)/i.test(contentType)) return response.body.toString('latin1')
  return toBytes(new TextDecoder('gb18030').decode(response.body))
}
