/** Test browser with a cookie jar. Makes JSON requests and page requests. */
import { once } from 'node:events'
import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http'
import { text } from 'node:stream/consumers'
import type { FastifyInstance } from 'fastify'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD'

interface Call {
  readonly method: Method
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly payload?: string
  /** The client's IP address. */
  readonly ip: string
}

/** Sends a request to the service. */
export type Transport = (call: Call) => Promise<Omit<Reply, 'body'>>

export interface Reply {
  readonly status: number
  readonly headers: OutgoingHttpHeaders
  // oxlint-disable-next-line typescript/no-explicit-any -- tests access responses of different shapes
  readonly body: any
  readonly text: string
}

interface RequestOptions {
  readonly headers?: Record<string, string>
  readonly body?: unknown
}

export class Browser {
  readonly jar = new Map<string, string>()
  readonly #transport: Transport
  readonly #userAgent: string
  readonly #ip: string

  constructor(transport: Transport, userAgent = 'Mozilla/5.0 (X11; Linux x86_64) Test/1.0', ip = '127.0.0.1') {
    this.#transport = transport
    this.#userAgent = userAgent
    this.#ip = ip
  }

  /** Makes a JSON request. */
  get(url: string, options: RequestOptions = {}): Promise<Reply> {
    return this.ask('GET', url, { ...options, headers: { accept: 'application/json', ...options.headers } })
  }
  /** Opens a page. */
  open(url: string): Promise<Reply> {
    return this.ask('GET', url, { headers: { accept: page } })
  }
  delete(url: string): Promise<Reply> {
    return this.ask('DELETE', url, { headers: { accept: 'application/json' } })
  }
  /** Submits JSON and accepts JSON. */
  post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Reply> {
    const payload = typeof body === 'string' ? body : JSON.stringify(body)
    return this.ask('POST', url, {
      headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
      body: payload,
    })
  }
  /** Submits a form and accepts a page. */
  submit(url: string, fields: Record<string, string>): Promise<Reply> {
    return this.ask('POST', url, {
      headers: { accept: page, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields).toString(),
    })
  }

  async ask(method: Method, url: string, options: RequestOptions = {}): Promise<Reply> {
    const cookie = [...this.jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await this.#transport({
      method,
      ip: this.#ip,
      path: url.replace(/^https?:\/\/[^/]+/, ''),
      headers: { 'user-agent': this.#userAgent, ...(cookie && { cookie }), ...options.headers },
      ...(typeof options.body === 'string' && { payload: options.body }),
    })
    for (const line of [response.headers['set-cookie'] ?? []].flat()) this.#storeCookie(line)
    const isJson = String(response.headers['content-type']).startsWith('application/json')
    return { ...response, body: isJson && response.text ? JSON.parse(response.text) : response.text }
  }

  #storeCookie(line: string): void {
    const [pair = '', ...attributes] = line.split('; ')
    const name = pair.slice(0, pair.indexOf('='))
    if (attributes.includes('Max-Age=0')) this.jar.delete(name)
    else this.jar.set(name, pair.slice(name.length + 1))
  }
}

const page = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

/** Injects requests into the host without a socket. */
export function inProcess(app: FastifyInstance): Transport {
  return async ({ method, path, headers, payload, ip }) => {
    const response = await app.inject({
      method,
      url: path,
      headers: { ...headers },
      remoteAddress: ip,
      ...(payload !== undefined && { payload }),
    })
    return { status: response.statusCode, headers: response.headers, text: response.body }
  }
}

/** Sends requests over HTTP, from a loopback address. */
export function overHttp(origin: string): Transport {
  const { hostname, port } = new URL(origin)
  return async ({ method, path, headers, payload, ip }) => {
    const length = payload === undefined ? {} : { 'content-length': String(Buffer.byteLength(payload)) }
    const call = request({ hostname, port, method, path, headers: { ...headers, ...length }, localAddress: ip })
    // The server may respond and close the connection before it has read the whole body.
    call.on('error', () => undefined)
    call.end(payload)
    const [response]: IncomingMessage[] = await once(call, 'response')
    if (!response) throw new Error('No response')
    return { status: response.statusCode ?? 0, headers: response.headers, text: await text(response) }
  }
}
