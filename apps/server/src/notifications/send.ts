import { createHmac } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import type { RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { BlockList, isIP } from 'node:net'
import { isMetadataAddress, isPublicAddress } from '@glacis/scanner'
import { storable } from '#database/text.ts'

/** Where messages may go: public addresses over https, or also the networks that the operator names. */
export type Gate = 'public' | 'all' | readonly string[]

export interface Outcome {
  /** Null where no HTTP answer came. */
  readonly statusCode: number | null
  readonly latencyMs: number
  /** Empty when it arrived. */
  readonly error: string
  /** Beginning of the answer's body. */
  readonly answer: string
}

/** Not imported by name: that reads all its names, and one of them loads another client of HTTP. */
const http = process.getBuiltinModule('node:http')
const timeoutMs = 5000
const answerBytesMax = 65_536
const answerKept = 500

/** The headers that prove who sent a message, as Standard Webhooks has them. */
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
 * Posts a message. The address that was checked is the one that is dialled; redirects are not
 * followed; five seconds and 64 KB of answer bound it. It never throws: what went wrong is a sentence.
 */
export async function post({ url, gate, body, headers = {} }: Post): Promise<Outcome> {
  const start = performance.now()
  const took = () => Math.round(performance.now() - start)
  const failed = (error: string): Outcome => ({ statusCode: null, latencyMs: took(), error, answer: '' })
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const place = new URL(url)
    const address = await Promise.race([checkedAddress(place, gate), ended(signal)])
    if ('refused' in address) return failed(address.refused)
    const { status, answer } = await exchange(place, address.ip, { body, headers, signal })
    const error = status >= 200 && status < 300 ? '' : wordsOf(status)
    return { statusCode: status, latencyMs: took(), error, answer }
  } catch (error) {
    if (signal.aborted) return failed('No answer within 5 seconds')
    return failed(storable(error instanceof Error ? error.message : String(error)).slice(0, 300))
  }
}

/** Rejects when the time is over: the system has its own patience with servers of names. */
function ended(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('the time is over', { cause: signal.reason })), {
      once: true,
    })
  })
}

function wordsOf(status: number): string {
  return status >= 300 && status < 400
    ? `The server redirects (${status}); redirects are not followed`
    : `The server answered ${status}`
}

/** Why nothing may ever be sent there, as far as the URL tells without asking for its name; undefined when it may. */
export function refusalOf(url: string, gate: Gate): string | undefined {
  const place = new URL(url)
  const host = hostOf(place)
  const isHere = host === 'localhost' || host.endsWith('.localhost')
  return refusedOf(place, isIP(host) ? [host] : isHere ? ['127.0.0.1'] : [], gate)
}

async function checkedAddress(place: URL, gate: Gate): Promise<{ ip: string } | { refused: string }> {
  const host = hostOf(place)
  const atOnce = refusedOf(place, [], gate)
  if (atOnce) return { refused: atOnce }
  const found = isIP(host) ? [host] : (await lookup(host, { all: true })).map(({ address }) => address)
  const refused = refusedOf(place, found, gate)
  if (refused) return { refused }
  const [ip] = found
  return ip ? { ip } : { refused: `${host} has no address` }
}

function refusedOf(place: URL, addresses: readonly string[], gate: Gate): string | undefined {
  const isOpen = place.protocol !== 'https:'
  const onlyHttps = 'Only https is allowed, unless GLACIS_WEBHOOK_NETWORKS of the server names the network'
  if (isOpen && gate === 'public') return onlyHttps
  const metadata = addresses.find(isMetadataAddress)
  if (metadata) return `${metadata} is a cloud metadata address, to which no messages go`
  const refused = addresses.find((address) => !isPublicAddress(address) && !isNamed(address, gate))
  if (refused)
    return `${refused} is not an address that messages may go to; GLACIS_WEBHOOK_NETWORKS of the server says which are`
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
  place: URL,
  ip: string,
  { body, headers, signal }: { body: string; headers: Record<string, string>; signal: AbortSignal },
): Promise<{ status: number; answer: string }> {
  const options: RequestOptions = {
    method: 'POST',
    host: ip,
    port: place.port || (place.protocol === 'https:' ? 443 : 80),
    path: place.pathname + place.search,
    headers: {
      host: place.host,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': 'Glacis',
      ...headers,
    },
    signal,
    agent: false,
  }
  const host = hostOf(place)
  return new Promise((resolve, reject) => {
    const call =
      place.protocol === 'https:'
        ? httpsRequest({ ...options, ...(!isIP(host) && { servername: host }) })
        : http.request(options)
    call.once('error', reject)
    call.once('response', (response) => {
      let answer = ''
      let bytes = 0
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        bytes += Buffer.byteLength(chunk)
        if (answer.length < answerKept) answer += chunk
        if (bytes > answerBytesMax) response.destroy()
      })
      response.once('close', () =>
        resolve({ status: response.statusCode ?? 0, answer: storable(answer).slice(0, answerKept) }),
      )
      response.once('error', () => undefined)
    })
    call.end(body)
  })
}
