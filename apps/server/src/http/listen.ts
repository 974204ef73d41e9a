/** Listens for HTTP on one or more addresses. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ApiErrorBody } from '@glacis/contract/primitives'

/** Avoids `import 'node:http'`, whose named exports load undici. */
const http = process.getBuiltinModule('node:http')

type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void

/** Longer than the keep-alive of common proxies, so that the proxy closes idle connections and no request is lost. */
const keepAliveMs = 75_000
/** How long a shutdown waits for requests in progress, at least. */
const graceMsMin = 500
const pollMs = 20

export interface Listeners {
  /** Stops accepting connections; resolves when all requests are finished, or cut off after this time. */
  close(graceMs?: number): Promise<void>
}

/** Resolves when listening on every address. @throws the system error if one can't be bound */
export async function listenOnAll(hosts: readonly string[], port: number, handle: RequestHandler): Promise<Listeners> {
  const servers: Server[] = []
  for (const host of hosts) servers.push(await listenOn(host, port, handle))
  return {
    async close(graceMs = 0) {
      await Promise.all(servers.map((server) => closeServer(server, Math.max(graceMs, graceMsMin))))
    },
  }
}

export async function listenOn(host: string, port: number, handle: RequestHandler): Promise<Server> {
  const server = http.createServer({ requestTimeout: 30_000, keepAliveTimeout: keepAliveMs }, (request, response) => {
    const { 'transfer-encoding': coding = 'chunked' } = request.headers
    // A body in another transfer coding would be read as plain data.
    if (coding.toLowerCase() === 'chunked') handle(request, response)
    else sendRejection(response, 501, { code: 12, message: 'Only chunked transfer encoding is supported' })
  })
  server.on('checkExpectation', (_, response) => {
    sendRejection(response, 417, { code: 3, message: 'Only the expectation 100-continue is supported' })
  })
  server.on('clientError', rejectUnparsed)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen({ host, port, ipv6Only: host.includes(':') }, resolve)
  await promise
  return server
}

async function closeServer(server: Server, graceMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  server.close(() => resolve())
  const timeout = setTimeout(() => server.closeAllConnections(), graceMs)
  // Connections that become idle during the shutdown must be closed too.
  const idleTimer = setInterval(() => server.closeIdleConnections(), pollMs)
  await promise
  clearTimeout(timeout)
  clearInterval(idleTimer)
}

/** Responds without reading the body, and closes the connection. */
function sendRejection(response: ServerResponse, status: number, error: ApiErrorBody): void {
  const body = JSON.stringify(error)
  response.writeHead(status, {
    connection: 'close',
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
}

/** By error code of the HTTP parser. */
const parserErrors: Readonly<Record<string, readonly [status: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The URL and headers are too long'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request timed out'],
}
const badRequest = ['400 Bad Request', 'The request is not valid HTTP/1.1'] as const

/** Responds to requests that the HTTP parser rejects before Fastify sees them. */
function rejectUnparsed(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const [status, message] = parserErrors[error.code ?? ''] ?? badRequest
  const body = JSON.stringify({ code: 3, message } satisfies ApiErrorBody)
  const head = `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: application/json; charset=utf-8\r\n`
  socket.end(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
}
