/**
 * HTTP client for untrusted hosts: HTTP/1.1, and HTTP/2 where a server speaks nothing else. Requests are sent byte for
 * byte, responses are bounded in bytes and time, and every failure is a value.
 */
import { bracketed } from '#ip.ts'
import PQueue from 'p-queue'
import Pool from 'undici/lib/dispatcher/pool.js'
import type { Guard } from '#guard.ts'
import { createJar, isCookieGate, type Jar } from '#net/cookie-jar.ts'
import { connector, type HttpProtocol } from '#net/http-connect.ts'
import { exchange, rawRequest } from '#net/http-exchange.ts'
import { type HttpFailure, type HttpRequest, type HttpResponse, type Origin, safeMethods } from '#net/http-message.ts'
import { createRateLimits } from '#net/rate-limit.ts'
import { exchangeRaw } from '#net/raw-http.ts'
import { isSerial } from '#net/serial-servers.ts'
import { createUnanswered } from '#net/unanswered.ts'

const HEADER_BYTES_MAX = 64 * 1024
const BODY_BYTES_MAX = 1024 * 1024
const DEADLINE_MS = 10_000
/** Servers that handle one connection at a time can't respond to others while one is idle. */
const IDLE_MS = 1_000
/** A malformed response that takes longer has no end, and each would take that long. */
const RAW_MS_MAX = 1_000
/** Maximum number of open connection pools; the least recently used idle pool is closed. */
const POOLS_MAX = 256

export interface RequestOptions {
  readonly signal: AbortSignal
  /** Overrides the client's deadline, in milliseconds. */
  readonly deadlineMs?: number
  /** Protocol of this request and, if it gets a response, of all later ones to the origin. */
  readonly protocol?: HttpProtocol
}
type SendOptions = Required<Omit<RequestOptions, 'protocol'>>

export interface HttpClient {
  /**
   * Sends one request and reads the response. Redirects are not followed.
   *
   * @throws only when `signal` aborts, with its reason
   */
  request(origin: Origin, request: HttpRequest, options: RequestOptions): Promise<HttpResponse | HttpFailure>
  /** Whether the server only speaks HTTP/2, as earlier requests have shown. */
  usesHttp2(origin: Origin): boolean
  /** Closes every connection; pending requests fail. */
  close(): Promise<void>
}

export interface HttpClientOptions {
  /** Checked before every connection, with the exact address to dial. */
  readonly guard: Guard
  /** Maximum body size, in bytes after decompression. */
  readonly bodyBytesMax?: number
  /** From when a request may be sent until its last byte, in milliseconds. */
  readonly deadlineMs?: number
  /** Concurrent requests per address. */
  readonly perHostConnections?: number
  /** Headers of every request, instead of its own of the same name. */
  readonly headers?: Readonly<Record<string, string>>
  /** Server name in TLS handshakes; absent: the origin's hostname. */
  readonly serverName?: string
  /** Waits until the rate limits allow another request to the address. */
  readonly beforeRequest?: (address: string, signal: AbortSignal) => Promise<void>
}

/** Logins and changes are sent only once. */
function isRepeatable({ method, headers = {} }: HttpRequest): boolean {
  return safeMethods.has(method) && !Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
}

