/** Finds the virtual hosts of a web server by the names in its certificate and on its front page. */
import { randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import type { FingerprintText } from '#fingerprint/fingerprint-text.ts'
import { bodyText, headerOf, titleOf } from '#fingerprint/web-traces.ts'
import type { HttpClient } from '#net/http.ts'
import type { HttpResponse, Origin } from '#net/http-message.ts'
import type { Certificate } from '#net/tls.ts'

const virtualHostsMax = 3
const comparedLength = 4000

/** What a server reveals about its names. */
export interface RevealedNames {
  readonly certificate?: Certificate | undefined
  readonly traces: readonly FingerprintText[]
}

/**
 * Requests the front page under each revealed name, at the same address and port.
 *
 * @returns the names whose front page differs from those of the address and of a random name
 * @throws only when `signal` aborts, with its reason
 */
export async function findVirtualHosts(
  origin: Origin,
  revealed: RevealedNames,
  { http, signal }: { readonly http: Pick<HttpClient, 'request'>; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const names = namesIn(revealed).filter((name) => name !== origin.hostname.toLowerCase())
  const [first] = names
  if (first === undefined) return []
  const send = (hostname: string) => http.request({ ...origin, hostname }, { method: 'GET', path: '/' }, { signal })
  const read = async (hostname: string) => {
    let response = await send(hostname)
    // One failed request would make a later scan report the site as gone.
    if (response.kind === 'failure') response = await send(hostname)
    return response.kind === 'response' ? { response, content: contentOf(response, [hostname, ...names]) } : undefined
  }
  const usual = await read(origin.hostname)
  if (!usual) return []
  const control = await read(`${randomBytes(8).toString('hex')}.${first}`)
  // A page that varies by itself proves nothing. Some servers refuse connections for names that they don't know.
  if (control && control.content !== usual.content) return []
  const found: string[] = []
  for (const name of names.slice(0, virtualHostsMax)) {
    const page = await read(name)
    if (!page) continue
    const { status } = page.response
    if (page.content !== usual.content && (status < 400 || status === 401 || status === 403)) found.push(name)
  }
  return found
}

/** The most reliable first. */
function namesIn({ certificate, traces }: RevealedNames): readonly string[] {
  const headers = (name: string) => traces.flatMap(({ field, text }) => (field === `http_header.${name}` ? text : []))
  const pages = traces.flatMap(({ field, text }) => (field === 'http.body' ? text : []))
  const canonical = pages.flatMap(
    (text) => /<link\b[^>]{0,200}\brel=["']?canonical\b[^>]{0,300}/i.exec(text.slice(0, 20_000))?.[0] ?? [],
  )
  const urls = [
    ...headers('location'),
    ...canonical,
    ...headers('access-control-allow-origin'),
    ...headers('content-security-policy'),
  ]
  const common = /(?:^|, )CN=([^,]{1,253})/.exec(certificate?.subject ?? '')?.[1] ?? ''
  const linked = urls.flatMap((text) => [...text.matchAll(/https?:\/\/([\w.-]{1,253})/gi)].map(([, name = '']) => name))
  const names = [common, ...(certificate?.names ?? []), ...linked].map((name) => name.toLowerCase())
  return [...new Set(names)].filter((name) => isIP(name) === 0 && hostname.test(name))
}

const hostname = /^(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.){1,8}[a-z][a-z\d-]{0,61}[a-z\d]$/

/** What distinguishes a front page, regardless of the server's names and of numbers such as the time. */
function contentOf(response: HttpResponse, names: readonly string[]): string {
  const text = bodyText(response)
  const title = titleOf(text)
  const shown = title === '' ? text.slice(0, comparedLength) : title
  const content = [response.status, headerOf(response, 'location'), shown].join('\n')
  return names.reduce((rest, name) => rest.replaceAll(name, ''), content).replaceAll(/\d/g, '')
}
