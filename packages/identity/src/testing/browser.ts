/** A browser for tests: a cookie jar that honours Max-Age, and the two ways in which clients ask. */
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'

export interface Reply {
  readonly status: number
  readonly headers: LightMyRequestResponse['headers']
  // oxlint-disable-next-line typescript/no-explicit-any -- answers are looked into by tests, shape by shape
  readonly body: any
  readonly text: string
}

interface Asked {
  readonly headers?: Record<string, string>
  readonly body?: unknown
}

export class Browser {
  readonly app: FastifyInstance
  readonly jar = new Map<string, string>()
  readonly #agent: string
  readonly #ip: string

  constructor(app: FastifyInstance, agent = 'Mozilla/5.0 (X11; Linux x86_64) Test/1.0', ip = '127.0.0.1') {
    this.app = app
    this.#agent = agent
    this.#ip = ip
  }

  /** Asks for JSON. */
  get(url: string, asked: Asked = {}): Promise<Reply> {
    return this.ask('GET', url, { ...asked, headers: { accept: 'application/json', ...asked.headers } })
  }
  /** Opens a page. */
  open(url: string): Promise<Reply> {
    return this.ask('GET', url, { headers: { accept: page } })
  }
  delete(url: string): Promise<Reply> {
    return this.ask('DELETE', url, { headers: { accept: 'application/json' } })
  }
  /** Sends JSON and asks for JSON. */
  post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Reply> {
    const payload = typeof body === 'string' ? body : JSON.stringify(body)
    return this.ask('POST', url, {
      headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
      body: payload,
    })
  }
  /** Sends a form and expects a page. */
  submit(url: string, fields: Record<string, string>): Promise<Reply> {
    return this.ask('POST', url, {
      headers: { accept: page, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields).toString(),
    })
  }

  async ask(method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD', url: string, asked: Asked = {}): Promise<Reply> {
    const cookie = [...this.jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await this.app.inject({
      method,
      remoteAddress: this.#ip,
      url: url.replace(/^https?:\/\/[^/]+/, ''),
      headers: { 'user-agent': this.#agent, ...(cookie && { cookie }), ...asked.headers },
      ...(typeof asked.body === 'string' && { payload: asked.body }),
    })
    for (const { name, value, maxAge } of response.cookies) {
      if (maxAge === 0) this.jar.delete(name)
      else this.jar.set(name, encodeURIComponent(value) === value ? value : rawValue(response, name))
    }
    const isJson = String(response.headers['content-type']).startsWith('application/json')
    return {
      status: response.statusCode,
      headers: response.headers,
      body: isJson && response.body ? response.json() : response.body,
      text: response.body,
    }
  }
}

const page = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

/** Values of base64 must come back as they were set. */
function rawValue(response: LightMyRequestResponse, name: string): string {
  const lines = [response.headers['set-cookie'] ?? []].flat()
  const line = lines.find((text) => text.startsWith(`${name}=`)) ?? ''
  return line.slice(name.length + 1).split(';')[0] ?? ''
}