/**
 * Client with keep-alive connections per origin. Certificates are not verified and old TLS versions
 * are allowed, because finding such weaknesses is the scan's purpose.
 */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { guard, beforeRequest } = options
  const perHost = options.perHostConnections ?? 6
  const limits = { bodyBytesMax: options.bodyBytesMax ?? BODY_BYTES_MAX, deadlineMs: options.deadlineMs ?? DEADLINE_MS }
  const pools = new Map<string, Pool>()
  const queues = new Map<string, PQueue>()
  const serialAddresses = new Set<string>()
  /** Servers whose responses undici rejects, by pool. */
  const malformed = new Map<string, 'read raw' | 'endless'>()
  const rateLimits = createRateLimits()
  const unanswered = createUnanswered()
  /** Cookies without which a server redirects to the requested URL, by pool; empty if they change nothing. */
  const gates = new Map<string, Jar>()
  /** Protocols of servers that only speak HTTP/2, and of TLS servers that closed connections without a response, by pool. */
  const protocols = new Map<string, HttpProtocol>()

  const handshakeOrigin = (origin: Origin): Origin =>
    options.serverName === undefined ? origin : { ...origin, hostname: options.serverName }

  const poolOf = (origin: Origin): Pool => {
    const key = poolKey(origin)
    const pool = pools.get(key) ?? createPool(handshakeOrigin(origin), perHost, guard, protocols.get(key))
    // Reinsert to keep the map in least-recently-used order.
    pools.delete(key)
    pools.set(key, pool)
    return pool
  }

  const queueOf = (address: string): PQueue => {
    const cached = queues.get(address)
    if (cached) return cached
    const queue = new PQueue({ concurrency: serialAddresses.has(address) ? 1 : perHost })
    queue.addEventListener('idle', () => queues.delete(address))
    queues.set(address, queue)
    return queue
  }

  const limitOverlap = (address: string, response: HttpResponse | HttpFailure) => {
    if (response.kind === 'failure' || !isSerial(response)) return
    serialAddresses.add(address)
    queueOf(address).concurrency = 1
  }

  const send = async (origin: Origin, request: HttpRequest, options: SendOptions) => {
    await beforeRequest?.(origin.address, options.signal)
    if (malformed.get(poolKey(origin)) === 'read raw') return sendRaw(origin, request, options)
    closeOldest(pools)
    const response = await exchange(poolOf(origin), origin, request, { ...limits, ...options })
    limitOverlap(origin.address, response)
    if (response.kind === 'failure' && response.isMalformed && malformed.get(poolKey(origin)) !== 'endless') {
      await beforeRequest?.(origin.address, options.signal)
      return sendRaw(origin, request, options)
    }
    if (response.kind === 'response' || !response.mayRepeat) return response
    // A server may close an idle connection just as it is reused (RFC 9112, section 9.5).
    const repeated = await sendOnFresh(origin, request, options)
    const key = poolKey(origin)
    if (repeated.kind === 'response' || !repeated.mayRepeat || !origin.tls || protocols.has(key)) return repeated
    const page = await sendOnFresh(origin, request, options, 'h2')
    protocols.set(key, page.kind === 'response' ? 'h2' : 'http/1.1')
    if (page.kind === 'failure') return repeated
    await pools.get(key)?.destroy()
    pools.delete(key)
    return page
  }

  const sendRaw = async (origin: Origin, request: HttpRequest, options: SendOptions) => {
    const startedAt = performance.now()
    const response = await exchangeRaw(handshakeOrigin(origin), rawRequest(origin, request), { guard, ...options })
    const isSlow = performance.now() - startedAt > RAW_MS_MAX
    const key = poolKey(origin)
    // A slow program closes the connection at the end.
    const isEndless = isSlow && (response.kind === 'failure' || response.isOpenEnded === true)
    if (!malformed.has(key) && isEndless) malformed.set(key, 'endless')
    if (!malformed.has(key) && response.kind === 'response') malformed.set(key, 'read raw')
    limitOverlap(origin.address, response)
    return response
  }

  const sendOnFresh = async (
    origin: Origin,
    request: HttpRequest,
    options: SendOptions,
    protocol = protocols.get(poolKey(origin)),
  ) => {
    const fresh = createPool(handshakeOrigin(origin), 1, guard, protocol)
    try {
      return await exchange(fresh, origin, request, { ...limits, ...options })
    } finally {
      await fresh.destroy()
    }
  }

  const sendFirstOver = async (protocol: HttpProtocol, origin: Origin, request: HttpRequest, options: SendOptions) => {
    await beforeRequest?.(origin.address, options.signal)
    const page = await sendOnFresh(origin, request, options, protocol)
    if (page.kind === 'response') protocols.set(poolKey(origin), protocol)
    return page
  }

  const sendWithCookies = async (origin: Origin, request: HttpRequest, options: SendOptions) => {
    const key = poolKey(origin)
    const known = gates.get(key)
    const first = await send(origin, known?.addCookies(request) ?? request, options)
    if (known || first.kind === 'failure' || !isCookieGate(origin, request, first)) return first
    const jar = createJar()
    jar.storeCookies(request.path, first)
    const page = await send(origin, jar.addCookies(request), options)
    const isClosed = page.kind === 'failure' || isCookieGate(origin, request, page)
    gates.set(key, isClosed ? createJar() : jar)
    return isClosed ? first : { ...page, headers: [...page.headers, ...cookiesOf(first)] }
  }

  return {
    async request(origin, request, { signal, deadlineMs, protocol }) {
      signal.throwIfAborted()
      const { address, port } = origin
      const denialReason = guard.denialReason(address, port)
      if (denialReason !== null) return { kind: 'failure', reason: `refused: ${denialReason}`, local: false }
      const sent = options.headers ? withHeaders(request, options.headers) : request
      const server = `${address} ${port}`
      const send = async () => {
        const sentAt = performance.now()
        const ownMs = deadlineMs ?? unanswered.deadlineMs(server, sent, limits.deadlineMs)
        if (ownMs === undefined) return notSent
        const sendOptions = { signal, deadlineMs: ownMs }
        const response = await (protocol === undefined
          ? sendWithCookies(origin, sent, sendOptions)
          : sendFirstOver(protocol, origin, sent, sendOptions))
        if (deadlineMs === undefined) unanswered.record(server, sent, response, sentAt)
        return response
      }
      // Pauses outside of the queue, so that they don't delay requests to other ports.
      const sendWhenReady = async () => {
        await rateLimits.ready(server, signal)
        return queueOf(address).add(send, { signal })
      }
      const first = await sendWhenReady()
      if (!rateLimits.limits(server, first) || !isRepeatable(request)) return first
      const again = await sendWhenReady()
      rateLimits.repeated(server, again)
      return again
    },
    usesHttp2: (origin) => protocols.get(poolKey(origin)) === 'h2',
    async close() {
      const open = [...pools.values()]
      pools.clear()
      await Promise.all(open.map((pool) => pool.destroy()))
    },
  }
}

