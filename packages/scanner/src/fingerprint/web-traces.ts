/** What fingerprints compare in a response: headers, title, meta tags, and text. */
import type { FingerprintText } from '#fingerprint/fingerprint-text.ts'
import { describedName, ownName, type OwnDescription } from '#fingerprint/own-name.ts'
import { statedName } from '#fingerprint/stated-name.ts'
import { oneLine } from '#fingerprint/text.ts'
import type { HttpResponse } from '#net/http-message.ts'

const bodyLengthMax = 65_536
const footerLength = 8192
const headersMax = 60

export function headerTraces(response: HttpResponse): FingerprintText[] {
  return response.headers.slice(0, headersMax).flatMap(([key, value]) => {
    const name = key.toLowerCase()
    if (name === 'set-cookie') return [{ field: 'http_header.cookie', text: value }]
    if (name === 'www-authenticate') return [{ field: 'http_header.wwwauth', text: value }]
    const whole = { field: `http_header.${name}`, text: value }
    const [, product] = /^x-([a-z][a-z0-9-]{2,30}?)-(?:server-|build-project-)?version$/.exec(name) ?? []
    if (product) return [whole, { field: 'http_header.x-version', text: `${product} ${value}` }]
    if (name !== 'server' && name !== 'x-powered-by') return [whole]
    return [whole, ...tokens(value).map((text) => ({ field: `http_header.${name}.token`, text }))]
  })
}

/** `Apache TomEE` is one name. */
const ofApacheProject = /^Apache (?=[A-Z][A-Za-z]{2,30}(?:[ /]|$))/

/** `Apache/2.4.6 (CentOS) OpenSSL/1.0.2k-fips PHP/5.4.16` lists three products. */
function tokens(value: string): string[] {
  return value
    .replace(ofApacheProject, '')
    .replaceAll(/\([^)]{0,300}\)/g, ' ')
    .split(/[\s,]+/)
    .filter((token) => token !== '')
    .slice(0, 20)
}

export function bodyTraces(response: HttpResponse): FingerprintText[] {
  const text = pageText(response)
  const metaTags = [...text.matchAll(/<meta\b[^>]{0,300}>/gi)]
  const generators = metaTags.flatMap(([tag]) => contentOf(generatorName, tag))
  const applications = metaTags.flatMap(([tag]) => contentOf(applicationName, tag))
  return [
    { field: 'html_title', text: oneLine(titleOf(text), 500) },
    ...generators.slice(0, 5).map((generator) => ({ field: 'html.generator', text: generator })),
    ...applications.slice(0, 1).map((application) => ({ field: 'html.application_name', text: application })),
    ...metaTags.flatMap(([tag]) => encodedJson(tag)).slice(0, 5),
    ...ownNameTraces(text),
    ...plainNameTraces(text),
    ...jsonTraces(text),
    { field: 'http.body', text },
  ].filter((trace) => trace.text !== '')
}

export function ownNameTraces(html: string, others: Omit<OwnDescription, 'html'> = {}): FingerprintText[] {
  const name = ownName(oneLine(titleOf(html), 500), { html, ...others })
  return name === undefined ? [] : [{ field: 'html.own_name', text: name }]
}

const plainPageMax = 300

/** A start page without markup that only states the program and its version. */
function plainNameTraces(text: string): FingerprintText[] {
  const name = /^\s*[<{[]/.test(text) || text.length > plainPageMax ? undefined : statedName(text)
  return name === undefined ? [] : [{ field: 'html.own_name', text: name }]
}

/** The error page of a missing path also describes the server. */
export function errorTraces(page: HttpResponse): FingerprintText[] {
  return [...headerTraces(page), { field: 'http.body', text: bodyText(page) }].filter(({ text }) => text !== '')
}

export function jsonTraces(text: string): FingerprintText[] {
  if (!/^\s*\{\s*"/.test(text)) return []
  const name = describedName(text)
  return [{ field: 'web.json', text }, ...(name === undefined ? [] : [{ field: 'html.own_name', text: name }])]
}

const generatorName = /\bname\s*=\s*["']?generator["'\s>/]/i
const applicationName = /\bname\s*=\s*["']?application-name["'\s>/]/i

/** The content of a meta tag, if it has this name. */
function contentOf(name: RegExp, tag: string): string[] {
  if (!name.test(tag)) return []
  const [, quoted, bare] = /\bcontent\s{0,100}=\s{0,100}(?:["']([^"']{1,200})["']|([^\s>]{1,200}))/i.exec(tag) ?? []
  return [quoted ?? bare ?? '']
}

/** JSON that a page passes to its scripts in a meta tag, encoded with Base64. */
function encodedJson(tag: string): FingerprintText[] {
  const [, content] = /\bcontent\s{0,9}=\s{0,9}["'](eyJ[A-Za-z0-9+/]{8,280}={0,2})["']/.exec(tag) ?? []
  return content === undefined ? [] : [{ field: 'html.meta_json', text: Buffer.from(content, 'base64').toString() }]
}

export function bodyText(response: HttpResponse): string {
  const charset = /charset=["']?([\w-]{1,30})/i.exec(headerOf(response, 'content-type'))?.[1] ?? 'utf-8'
  const bytes = response.body.subarray(0, bodyLengthMax)
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return bytes.toString('latin1')
  }
}

/** The text of a page whose footer may state the version: a long one without its middle. */
export function pageText(response: HttpResponse): string {
  const { body } = response
  const start = /^\s{0,99}(?:<!--[^>]{0,300}>\s{0,99})?<(?:!doctype|html)/i
  if (body.length <= bodyLengthMax || !start.test(body.toString('latin1', 0, 500))) return bodyText(response)
  const parts = [body.subarray(0, bodyLengthMax - footerLength), body.subarray(-footerLength)]
  return bodyText({ ...response, body: Buffer.concat(parts) })
}

export function titleOf(text: string): string {
  const [, title = ''] = /<title\b[^>]{0,200}>([^<]{0,1000})/i.exec(text) ?? []
  return title.replaceAll(
    /&(amp|lt|gt|quot|#0?39|nbsp|[nm]dash|middot|bull|[lr]aquo);/gi,
    (_, name: string) => entities[name.toLowerCase()] ?? ' ',
  )
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  '#039': "'",
  ndash: '–',
  mdash: '—',
  middot: '·',
  bull: '•',
  laquo: '«',
  raquo: '»',
}

export function headerOf(response: HttpResponse, name: string): string {
  return response.headers.find(([key]) => key.toLowerCase() === name)?.[1] ?? ''
}
