/** Raw requests of templates. Placeholders are filled in before parsing, as in nuclei. */
import type { HttpRequest } from '#net/http-message.ts'
import type { Lookup } from '#template/dsl-value.ts'
import { encodeTarget, withoutTrailingSlashes } from '#template/request-target.ts'
import { fillBytes, fillBytesKnown } from '#template/variables.ts'

/** Headers that change message framing; requests with them bypass the normal HTTP client. */
const FRAMING = /^(?:transfer-encoding|upgrade|expect|keep-alive|proxy-connection|te)$/i

export interface RawText {
  /** With placeholders, without annotations. */
  readonly text: string
  /** The target's path is prepended to a relative one. */
  readonly isMerged: boolean
  /** Placeholders without a value are sent unchanged. */
  readonly isLenient: boolean
  /** A normal client would change the request, so it is sent byte for byte. */
  readonly needsRawBytes: boolean
  readonly annotations: Annotations
}
export interface Annotations {
  /** Response timeout, in milliseconds; null for the default. */
  readonly deadlineMs: number | null
  /** The `Host` header is also used for SNI. */
  readonly sendsHostAsSni: boolean
  /** Sent with the first payload set only. */
  readonly isOnce: boolean
  /** SNI contains the callback address. */
  readonly sni: 'callback' | null
}

/** Maximum response timeout that a check may request. */
const DEADLINE_MS_MAX = 30_000

/**
 * Removes annotation lines and checks the rest.
 *
 * @returns the text, or the unsupported feature
 */
export function readRawText(
  written: string,
  isUnsafe = false,
): Pick<RawText, 'text' | 'annotations' | 'needsRawBytes'> | string {
  const lines = written.replaceAll('\r\n', '\n').split('\n')
  const start = lines.findIndex((line) => line.trim() !== '' && !line.startsWith('@'))
  if (start < 0) return 'an empty request'
  const annotations = readAnnotations(lines.slice(0, start).filter((line) => line.startsWith('@')))
  if (typeof annotations === 'string') return annotations
  const text = lines.slice(start).join('\n')
  const [head = ''] = text.split('\n\n', 1)
  const [first = '', ...headers] = head.split('\n')
  if (isUnsafe) return { text, annotations, needsRawBytes: true }
  if (!/^(?:[A-Z]+|\{\{[\w-]+\}\})\s/.test(first) || !/HTTP\/\d/.test(first)) return 'a nonstandard request line'
  const framing = headers.map((line) => line.split(':', 1)[0]?.trim() ?? '').find((name) => FRAMING.test(name))
  return { text, annotations, needsRawBytes: framing !== undefined }
}

/** @returns the requested options, or the unsupported feature */
function readAnnotations(lines: readonly string[]): Annotations | string {
  let deadlineMs: number | null = null
  let sendsHostAsSni = false
  let isOnce = false
  let sni: Annotations['sni'] = null
  for (const line of lines.map((line) => line.trim())) {
    const seconds = /^@timeout:?\s*(\d+)s?$/i.exec(line)?.[1]
    if (seconds !== undefined) deadlineMs = Math.min(Number(seconds) * 1000, DEADLINE_MS_MAX)
    else if (/^@tls-sni:\s*request\.host$/i.test(line)) sendsHostAsSni = true
    else if (/^@tls-sni:\s*(?:\{\{)?(?:Hostname|interactsh-url)(?:\}\})?$/i.test(line))
      sni = /interactsh/i.test(line) ? 'callback' : null
    else if (/^@once$/i.test(line)) isOnce = true
    else if (/^@host:/i.test(line)) {
      if (!/^@host:\s*\{\{Hostname\}\}$/i.test(line)) return 'a hard-coded host'
    } else return /^@[a-z-]*/i.exec(line)?.[0] ?? 'annotation'
  }
  return { deadlineMs, sendsHostAsSni, isOnce, sni }
}

/**
 * Parses a raw request for a target.
 *
 * @returns null when a placeholder has no value, or the result is not a request to this target
 */
export function rawRequestOf(raw: RawText, basePath: string, lookup: Lookup): HttpRequest | null {
  const filled = raw.isLenient ? fillBytesKnown(raw.text, lookup) : fillBytes(raw.text, lookup)
  if (filled === null) return null
  const { first, headers, body } = splitRequest(filled)
  const [method = '', ...rest] = first.split(/\s+/).filter((part) => part !== '')
  const target = targetOf(rest, raw.isMerged ? basePath : '/', lookup)
  if (raw.needsRawBytes)
    return { method, path: target ?? '/', headers, ...(body !== '' && { body: Buffer.from(body, 'latin1') }) }
  if (target === null || !/^[A-Z]+$/.test(method)) return null
  return { method, path: target, headers, ...(body !== '' && { body: Buffer.from(body, 'latin1') }) }
}

/** The exact bytes to send; null when a placeholder has no value. */
export function rawBytesOf(raw: RawText, lookup: Lookup): Buffer | null {
  const filled = raw.isLenient ? fillBytesKnown(raw.text, lookup) : fillBytes(raw.text, lookup)
  if (filled === null) return null
  const text = filled.includes('\r\n') ? filled : filled.replaceAll('\n', '\r\n')
  // Adds a missing blank line; otherwise the server would wait for more headers.
  return Buffer.from(text.includes('\r\n\r\n') ? text : `${text.replace(/(?:\r\n)?$/, '')}\r\n\r\n`, 'latin1')
}

/**
 * Everything after the head is the body. Its last line break ends the template text and is removed,
 * except from multipart bodies.
 */
function splitRequest(text: string): { first: string; headers: Record<string, string>; body: string } {
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  const blank = lines.findIndex((line, at) => at > 0 && line.trim() === '')
  const end = blank < 0 ? lines.length : blank
  const headers: Record<string, string> = {}
  for (const line of lines.slice(1, end)) {
    const colon = line.indexOf(':')
    const name = (colon < 0 ? line : line.slice(0, colon)).trim()
    if (name !== '') headers[name] = utf8(colon < 0 ? '' : line.slice(colon + 1).trim())
  }
  const body = lines.slice(end + 1).join('\r\n')
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? ''
  return { first: lines[0] ?? '', headers, body: type.includes('multipart/') ? body : body.replace(/\r\n$/, '') }
}

/**
 * The request target ends at the first space; an absolute URL is only accepted for this host and
 * port.
 */
function targetOf(parts: readonly string[], basePath: string, lookup: Lookup): string | null {
  const base = withoutTrailingSlashes(basePath)
  const written = parts.length > 1 ? (parts[0] ?? '') : ''
  if (written === '' || written === '/') return basePath
  if (!/^https?:\/\//.test(written))
    return encodeTarget(written.startsWith('/') ? base + written : `${base}/${written}`)
  const root = String(lookup('RootURL') ?? '')
  if (root === '' || !written.startsWith(root)) return null
  const rest = written.slice(root.length)
  if (rest !== '' && !/^[/?#]/.test(rest)) return null
  // The target's URL is already included, so its path must not be prepended again.
  return encodeTarget(rest.startsWith('/') ? rest : `/${rest}`)
}

function utf8(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
