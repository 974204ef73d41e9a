/** The doors of the one server: the addresses that it listens on. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ApiError } from '@glacis/contract/primitives'

/** An import of `node:http` by name reads all its names, and one of them loads another client of HTTP. */
const http = process.getBuiltinModule('node:http')

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** Proxies ask again over a connection that they have: it is they who end it, as a question must not meet its end. */
const keepMs = 75_000
/** Whoever has asked is answered if that takes no longer; streams and long waits are cut. */
const graceMs = 500
const lookMs = 20

export interface Doors {
  /** Takes nobody in any more; resolves when those who were inside have their answer or were sent away. */
  close(): Promise<void>
}

/** Resolves when every address is listened on. @throws what the system says when one cannot be */
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
    // Whatever else it is wrapped in would be taken for the body itself.
    if (coding.toLowerCase() === 'chunked') answer(request, response)
    else refuse(response, 501, { code: 12, message: 'No transfer coding but chunked is known here' })
  })
  server.on('checkExpectation', (_, response) => {
    refuse(response, 417, { code: 3, message: 'No expectation but 100-continue is known here' })
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
  // A connection stays open after its answer, for a next question that is no longer taken.
  const leave = setInterval(() => server.closeIdleConnections(), lookMs)
  await promise
  clearTimeout(cut)
  clearInterval(leave)
}

/** Answers what nothing else is read of, nor of what may follow it. */
function refuse(response: ServerResponse, status: number, error: ApiError): void {
  const body = JSON.stringify(error)
  response.writeHead(status, {
    connection: 'close',
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
}

/** By the parser's word for it. */
const refusals: Readonly<Record<string, readonly [status: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The address and the headers are too long'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time'],
}
const broken = ['400 Bad Request', 'This is not a request of HTTP/1.1'] as const

/** What the parser of HTTP cannot read never reaches the app, and is told so in its words. */
function refuseUnread(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const [status, message] = refusals[error.code ?? ''] ?? broken
  const body = JSON.stringify({ code: 3, message } satisfies ApiError)
  const head = `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: application/json; charset=utf-8\r\n`
  socket.end(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
}
