/** One request and response on a connection pool, bounded in bytes and time. */
import { bracketed } from '#ip.ts'
import type { Dispatcher, Pool } from 'undici'
import { readBody, type BodyReader } from '#net/http-body.ts'
import type { HttpFailure, HttpRequest, HttpResponse, Origin } from '#net/http-message.ts'
import { localError } from '#net/local-errors.ts'

/** Minimum body rate after the grace period; slower responses are treated as a tarpit. */
const BYTES_PER_SECOND_MIN = 1024
const SLOW_AFTER_MS = 3_000
/** Some servers redirect without a length and keep the connection open; the body would only end at the deadline. */
const REDIRECT_BODY_MS = 500
/** Errors when a server closes an idle keep-alive connection, or doesn't support HTTP/1.1. */
const REPEATABLE = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE', 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL'])
/** Messages of the parser about a response's head, such as one with both a length and chunks. */
const MALFORMED =
  /\((?:Content-Length can't|Transfer-Encoding can't|Invalid header|Invalid character in Content-Length|Missing expected [CL][RF])/
const DEFAULT_HEADERS = { 'User-Agent': 'Mozilla/5.0 (compatible; Glacis)', Accept: '*/*', 'Accept-Encoding': 'gzip' }

export interface ExchangeOptions {
  readonly signal: AbortSignal
  readonly bodyBytesMax: number
  /** Total deadline, in milliseconds. */
  readonly deadlineMs: number
}

/** @throws only when `signal` aborts, with its reason */
export async function exchange(
  pool: Pool,
  origin: Origin,
  request: HttpRequest,
  { signal, bodyBytesMax, deadlineMs }: ExchangeOptions,
): Promise<HttpResponse | HttpFailure> {
  signal.throwIfAborted()
  const headers = requestHeaders(origin, request)
  const outcome = createOutcome(signal, deadlineMs)
  const problem = problemOf(request)
  if (problem) outcome.fail(problem)
  else dispatch(pool, request, headers, responseHandler(request, headers, bodyBytesMax, outcome), outcome.fail)
  return outcome.promise
}

/** Settles once: by a response, a failure, the deadline, or the signal. */
interface Outcome {
  readonly promise: Promise<HttpResponse | HttpFailure>
  readonly isSettled: () => boolean
  readonly answer: (response: HttpResponse) => void
  readonly fail: (reason: string, rest?: Partial<HttpFailure>) => void
  /** Registers cleanup that runs once on settling. */
  readonly release: (free: () => void) => void
}

function createOutcome(signal: AbortSignal, deadlineMs: number): Outcome {
  const { promise, resolve, reject } = Promise.withResolvers<HttpResponse | HttpFailure>()
  const releases: (() => void)[] = []
  let isSettled = false
  const settle = (act: () => void) => {
    if (isSettled) return
    isSettled = true
    clearTimeout(deadline)
    signal.removeEventListener('abort', cancel)
    for (const free of releases) free()
    act()
  }
  const fail: Outcome['fail'] = (reason, rest) =>
    settle(() => resolve({ kind: 'failure', reason, local: false, ...rest }))
  const cancel = () => settle(() => reject(signal.reason))
  const endWait = () => fail(`no complete response within ${deadlineMs / 1000} s`, { isTimeout: true })
  const deadline = setTimeout(endWait, deadlineMs)
  signal.addEventListener('abort', cancel, { once: true })
  return {
    promise,
    fail,
    isSettled: () => isSettled,
    answer: (response) => settle(() => resolve(response)),
    release: (free) => void releases.push(free),
  }
}

function responseHandler(
  request: HttpRequest,
  headers: readonly string[],
  bodyBytesMax: number,
  outcome: Outcome,
): Dispatcher.DispatchHandler {
  const startedAt = performance.now()
  let reader: BodyReader | undefined
  let wireBytes = 0
  let isComplete = false

  const read = (
    controller: Dispatcher.DispatchController,
    status: number,
    statusText: string,
    received: HttpResponse['headers'],
  ) => {
    const head = { status, statusText, headers: received }
    const finish = (body: Buffer, truncated: boolean, isBomb: boolean) => {
      const durationMs = performance.now() - startedAt
      outcome.answer({
        kind: 'response',
        ...head,
        body,
        truncated,
        ...(isBomb && { isBomb }),
        durationMs,
        request: formatRequest(request, headers),
      })
    }
    return readBody(encodingOf(head.headers), bodyBytesMax, finish, () => controller.resume())
  }
  return {
    onRequestStart(controller) {
      if (outcome.isSettled()) return controller.abort(new Error('request canceled'))
      outcome.release(() => {
        reader?.destroy()
        // After a complete response, the connection is reusable; otherwise it must be closed.
        if (!isComplete) controller.abort(new Error('request canceled'))
      })
    },
    onRequestUpgrade(_controller, _status, _headers, socket) {
      socket.destroy()
      outcome.fail('the server switched protocols')
    },
    onResponseStart(controller, status, fields, statusText) {
      const raw = headerPairs(controller.rawHeaders)
      const received = raw.length > 0 ? raw : pairsOf(fields)
      reader = read(controller, status, statusText ?? '', received)
      const slow = watchRate(() => wireBytes, outcome.fail)
      outcome.release(() => clearInterval(slow))
      if (!isEndlessRedirect(status, received)) return
      const end = setTimeout(() => reader?.end(), REDIRECT_BODY_MS)
      outcome.release(() => clearTimeout(end))
    },
    onResponseData(controller, chunk) {
      wireBytes += chunk.length
      if (reader?.write(chunk) === false) controller.pause()
    },
    onResponseEnd() {
      isComplete = true
      reader?.end()
    },
    onResponseError(_controller, error) {
      const mayRepeat = reader === undefined && isIdempotent(request) && REPEATABLE.has(codeOf(error))
      const local = localError(codeOf(error)) !== null
      // A length that is sent twice counts as one (RFC 9112, section 6.3), but undici joins the digits.
      const hasRepeatedLength = reader === undefined && codeOf(error) === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'
      const isMalformed = isIdempotent(request) && (hasRepeatedLength || MALFORMED.test(error.message))
      outcome.fail(error.message || error.name, {
        local,
        ...(mayRepeat && { mayRepeat }),
        ...(isMalformed && { isMalformed }),
      })
    },
  }
}

/** A redirect whose body ends only with the connection (RFC 9112, section 6.3). */
function isEndlessRedirect(status: number, headers: HttpResponse['headers']): boolean {
  const names = new Set(headers.map(([name]) => name.toLowerCase()))
  const isRedirect = status >= 300 && status < 400 && names.has('location')
  return isRedirect && !names.has('content-length') && !names.has('transfer-encoding')
}

/** Fails when, after the grace period, the body arrives too slowly. */
function watchRate(wireBytes: () => number, fail: (reason: string) => void): NodeJS.Timeout {
  const headAt = performance.now()
  return setInterval(() => {
    const elapsedMs = performance.now() - headAt
    const isSlow = elapsedMs >= SLOW_AFTER_MS && wireBytes() < (elapsedMs / 1000) * BYTES_PER_SECOND_MIN
    if (isSlow) fail('the response was slower than 1 KiB/s')
  }, 500)
}

function dispatch(
  pool: Pool,
  request: HttpRequest,
  headers: readonly string[],
  handler: Dispatcher.DispatchHandler,
  fail: (reason: string) => void,
) {
  try {
    pool.dispatch(
      {
        path: Buffer.from(request.path, 'utf8').toString('latin1'),
        method: request.method,
        headers: [...headers],
        body: request.body === undefined ? null : Buffer.from(request.body),
      },
      handler,
    )
  } catch (error) {
    // undici throws on requests that HTTP/1.1 can't express; the remaining checks must still run.
    fail(`not sent: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function problemOf(request: HttpRequest): string | null {
  if (request.method === 'CONNECT') return 'not sent: CONNECT is not supported'
  // eslint-disable-next-line no-control-regex
  if (/[\u0000- \u007f]/.test(request.path)) return 'not sent: whitespace or control character in the path'
  return null
}

/**
 * Request headers as alternating names and values. The request's own headers replace defaults with
 * the same name.
 */
export function requestHeaders(origin: Origin, request: HttpRequest): readonly string[] {
  const own = Object.entries(request.headers ?? {}).filter(([name]) => !/^(content-length|connection)$/i.test(name))
  if (own.length > 0) return flatHeaders(origin, own)
  // Most requests have no headers of their own.
  const cached = bare.get(origin) ?? flatHeaders(origin, [])
  bare.set(origin, cached)
  return cached
}

const bare = new WeakMap<Origin, readonly string[]>()

function flatHeaders(origin: Origin, own: readonly (readonly [string, string])[]): readonly string[] {
  const given = new Set(own.map(([name]) => name.toLowerCase()))
  const defaults = Object.entries({ Host: hostHeader(origin), ...DEFAULT_HEADERS })
  const all = [...defaults.filter(([name]) => !given.has(name.toLowerCase())), ...own]
  return all.flatMap(([name, value]) => [name, Buffer.from(value, 'utf8').toString('latin1')])
}

function hostHeader({ hostname, port, tls }: Origin): string {
  const host = bracketed(hostname)
  return port === (tls ? 443 : 80) ? host : `${host}:${port}`
}

/** The request as bytes for a connection of its own. */
export function rawRequest(origin: Origin, request: HttpRequest): Buffer {
  const headers = { 'Accept-Encoding': 'identity', ...request.headers }
  const length = request.body === undefined ? [] : ['Content-Length', String(Buffer.byteLength(request.body))]
  const closing = [...requestHeaders(origin, { ...request, headers }), ...length, 'Connection', 'close']
  return Buffer.from(formatRequest(request, closing), 'latin1')
}

function formatRequest(request: HttpRequest, headers: readonly string[]): string {
  const lines = [`${request.method} ${request.path} HTTP/1.1`]
  for (let at = 0; at < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`)
  const body = request.body === undefined ? '' : Buffer.from(request.body).toString('latin1')
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}

function headerPairs(raw: Dispatcher.DispatchController['rawHeaders']): (readonly [string, string])[] {
  const flat: readonly (Buffer | string)[] = Array.isArray(raw) ? raw : []
  const headers: (readonly [string, string])[] = []
  for (let at = 0; at + 1 < flat.length; at += 2) headers.push([latin1(flat[at]), latin1(flat[at + 1])])
  return headers
}

/** The header of an HTTP/2 response. */
function pairsOf(fields: Readonly<Record<string, string | string[] | undefined>>): HttpResponse['headers'] {
  return Object.entries(fields).flatMap(([name, values = []]) => [values].flat().map((value) => [name, value] as const))
}

function latin1(text: Buffer | string | undefined): string {
  return typeof text === 'string' ? text : (text?.toString('latin1') ?? '')
}

function encodingOf(headers: readonly (readonly [string, string])[]): string {
  return headers
    .filter(([name]) => name.toLowerCase() === 'content-encoding')
    .map(([, value]) => value)
    .join(', ')
}

function isIdempotent({ method }: HttpRequest): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS' || method === 'PROPFIND'
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}
