/** Parameters that the server evaluates: as a template, or as a URL that it requests. */
import { bracketed } from '#ip.ts'
import { randomBytes, randomInt } from 'node:crypto'
import { checkInfo, type NativeContext, type Proof } from '#native/native-check.ts'
import type { CheckInfo } from '#native/types.ts'
import { pathHere, webProof, type WebResponse } from '#native/web/request.ts'
import type { WebSite } from '#native/web/site.ts'

export const templateInjection = checkInfo({
  id: 'template-injection',
  name: 'Server-side template injection',
  severity: 'critical',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
  score: 9.8,
  summary:
    'The server evaluates a parameter of a link, a form, or an API operation as part of a template: it returned the product of two random numbers, or decoded a random string.',
  impact: "An attacker can read the application's data and, with most template engines, run code on the server.",
  remediation: 'Pass values to the template as variables. Never insert them into its source.',
  reference: 'https://cwe.mitre.org/data/definitions/1336.html',
  tags: 'ssti injection rce',
  verifiedOn: 'fastapi-parameters post-operations template-engines template-parameter text4shell',
})
export const requestForgery = checkInfo({
  id: 'server-side-request-forgery',
  name: 'Server-side request forgery (SSRF)',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:L/I:L/A:N',
  score: 7.2,
  summary:
    'The server requests any URL given in a parameter of a link, a form, or an API operation, or in the path after one of its folders. The check passed URLs that point to the server itself or to the callback server: the server reported that a closed port refused the connection, returned its own home page, or requested the callback.',
  impact:
    'An attacker can reach internal services through the server, including the metadata services of cloud providers, which often return credentials.',
  remediation:
    'Accept only URLs of known hosts, and reject private, loopback, and link-local addresses after resolving the hostname.',
  reference: 'https://cwe.mitre.org/data/definitions/918.html',
  tags: 'ssrf injection',
  verifiedOn: 'fastapi-parameters nginx-path-in-redirect post-operations template-engines unblocker',
})

/** Sends the request of a parameter with another value. */
export type SendValue = (value: string) => Promise<WebResponse | undefined>

/** An expression of a language that evaluates to the product of two numbers. */
export type ProductExpression = (left: number, right: number) => string

/** Expressions of the usual template engines. The second one ends the template of some of them with an error. */
const templates: readonly ProductExpression[] = [
  (left, right) => `\${${left}*${right}}#{${left}*${right}}{{${left}*${right}}}`,
  (left, right) => `<%=${left}*${right}%>`,
]

export function proveTemplateInjection(send: SendValue): Promise<Proof | null> {
  return proveProduct(send, templates)
}

/** The first product is confirmed by a second one, so a number that the page shows anyway isn't mistaken for it. */
export async function proveProduct(send: SendValue, expressions: readonly ProductExpression[]): Promise<Proof | null> {
  for (const expression of expressions) {
    const first = await productOf(send, expression)
    if (first && (await productOf(send, expression))) return first
  }
  return null
}

async function productOf(send: SendValue, expression: ProductExpression): Promise<Proof | null> {
  const [left, right] = [randomInt(10_000, 40_000), randomInt(10_000, 40_000)]
  const response = await send(expression(left, right))
  // Some engines group digits.
  const product = String(left * right)
    .split('')
    .join("[,.' ]?")
  const [found] = new RegExp(String.raw`\b${product}\b`).exec(response?.body ?? '') ?? []
  return response && found !== undefined ? webProof(response, [found]) : null
}

export const textInterpolation: CheckInfo = {
  ...checkInfo({
    id: 'CVE-2022-42889',
    name: 'Apache Commons Text: remote code execution via interpolation (Text4Shell)',
    severity: 'critical',
    cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
    score: 9.8,
    summary:
      'The application passes a parameter to Apache Commons Text 1.5 to 1.9, which evaluates the lookups `script`, `dns`, and `url` by default. The check looked up a loopback address, which needs no DNS server.',
    impact: 'An unauthenticated attacker can run code on the server with `${script:javascript:…}`.',
    remediation: 'Update commons-text to 1.10.0 or later, and do not interpolate values from requests.',
    reference: 'https://commons.apache.org/proper/commons-text/security.html',
    tags: 'cve cve2022 commons-text java rce injection',
    verifiedOn: 'text4shell',
  }),
  cves: ['CVE-2022-42889'],
}

