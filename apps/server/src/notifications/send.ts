import { createHmac } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import type { RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { BlockList, isIP } from 'node:net'
import { isMetadataAddress, isPublicAddress } from '@glacis/scanner'
import { storable } from '#database/text.ts'

/**
 * Allowed destinations: public addresses over https, everything, or also the networks listed by the
 * operator.
 */
export type Gate = 'public' | 'all' | readonly string[]

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
  readonly gate: Gate
  /** JSON. */
  readonly body: string
  readonly headers?: Record<string, string>
}

/**
 * Posts a message. Connects to the address that was checked, doesn't follow redirects, and is
 * limited to five seconds and 64 KB of response. Never throws: errors are returned as text.
 */
export async function post({ url, gate, body, headers = {} }: Post): Promise<Outcome> {
  const start = performance.now()
  const elapsedMs = () => Math.round(performance.now() - start)
  const failed = (error: string): Outcome => ({ statusCode: null, latencyMs: elapsedMs(), error, answer: '' })
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const destination = new URL(url)
    const address = await Promise.race([checkedAddress(destination, gate), deadline(signal)])
    if ('blocked' in address) return failed(address.blocked)
    const { status, answer } = await exchange(destination, address.ip, { body, headers, signal })
    const error = status >= 200 && status < 300 ? '' : errorMessage(status)
    return { statusCode: status, latencyMs: elapsedMs(), error, answer }
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

/**
 * The reason why the URL can't be used, as far as known without resolving its name; undefined if it
 * can.
 */
export function urlError(url: string, gate: Gate): string | undefined {
  const destination = new URL(url)
  const host = hostOf(destination)
  const isHere = host === 'localhost' || host.endsWith('.localhost')
  return blockedReason(destination, isIP(host) ? [host] : isHere ? ['127.0.0.1'] : [], gate)
}

async function checkedAddress(destination: URL, gate: Gate): Promise<{ ip: string } | { blocked: string }> {
  const host = hostOf(destination)
  const atOnce = blockedReason(destination, [], gate)
  if (atOnce) return { blocked: atOnce }
  const found = isIP(host) ? [host] : (await lookup(host, { all: true })).map(({ address }) => address)
  const blocked = blockedReason(destination, found, gate)
  if (blocked) return { blocked }
  const [ip] = found
  return ip ? { ip } : { blocked: `${host} could not be resolved` }
}

function blockedReason(destination: URL, addresses: readonly string[], gate: Gate): string | undefined {
  const isOpen = destination.protocol !== 'https:'
  const onlyHttps = 'Use https. Plain http is allowed only to networks listed in GLACIS_WEBHOOK_NETWORKS'
  if (isOpen && gate === 'public') return onlyHttps
  const metadata = addresses.find(isMetadataAddress)
  if (metadata) return `${metadata} is a cloud metadata address. Messages can't be sent there`
  const blocked = addresses.find((address) => !isPublicAddress(address) && !isNamed(address, gate))
  if (blocked) return `Messages can't be sent to ${blocked}. GLACIS_WEBHOOK_NETWORKS lists the allowed networks`
  return isOpen && addresses.some((address) => !isNamed(address, gate)) ? onlyHttps : undefined
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}

function isNamed(address: string, gate: Gate): boolean {
  if (gate === 'all') return true
  if (gate === 'public') return false
  const list = new BlockList()
  for (const network of gate) {
    const [base = '', bits = ''] = network.split('/')
    list.addSubnet(base, Number(bits), isIP(base) === 6 ? 'ipv6' : 'ipv4')
  }
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
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
