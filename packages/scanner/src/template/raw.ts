/**
 * Requests that a template writes out in full. Placeholders are filled first and the text is read
 * after that, the way the format means it.
 */
import type { HttpRequest } from '#net/http.ts'
import type { Lookup } from '#template/dsl-value.ts'
import { encodeTarget } from '#template/request-target.ts'
import { fillBytes, fillBytesKnown } from '#template/variables.ts'

/** Headers that would change how the message is framed; what needs them is not sent by an ordinary client. */
const FRAMING = /^(?:transfer-encoding|upgrade|expect|keep-alive|proxy-connection|te)$/i

export interface RawText {
  /** With placeholders; annotations are taken out. */
  readonly text: string
  /** The path of the target goes before a relative one. */
  readonly isMerged: boolean
  /** Sends what has no value as it is written. */
  readonly isLenient: boolean
  /** An ordinary client would change it: it goes out as it is written. */
  readonly bendsRules: boolean
  readonly annotations: Annotations
}
export interface Annotations {
  /** How long the answer may take, in milliseconds; null: as long as any other. */
  readonly deadlineMs: number | null
  /** The name in the request's `Host` is also the one that TLS asks for. */
  readonly sendsHostAsSni: boolean
  /** Sent with the first set of values from lists only. */
  readonly isOnce: boolean
  /** The name that TLS asks for is the one that the target is to call back. */
  readonly sni: 'callback' | null
}

/** A slow answer may be what a check waits for, but not for ever. */
const DEADLINE_MS_MAX = 30_000

/**
 * Takes the annotation lines off and says what stands against sending the rest.
 *
 * @returns the text, or the feature that is missing here
 */
export function readRawText(
  written: string,
  isUnsafe = false,
): Pick<RawText, 'text' | 'annotations' | 'bendsRules'> | string {
  const lines = written.replaceAll('\r\n', '\n').split('\n')
  const start = lines.findIndex((line) => line.trim() !== '' && !line.startsWith('@'))
  if (start < 0) return 'an empty request'
  const annotations = readAnnotations(lines.slice(0, start).filter((line) => line.startsWith('@')))
  if (typeof annotations === 'string') return annotations
  const text = lines.slice(start).join('\n')
  const [head = ''] = text.split('\n\n', 1)
  const [first = '', ...headers] = head.split('\n')
  if (isUnsafe) return { text, annotations, bendsRules: true }
  if (!/^(?:[A-Z]+|\{\{[\w-]+\}\})\s/.test(first) || !/HTTP\/\d/.test(first)) return 'a request line of its own kind'
  const framing = headers.map((line) => line.split(':', 1)[0]?.trim() ?? '').find((name) => FRAMING.test(name))
  return { text, annotations, bendsRules: framing !== undefined }
}

/** @returns what the lines ask for, or the feature that is missing here */
function readAnnotations(lines: readonly string[]): Annotations | string {
  let deadlineMs: number | null = null
  let sendsHostAsSni = false
  let isOnce = false
  let sni: Annotations['sni'] = null
  for (const line of lines.map((one) => one.trim())) {
    const seconds = /^@timeout:?\s*(\d+)s?$/i.exec(line)?.[1]
    if (seconds !== undefined) deadlineMs = Math.min(Number(seconds) * 1000, DEADLINE_MS_MAX)
    else if (/^@tls-sni:\s*request\.host$/i.test(line)) sendsHostAsSni = true
    else if (/^@tls-sni:\s*(?:\{\{)?(?:Hostname|interactsh-url)(?:\}\})?$/i.test(line))
      sni = /interactsh/i.test(line) ? 'callback' : null
    else if (/^@once$/i.test(line)) isOnce = true
    else if (/^@host:/i.test(line)) {
      if (!/^@host:\s*\{\{Hostname\}\}$/i.test(line)) return 'address of its own'
    } else return /^@[a-z-]*/i.exec(line)?.[0] ?? 'annotation'
  }
  return { deadlineMs, sendsHostAsSni, isOnce, sni }
}

/**
 * The request that a text stands for on a target.
 *
 * @returns null when a placeholder has no value, or what results is no request to this target
 */
export function rawRequestOf(raw: RawText, basePath: string, lookup: Lookup): HttpRequest | null {
  const filled = raw.isLenient ? fillBytesKnown(raw.text, lookup) : fillBytes(raw.text, lookup)
  if (filled === null) return null
  const { first, headers, body } = split(filled)
  const [method = '', ...rest] = first.split(/\s+/).filter((part) => part !== '')
  const target = targetOf(rest, raw.isMerged ? basePath : '/', lookup)
  if (raw.bendsRules)
    return { method, path: target ?? '/', headers, ...(body !== '' && { body: Buffer.from(body, 'latin1') }) }
  if (target === null || !/^[A-Z]+$/.test(method)) return null
  return { method, path: target, headers, ...(body !== '' && { body: Buffer.from(body, 'latin1') }) }
}

/** The text as it leaves byte for byte; null when a placeholder has no value. */
export function rawBytesOf(raw: RawText, lookup: Lookup): Buffer | null {
  const filled = raw.isLenient ? fillBytesKnown(raw.text, lookup) : fillBytes(raw.text, lookup)
  if (filled === null) return null
  const text = filled.includes('\r\n') ? filled : filled.replaceAll('\n', '\r\n')
  // A text that forgot the blank line would leave the server waiting for the rest of its head.
  return Buffer.from(text.includes('\r\n\r\n') ? text : `${text.replace(/(?:\r\n)?$/, '')}\r\n\r\n`, 'latin1')
}

/** What follows the head is the body; its last line break belongs to the text unless it is in parts. */
function split(text: string): { first: string; headers: Record<string, string>; body: string } {
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

/** The target ends at the first blank; an absolute one counts only when it names this very place. */
function targetOf(parts: readonly string[], basePath: string, lookup: Lookup): string | null {
  const base = basePath.replace(/\/+$/, '')
  const written = parts.length > 1 ? (parts[0] ?? '') : ''
  if (written === '' || written === '/') return basePath
  if (!/^https?:\/\//.test(written))
    return encodeTarget(written.startsWith('/') ? base + written : `${base}/${written}`)
  const root = String(lookup('RootURL') ?? '')
  if (root === '' || !written.startsWith(root)) return null
  const rest = written.slice(root.length)
  if (rest !== '' && !/^[/?#]/.test(rest)) return null
  // The address of the target is in it already, so that its path is not put before it again.
  return encodeTarget(rest.startsWith('/') ? rest : `/${rest}`)
}

function utf8(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
