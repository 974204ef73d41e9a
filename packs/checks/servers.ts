/** Test servers for the checks, on 127.42.x.x. */
import { once } from 'node:events'
import { createServer as createHttp, type RequestListener, type Server } from 'node:http'
import { createServer as createHttps } from 'node:https'
import { createServer as createTcp, type Server as TcpServer, type Socket } from 'node:net'
import type { SecureVersion } from 'node:tls'
import { certificateFor, type CertificateOptions } from '../../packages/scanner/src/template/testing/certificate.ts'

export const address = '127.42.2.1'

export interface Running {
  readonly port: number
  readonly tls: boolean
  close(): void
}
export interface Reply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}
export type Site = (request: { method: string; path: string; headers: NodeJS.Dict<string | string[]>; raw: string; body: string }) => Reply | null
export interface Tls extends CertificateOptions {
  readonly minVersion?: SecureVersion
  readonly maxVersion?: SecureVersion
}

interface CaseOf<Behavior> {
  readonly id: string
  readonly has: Behavior
  readonly hasNot: Behavior
  readonly tls?: Tls
  /** TLS options of the secure server, if they differ. */
  readonly healthyTls?: Tls
  /** Locations that are expected, after the port. */
  readonly at?: readonly string[]
}
/** The server of a case without a protocol is a web server. */
export type WebCase = CaseOf<Site> & { readonly protocol?: undefined }
export type Case = WebCase | (CaseOf<(socket: Socket) => void> & { readonly protocol: string })

/** A web server. Returns 404 when the site returns null. */
export async function web(site: Site, tls?: Tls): Promise<Running> {
  const listener: RequestListener = (request, response) => {
    const { method = '', url: path = '', headers } = request
    const raw = `${method} ${path} HTTP/1.1\r\n${request.rawHeaders.map((text, at) => (at % 2 ? `${text}\r\n` : `${text}: `)).join('')}`
    let body = ''
    request.setEncoding('latin1').on('data', (part: string) => (body += part))
    request.on('end', () => {
      const reply = site({ method, path, headers, raw, body }) ?? { status: 404, body: 'no such page' }
      response.writeHead(reply.status ?? 200, reply.headers ?? {})
      response.end(reply.body ?? '')
    })
  }
  const server = tls
    ? createHttps({ ...certificateFor(tls), ...tls, ciphers: 'ALL:@SECLEVEL=0' } as object, listener)
    : createHttp(listener)
  const running = await listen(server, tls !== undefined)
  return { ...running, close: () => (server.closeAllConnections(), running.close()) }
}

/** A TCP server that hands every connection to `talk`. */
export async function tcp(talk: (socket: Socket) => void): Promise<Running> {
  const sockets = new Set<Socket>()
  const server = createTcp((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    talk(socket)
  })
  const running = await listen(server, false)
  return {
    ...running,
    close() {
      for (const socket of sockets) socket.destroy()
      running.close()
    },
  }
}

/** Sends `greeting`, then replies to each chunk of data with the result of `answers`. */
export function script(greeting: string | Buffer, answers: (received: Buffer) => string | Buffer): (socket: Socket) => void {
  return (socket) => {
    if (greeting.length > 0) socket.write(greeting)
    socket.on('data', (received: Buffer) => socket.write(answers(received)))
  }
}

async function listen(server: Server | TcpServer, tls: boolean): Promise<Running> {
  server.listen(0, address)
  await once(server, 'listening')
  const bound = server.address()
  return { port: typeof bound === 'object' && bound ? bound.port : 0, tls, close: () => void server.close() }
}
