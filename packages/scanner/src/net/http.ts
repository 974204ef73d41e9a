/**
 * HTTP/1.1 towards hosts that may mean harm. What is asked leaves byte for byte as written, what
 * comes back is bounded in bytes and time, and every failure is a value.
 */
import Pool from 'undici/lib/dispatcher/pool.js'
import type { Guard } from '#guard.ts'
import { connector } from '#net/http-connect.ts'
import { exchange } from '#net/http-exchange.ts'
import { createLanes } from '#net/lanes.ts'

const HEADER_BYTES_MAX = 64 * 1024
const BODY_BYTES_MAX = 1024 * 1024
const DEADLINE_MS = 10_000
/** Connection pools that stay ready; idle ones beyond are closed, the oldest first. */
const POOLS_MAX = 256

export interface Origin {
  readonly address: string
  readonly port: number
  readonly tls: boolean
  /** `Host` header and SNI name. */
  readonly hostname: string
}
export interface HttpRequest {
  readonly method: string
  /** Byte for byte as written. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}
export interface HttpResponse {
  readonly kind: 'response'
  readonly status: number
  readonly statusText: string
  /** In the order and letter case of the wire. */
  readonly headers: readonly (readonly [string, string])[]
  /** Decompressed. */
  readonly body: Buffer
  /** There was more than the limit, or the compressed stream was damaged. */
  readonly truncated: boolean
  /** It would have become a hundred times as large as what crossed the wire, or more. */
  readonly isBomb?: boolean
  readonly durationMs: number
  /** As sent, for evidence. */
  readonly request: string
}
export interface HttpFailure {
  readonly kind: 'failure'
  readonly reason: string
  /** The cause is this machine (out of ports, files, memory or network), so it says nothing about the host. */
  readonly local: boolean
  /** Nothing came back on a connection that was kept, so that the request may be sent again. */
  readonly mayRepeat?: boolean
}
export interface RequestOptions {
  readonly signal: AbortSignal
  /** Instead of the client's deadline, in milliseconds. */
  readonly deadlineMs?: number
}
export interface HttpClient {
  /**
   * Sends one request and reads its answer. Redirects are answers and are not followed.
   *
   * @throws only when `signal` aborts, with its reason
   */
  request(origin: Origin, request: HttpRequest, options: RequestOptions): Promise<HttpResponse | HttpFailure>
  /** Ends every connection; requests under way fail. */
  close(): Promise<void>
}

export interface HttpClientOptions {
  /** Asked before every connection with the very address that is dialled. */
  readonly guard: Guard
  /** How much of a body is kept, in bytes after decompression. */
  readonly bodyBytesMax?: number
  /** From the moment a request may go until its last byte, in milliseconds. */
  readonly deadlineMs?: number
  /** Requests side by side towards one address. */
  readonly perHostConnections?: number
  /** Waits until the rate limits allow one more request to the address. */
  readonly beforeRequest?: (address: string, signal: AbortSignal) => Promise<void>
}

/**
 * A client with keep-alive connections per origin. Certificates are not verified and old versions of
 * TLS are allowed, because what is wrong with them is what a scan wants to see.
 */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { guard, beforeRequest } = options
  const perHost = options.perHostConnections ?? 6
  const limits = { bodyBytesMax: options.bodyBytesMax ?? BODY_BYTES_MAX, deadlineMs: options.deadlineMs ?? DEADLINE_MS }
  const pools = new Map<string, Pool>()
  const lanes = createLanes(perHost)

  const poolOf = (origin: Origin): Pool => {
    const key = [origin.address, origin.port, origin.tls, origin.hostname].join(' ')
    const pool = pools.get(key) ?? createPool(origin, perHost, guard)
    // Set again so that the map's order is the order of last use.
    pools.delete(key)
    pools.set(key, pool)
    return pool
  }

  return {
    async request(origin, request, { signal, deadlineMs = limits.deadlineMs }) {
      signal.throwIfAborted()
      const refusal = guard.refusal(origin.address, origin.port)
      if (refusal !== null) return { kind: 'failure', reason: `refused: ${refusal}`, local: false }
      const leave = await lanes.enter(origin.address, signal)
      try {
        await beforeRequest?.(origin.address, signal)
        closeOldest(pools)
        const answer = await exchange(poolOf(origin), origin, request, { ...limits, deadlineMs, signal })
        if (answer.kind === 'response' || !answer.mayRepeat) return answer
        // A server may close a kept connection at the very moment it is used again (RFC 9112, 9.5).
        const fresh = createPool(origin, 1, guard)
        try {
          return await exchange(fresh, origin, request, { ...limits, deadlineMs, signal })
        } finally {
          await fresh.destroy()
        }
      } finally {
        leave()
      }
    },
    async close() {
      const open = [...pools.values()]
      pools.clear()
      await Promise.all(open.map((pool) => pool.destroy()))
    },
  }
}

function createPool(origin: Origin, connections: number, guard: Guard): Pool {
  const host = origin.address.includes(':') ? `[${origin.address}]` : origin.address
  // Always `http:` here: whether TLS is spoken is the connector's business, and undici would
  // otherwise open a new connection whenever a request names another host.
  return new Pool(`http://${host}:${origin.port}`, {
    connect: connector(origin, guard),
    connections,
    pipelining: 1,
    allowH2: false,
    strictContentLength: false,
    maxHeaderSize: HEADER_BYTES_MAX,
    keepAliveTimeout: 4_000,
    keepAliveMaxTimeout: 10_000,
  })
}

/** Ends the pool that was used longest ago, unless a request is under way in it. */
function closeOldest(pools: Map<string, Pool>): void {
  if (pools.size < POOLS_MAX) return
  for (const [key, pool] of pools) {
    if (pool.stats.running > 0 || pool.stats.pending > 0) continue
    pools.delete(key)
    pool.destroy().catch(() => undefined)
    return
  }
}
