import { createHmac } from 'node:crypto'
import type { RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import { storable } from '#database/text.ts'
import { type EgressPolicy, resolveAllowed, hostOf } from '#egress-policy.ts'

export interface Outcome {
  /** Null if there was no HTTP response. */
  readonly statusCode: number | null
  readonly latencyMs: number
  /** Empty on success. */
  readonly error: string
  /** Start of the response body. */
  readonly answer: string
}

/** A named import would load all exports of the module, including a second HTTP client. */
const http = process.getBuiltinModule('node:http')
const timeoutMs = 5000
const responseBytesMax = 65_536
const storedResponseMax = 500

/** The signature headers of Standard Webhooks. */
export function signature(secret: string, id: string, now: Date, body: string): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000))
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const mac = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${mac}` }
}

interface Post {
  readonly url: string
  readonly egress: EgressPolicy
  /** JSON. */
  readonly body: string
  readonly headers?: Record<string, string>
}

/**
 * Posts a message. Connects to the address that was checked, doesn't follow redirects, and is
 * limited to five seconds and 64 KB of response. Never throws: errors are returned as text.
 */
export async function post({ url, egress, body, headers = {} }: Post): Promise<Outcome> {
  const start = performance.now()
  const elapsedMs = () => Math.round(performance.now() - start)
  const failed = (error: string): Outcome => ({ statusCode: null, latencyMs: elapsedMs(), error, answer: '' })
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const destination = new URL(url)
    const address = await Promise.race([resolveAllowed(destination, egress), deadline(signal)])
    if ('blocked' in address) return failed(address.blocked)
    const { status, answer: response } = await exchange(destination, address.ip, { body, headers, signal })
    const error = status >= 200 && status < 300 ? '' : errorMessage(status)
    return { statusCode: status, latencyMs: elapsedMs(), error, answer: response }
  } catch (error) {
    if (signal.aborted) return failed('No response within 5 seconds')
    return failed(storable(error instanceof Error ? error.message : String(error)).slice(0, 300))
  }
}

/** Rejects when the deadline expires; the system resolver has its own, longer timeouts. */
function deadline(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('timed out', { cause: signal.reason })), {
      once: true,
    })
  })
}

function errorMessage(status: number): string {
  return status >= 300 && status < 400
    ? `The server responded with a redirect (${status}). Redirects are not followed`
    : `The server responded with ${status}`
}

function exchange(
  destination: URL,
  ip: string,
  { body, headers, signal }: { body: string; headers: Record<string, string>; signal: AbortSignal },
): Promise<{ status: number; answer: string }> {
  const options: RequestOptions = {
    method: 'POST',
    host: ip,
    port: destination.port || (destination.protocol === 'https:' ? 443 : 80),
    path: destination.pathname + destination.search,
    headers: {
      host: destination.host,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': 'Glacis',
      ...headers,
    },
    signal,
    agent: false,
  }
  const host = hostOf(destination)
  return new Promise((resolve, reject) => {
    const call =
      destination.protocol === 'https:'
        ? httpsRequest({ ...options, ...(!isIP(host) && { servername: host }) })
        : http.request(options)
    call.once('error', reject)
    call.once('response', (response) => {
      let answer = ''
      let bytes = 0
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        bytes += Buffer.byteLength(chunk)
        if (answer.length < storedResponseMax) answer += chunk
        if (bytes > responseBytesMax) response.destroy()
      })
      response.once('close', () =>
        resolve({ status: response.statusCode ?? 0, answer: storable(answer).slice(0, storedResponseMax) }),
      )
      response.once('error', () => undefined)
    })
    call.end(body)
  })
}
