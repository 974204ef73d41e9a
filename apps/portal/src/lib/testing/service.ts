/** A test server on 127.0.0.1 that stands in for the identity service and the API. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { providePortalConfig } from '#lib/portal-config.ts'

export interface ReceivedCall {
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly body: unknown
  /** The Idempotency-Key header, if sent. */
  readonly key?: string
}
export interface Reply {
  readonly status?: number
  readonly body?: unknown
  /** The response is delayed until this resolves. */
  readonly after?: Promise<void>
}

export interface Service {
  readonly url: string
  /** All calls except preflights, in order. */
  readonly seen: readonly ReceivedCall[]
  /** Sets the response to a call such as `GET /sessions/whoami`. */
  on(call: string, reply: Reply | ((seen: ReceivedCall) => Reply)): void
  close(): Promise<void>
}

/** Starts the server and configures the portal to use it. */
export async function startService(): Promise<Service> {
  const seen: ReceivedCall[] = []
  const replies = new Map<string, Reply | ((seen: ReceivedCall) => Reply)>()
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      response.setHeader('connection', 'close')
      response.setHeader('access-control-allow-origin', String(request.headers.origin ?? '*'))
      response.setHeader('access-control-allow-credentials', 'true')
      response.setHeader('access-control-allow-headers', 'content-type,idempotency-key')
      response.setHeader('access-control-allow-methods', 'GET,POST,PUT,PATCH,DELETE')
      if (request.method === 'OPTIONS') return response.end()
      const url = new URL(request.url ?? '/', 'http://127.0.0.1')
      const key = request.headers['idempotency-key']
      const call = {
        ...(typeof key === 'string' && { key }),
        method: request.method ?? '',
        path: url.pathname,
        query: Object.fromEntries(url.searchParams),
        body,
      }
      seen.push(call)
      const reply = replies.get(`${call.method} ${call.path}`) ?? {
        status: 404,
        body: { error: { message: 'not here' } },
      }
      const { status = 200, body: answer, after } = typeof reply === 'function' ? reply(call) : reply
      const send = () => {
        response.writeHead(status, { 'content-type': 'application/json' })
        response.end(answer === undefined ? '' : JSON.stringify(answer))
      }
      return after ? void after.then(send) : send()
    })
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  providePortalConfig(testConfig(url))
  return {
    url,
    seen,
    on: (call, reply) => replies.set(call, reply),
    close: () => new Promise((done) => server.close(() => done())),
  }
}

/** A configuration with all services at one URL. */
export function testConfig(url: string, botChallengeSiteKey = '') {
  return {
    apiUrl: url,
    portalUrl: location.origin,
    identityUrl: url,
    apiDocsUrl: `${url}/docs`,
    releaseNotesUrl: `${url}/changes`,
    licenceUrl: `${url}/licence`,
    helpUrl: 'https://help.example.ch/',
    supportEmail: 'support@example.ch',
    botChallengeSiteKey,
    version: '0.1.0',
    billing: true,
  }
}

/** A session as returned by the service, valid for one hour. */
export function sessionOf(more: object = {}) {
  const now = Date.now()
  return {
    id: 's1',
    active: true,
    authenticated_at: new Date(now - 1000).toISOString(),
    expires_at: new Date(now + 3_600_000).toISOString(),
    identity: {
      id: 'i1',
      traits: { email: 'nora@example.ch', name: { first: 'Nora', last: 'Ammann' } },
      verifiable_addresses: [{ value: 'nora@example.ch', verified: true }],
    },
    devices: [{ ip_address: '192.0.2.18:5122', user_agent: '' }],
    ...more,
  }
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = ''
  for await (const piece of request) text += String(piece)
  return text === '' ? undefined : JSON.parse(text)
}
