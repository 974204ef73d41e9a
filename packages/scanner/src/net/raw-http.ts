/** Raw HTTP sent byte for byte on its own connection, with lenient response parsing. */
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import type { Guard } from '#guard.ts'
import type { HttpFailure, HttpResponse, Origin } from '#net/http-message.ts'
import { dial, connectionOver, type TcpConnection } from '#net/tcp.ts'
import { tlsHandshake } from '#net/tls.ts'

const ANSWER_BYTES_MAX = 1024 * 1024
/** Idle time after the first byte that ends a response without a length, in milliseconds. */
const IDLE_MS = 1_500

export interface RawOptions {
  readonly guard: Guard
  readonly signal: AbortSignal
  /** From the first byte sent to the last byte read, in milliseconds. */
  readonly deadlineMs: number
  /** SNI name, if it differs from the origin's. */
  readonly serverName?: string
}

/**
 * Sends the bytes and reads one response. A response that is not HTTP is a failure.
 *
 * @throws only when `signal` aborts, with its reason
 */
export async function exchangeRaw(
  origin: Origin,
  bytes: Buffer,
  options: RawOptions,
): Promise<HttpResponse | HttpFailure> {
  const connection = await open(origin, options)
  if (typeof connection === 'string') return { kind: 'failure', reason: connection, local: false }
  const startedAt = performance.now()
  try {
    connection.write(bytes)
    const { deadlineMs } = options
    const readOptions = { firstByteMs: deadlineMs, idleMs: IDLE_MS, totalMs: deadlineMs, bytesMax: ANSWER_BYTES_MAX }
    const isHead = bytes.subarray(0, 5).toString('latin1') === 'HEAD '
    const enough = isHead ? (received: Buffer) => received.includes('\r\n\r\n') : isCompleteResponse
    const received = await connection.read({ ...readOptions, enough })
    const durationMs = performance.now() - startedAt
    const read = parseResponse(received)
    if (!read)
      return { kind: 'failure', reason: received.length > 0 ? 'not an HTTP response' : 'no response', local: false }
    return {
      kind: 'response',
      ...read,
      truncated: received.length >= ANSWER_BYTES_MAX,
      ...(connection.isAlive && !enough(received) && { isOpenEnded: true }),
      durationMs,
      request: bytes.toString('latin1'),
    }
  } finally {
    connection.close()
  }
}

async function open(origin: Origin, options: RawOptions): Promise<TcpConnection | string> {
  const { address, port, hostname, tls } = origin
  if (tls) {
    const handshake = await tlsHandshake(address, port, {
      ...options,
      deadlineMs: 5_000,
      hostname: options.serverName ?? hostname,
    })
    return handshake.kind === 'handshake' ? connectionOver(handshake.socket, options.signal) : handshake.reason
  }
  const dialed = await dial(address, port, { guard: options.guard, signal: options.signal })
  if (dialed.kind === 'open') return dialed.connection
  return dialed.kind === 'unknown' ? dialed.reason : `the port is ${dialed.kind}`
}

/** Whether the declared length or the last chunk has arrived. */
export function isCompleteResponse(received: Buffer): boolean {
  const text = received.toString('latin1')
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return false
  const head = text.slice(0, end)
  // Chunks take precedence over a length (RFC 9112, section 6.3).
  if (/\r\ntransfer-encoding:[^\r]*chunked/i.test(head)) return text.endsWith('0\r\n\r\n')
  const length = /\r\ncontent-length:\s*(\d{1,9})/i.exec(head)?.[1]
  return length !== undefined && received.length >= end + 4 + Number(length)
}

/** @returns null for bytes that are not an HTTP response */
export function parseResponse(
  received: Buffer,
): Pick<HttpResponse, 'status' | 'statusText' | 'headers' | 'body'> | null {
  const text = received.toString('latin1')
  const [, gap = '\r\n\r\n'] = /(\r?\n\r?\n)/.exec(text) ?? []
  const end = text.indexOf(gap)
  const [first = '', ...lines] = (end < 0 ? text : text.slice(0, end)).split(/\r?\n/)
  const [, status, statusText = ''] = /^HTTP\/\d(?:\.\d)?\s+(\d{3})\s?(.*)$/.exec(first) ?? []
  if (status === undefined) return null
  const headers = lines.flatMap((line) => {
    const colon = line.indexOf(':')
    return colon > 0 ? [[line.slice(0, colon).trim(), line.slice(colon + 1).trim()] as const] : []
  })
  const body = end < 0 ? '' : text.slice(end + gap.length)
  const isChunked = headers.some(([name, value]) => /^transfer-encoding$/i.test(name) && /chunked/i.test(value))
  const content = Buffer.from(isChunked ? dechunk(body) : body, 'latin1')
  return { status: Number(status), statusText, headers, body: decompressed(content, headers) }
}

const decoders = new Map([
  ['gzip', gunzipSync],
  ['deflate', inflateSync],
  ['br', brotliDecompressSync],
])

/** Some servers compress for any client. Bodies that are corrupt or too long are kept as received. */
function decompressed(body: Buffer, headers: HttpResponse['headers']): Buffer {
  const encoding = headers.find(([name]) => /^content-encoding$/i.test(name))?.[1].toLowerCase() ?? ''
  try {
    return decoders.get(encoding)?.(body, { maxOutputLength: ANSWER_BYTES_MAX }) ?? body
  } catch {
    return body
  }
}

/** Decodes chunked encoding (RFC 9112, section 7.1) up to the first error. */
function dechunk(body: string): string {
  const parts: string[] = []
  for (let at = 0; at < body.length;) {
    const [line, size] = /^([\da-f]{1,8})[^\n]{0,200}\n/i.exec(body.slice(at, at + 220)) ?? []
    const length = parseInt(size ?? '0', 16)
    if (line === undefined || length === 0) break
    parts.push(body.slice(at + line.length, at + line.length + length))
    at += line.length + length + 2
  }
  return parts.join('')
}