const notSent: HttpFailure = { kind: 'failure', reason: 'not sent: all similar requests timed out', local: false }

function poolKey({ address, port, tls, hostname }: Origin): string {
  return [address, port, tls, hostname].join(' ')
}

function cookiesOf({ headers }: HttpResponse): HttpResponse['headers'] {
  return headers.filter(([name]) => name.toLowerCase() === 'set-cookie')
}

function withHeaders(request: HttpRequest, headers: Readonly<Record<string, string>>): HttpRequest {
  const replaced = new Set(Object.keys(headers).map((name) => name.toLowerCase()))
  const own = Object.entries(request.headers ?? {}).filter(([name]) => !replaced.has(name.toLowerCase()))
  return { ...request, headers: { ...Object.fromEntries(own), ...headers } }
}

function createPool(origin: Origin, connections: number, guard: Guard, protocol?: HttpProtocol): Pool {
  // Always `http:` here: the connector handles TLS. Otherwise, undici would open a new connection
  // whenever a request names a different host.
  return new Pool(`http://${bracketed(origin.address)}:${origin.port}`, {
    connect: connector(origin, guard, protocol),
    connections,
    pipelining: 1,
    allowH2: false,
    strictContentLength: false,
    maxHeaderSize: HEADER_BYTES_MAX,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
  })
}

/** Closes the least recently used pool that has no pending requests. */
function closeOldest(pools: Map<string, Pool>): void {
  if (pools.size < POOLS_MAX) return
  for (const [key, pool] of pools) {
    if (pool.stats.running > 0 || pool.stats.pending > 0) continue
    pools.delete(key)
    pool.destroy().catch(() => undefined)
    return
  }
}
