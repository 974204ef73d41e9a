/**
 * Cookie jar for one run of a check, or one page and its redirects: cookies set by a response are sent
 * with later requests (RFC 6265).
 */
import type { HttpRequest, HttpResponse, Origin } from '#net/http-message.ts'

const COOKIES_MAX = 50
const COOKIE_LENGTH_MAX = 4096

interface Cookie {
  readonly value: string
  readonly path: string
}

export interface Jar {
  /** The request with the cookies that match its path, after its own cookies. */
  addCookies(request: HttpRequest): HttpRequest
  /** Stores cookies from a response, and removes the expired ones. */
  storeCookies(path: string, response: Pick<HttpResponse, 'headers'>): void
  readonly isEmpty: () => boolean
}

/** A jar belongs to one check on one host; it ignores ports and the `Secure` attribute. */
export function createJar(): Jar {
  const cookies = new Map<string, Cookie>()
  return {
    isEmpty: () => cookies.size === 0,
    addCookies(request) {
      const matching = [...cookies].filter(([, { path }]) => isBelow(request.path, path))
      if (matching.length === 0) return request
      const own = Object.entries(request.headers ?? {})
      const existing = own.find(([name]) => name.toLowerCase() === 'cookie')
      const pairs = matching.map(([name, { value }]) => `${name}=${value}`)
      const rest = own.filter((header) => header !== existing)
      const cookie = [withoutSemicolon(existing?.[1] ?? ''), ...pairs].filter((pair) => pair !== '').join('; ')
      return { ...request, headers: Object.fromEntries([...rest, ['Cookie', cookie]]) }
    },
    storeCookies(path, response) {
      for (const [header, line] of response.headers) {
        if (header.toLowerCase() === 'set-cookie' && line.length <= COOKIE_LENGTH_MAX) storeCookie(cookies, path, line)
      }
    },
  }
}

/** Whether a response only sets a cookie and redirects to the requested URL, so that clients without cookies get no page. */
export function isCookieGate(
  { tls }: Pick<Origin, 'tls'>,
  { method, path }: HttpRequest,
  { status, headers }: Pick<HttpResponse, 'status' | 'headers'>,
): boolean {
  if (method !== 'GET' || status < 301 || status > 308) return false
  const header = (wanted: string) => headers.find(([name]) => name.toLowerCase() === wanted)?.[1]
  const target = header('location')?.replace(tls ? /^https:\/\/[^/]+/i : /^http:\/\/[^/]+/i, '')
  return target === path && header('set-cookie') !== undefined
}

function storeCookie(cookies: Map<string, Cookie>, path: string, line: string): void {
  const [[name, value] = ['', ''], ...attributes] = line.split(';').map(pairOf)
  if (name === '' || /\s/.test(name)) return
  const attribute = (wanted: string) => attributes.find(([key]) => key.toLowerCase() === wanted)?.[1]
  const age = /^-?\d+/.exec(attribute('max-age') ?? '')?.[0]
  const expires = attribute('expires')
  const isExpired = age === undefined ? expires !== undefined && Date.parse(expires) < Date.now() : Number(age) <= 0
  if (isExpired) cookies.delete(name)
  else if (cookies.size < COOKIES_MAX || cookies.has(name)) {
    const scope = attribute('path')
    cookies.set(name, { value, path: scope?.startsWith('/') ? scope : folderOf(path) })
  }
}

/** Name and value of `name=value`; the name is empty without an equals sign. */
function pairOf(text: string): readonly [string, string] {
  const at = text.indexOf('=')
  return at < 0 ? ['', ''] : [text.slice(0, at).trim(), text.slice(at + 1).trim()]
}

function withoutSemicolon(text: string): string {
  const trimmed = text.trimEnd()
  return trimmed.endsWith(';') ? trimmed.slice(0, -1) : text
}

function folderOf(path: string): string {
  const [bare = '/'] = path.split('?', 1)
  return bare.slice(0, bare.lastIndexOf('/')) || '/'
}

function isBelow(path: string, scope: string): boolean {
  if (scope === '/' || path === scope) return true
  return path.startsWith(scope) && (scope.endsWith('/') || /[/?]/.test(path.charAt(scope.length)))
}
