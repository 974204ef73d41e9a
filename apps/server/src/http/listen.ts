/** Listens for HTTP on one or more addresses. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ApiErrorBody } from '@glacis/contract/primitives'

/** Avoids `import 'node:http'`, whose named exports load undici. */
const http = process.getBuiltinModule('node:http')

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** Longer than the keep-alive of common proxies, so that the proxy closes idle connections and no request is lost. */
const keepMs = 75_000
/** How long a shutdown waits for requests in progress. */
const graceMs = 500
const lookMs = 20

export interface Doors {
  /** Stops accepting connections; resolves when all requests are finished or cut off. */
  close(): Promise<void>
}

/** Resolves when listening on every address. @throws the system error if one can't be bound */
export async function openDoors(hosts: readonly string[], port: number, answer: Answer): Promise<Doors> {
  const servers: Server[] = []
  for (const host of hosts) servers.push(await listenOn(host, port, answer))
  return {
    async close() {
      await Promise.all(servers.map(closeOne))
    },
  }
}

export async function listenOn(host: string, port: number, answer: Answer): Promise<Server> {
  const server = http.createServer({ requestTimeout: 30_000, keepAliveTimeout: keepMs }, (request, response) => {
    const { 'transfer-encoding': coding = 'chunked' } = request.headers
    // A body in another transfer coding would be read as plain data.
    if (coding.toLowerCase() === 'chunked') answer(request, response)
    else refuse(response, 501, { code: 12, message: 'Only chunked transfer encoding is supported' })
  })
  server.on('checkExpectation', (_, response) => {
    refuse(response, 417, { code: 3, message: 'Only the expectation 100-continue is supported' })
  })
  server.on('clientError', refuseUnread)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen({ host, port, ipv6Only: host.includes(':') }, resolve)
  await promise
  return server
}

async function closeOne(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  server.close(() => resolve())
  const cut = setTimeout(() => server.closeAllConnections(), graceMs)
  // Connections that become idle during the shutdown must be closed too.
  const leave = setInterval(() => server.closeIdleConnections(), lookMs)
  await promise
  clearTimeout(cut)
  clearInterval(leave)
}

/** Responds without reading the body, and closes the connection. */
function refuse(response: ServerResponse, status: number, error: ApiErrorBody): void {
  const body = JSON.stringify(error)
  response.writeHead(status, {
    connection: 'close',
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
}

/** By error code of the HTTP parser. */
const refusals: Readonly<Record<string, readonly [status: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The URL and headers are too long'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request timed out'],
}
const broken = ['400 Bad Request', 'The request is not valid HTTP/1.1'] as const

/** Responds to requests that the HTTP parser rejects before Fastify sees them. */
function refuseUnread(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const [status, message] = refusals[error.code ?? ''] ?? broken
  const body = JSON.stringify({ code: 3, message } satisfies ApiErrorBody)
  const head = `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: application/json; charset=utf-8\r\n`
  socket.end(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
}
