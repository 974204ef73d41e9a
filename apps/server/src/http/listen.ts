/** The doors of the one server: the addresses that it listens on. */
import type { createServer, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ApiError } from '@glacis/contract/primitives'

/** An import of `node:http` by name reads all its names, and one of them loads another client of HTTP. */
const http = process.getBuiltinModule('node:http')

type Answer = Parameters<typeof createServer>[1]

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
  const server = http.createServer({ requestTimeout: 30_000, keepAliveTimeout: keepMs }, answer)
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