/** Evaluates lookups of Apache Commons Text. Releases from 1.10 only decode the text by default. */
export async function proveTextInterpolation(
  send: SendValue,
): Promise<Readonly<Record<'decoded' | 'resolved', Proof | null>>> {
  const text = randomBytes(9).toString('hex')
  const address = `127.${randomInt(2, 250)}.${randomInt(2, 250)}.${randomInt(2, 250)}`
  const encoded = Buffer.from(text).toString('base64')
  const response = await send(`\${base64Decoder:${encoded}}-\${dns:address|${address}}`)
  if (!response?.body.includes(text)) return { decoded: null, resolved: null }
  const resolved = `${text}-${address}`
  const isResolved = response.body.includes(resolved)
  return { decoded: webProof(response, [text]), resolved: isResolved ? webProof(response, [resolved]) : null }
}

const refused =
  /connection ?refused|ECONNREFUSED|(?:could|can) ?no?t connect|failed to connect|all connection attempts failed|failed to establish a new connection|\bfetch failed\b|\bconnect(?:ion)? ?error\b/i
/** One that browsers and `fetch` of Node.js don't block. */
const closedPort = 3
const excerptLength = 120

/** Names a closed port of the target, and the start page of the target itself. */
export async function proveRequestForgery(
  context: NativeContext,
  front: { readonly path: string; readonly body: string },
  send: SendValue,
): Promise<Proof | null> {
  const scheme = context.service.tls ? 'https' : 'http'
  const host = bracketed(context.address)
  const closed = await send(`${scheme}://${host}:${closedPort}/`)
  if (!closed) return null
  const open = await send(`${scheme}://${host}:${context.port}${front.path}`)
  if (!open) return null
  const [error] = refused.exec(closed.body) ?? []
  if (error !== undefined) return refused.test(open.body) ? null : webProof(closed, [error])
  const excerpt = excerptOf(front.body)
  const found = spellingsOf(excerpt).find((text) => open.body.includes(text) && !closed.body.includes(text))
  return found !== undefined && open.status === 200 ? webProof(open, [found]) : null
}

/** As it is, in JSON, and in HTML. */
function spellingsOf(excerpt: string | undefined): readonly string[] {
  if (excerpt === undefined) return []
  const escaped = excerpt.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const quoted = [escaped, escaped.replaceAll('"', '&#34;'), escaped.replaceAll('"', '&quot;')]
  return [excerpt, JSON.stringify(excerpt).slice(1, -1), ...quoted]
}

/** From the middle of the start page, which its other pages don't share. */
function excerptOf(body: string): string | undefined {
  const at = Math.floor((body.length - excerptLength) / 2)
  return at < 0 ? undefined : body.slice(at, at + excerptLength)
}

const prefix =
  /["'`]((?:\.?\/)?(?:[\w-]{1,30}\/){0,3}(?:browse|cors|fetch|proxy)\/)(?:["'`]|https?:\/\/|[\w.-]{1,100}:\d)/gi
const prefixesMax = 3

/**
 * Folders after which a proxy expects a URL: those that the page or its scripts name, and the usual one.
 *
 * @param hasUrl whether the page asks for a URL
 */
export function urlFoldersOf({ base, front, scripts }: WebSite, { hasUrl }: { hasUrl: boolean }): readonly string[] {
  const named = [front.body, ...scripts].flatMap((text) => [...text.matchAll(prefix).take(20)])
  const folders = named.flatMap(([, path = '']) => pathHere(path, front.path) ?? [])
  return [...new Set([...folders, ...(hasUrl ? [`${base}proxy/`] : [])])].slice(0, prefixesMax)
}
