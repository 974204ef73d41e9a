/** Runs native checks against a small test server. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer as createHttp2Server, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import { createServer, type Socket } from 'node:net'
import type { CheckPermission, Observation } from '@glacis/contract/runner'
import type { Callbacks } from '#callback/index.ts'
import { runNative } from '#native/run.ts'
import type { IdentifiedService } from '#native/types.ts'
import { createHttpClient } from '#net/http.ts'
import type { HttpProtocol } from '#net/http-connect.ts'
import { createSharedClient } from '#net/shared-client.ts'

const address = '127.67.3.1'
const guard = { denialReason: () => null }
const budget = { take: async () => undefined }

export interface Peer extends AsyncDisposable {
  readonly port: number
}

/** A TCP server that passes every connection to `talk`. */
export async function tcpPeer(talk: (socket: Socket) => void, port = 0): Promise<Peer> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    talk(socket)
  })
  server.listen(port, address)
  await once(server, 'listening')
  const bound = server.address()
  return {
    port: typeof bound === 'object' && bound ? bound.port : 0,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** A UDP server that replies to each datagram with the result of `respond`; null sends nothing. */
export async function udpPeer(respond: (received: Buffer) => Buffer | null): Promise<Peer> {
  const socket = createSocket('udp4')
  socket.on('message', (received, from) => {
    const reply = respond(received)
    if (reply) socket.send(reply, from.port, from.address)
  })
  socket.bind(0, address)
  await once(socket, 'listening')
  return {
    port: socket.address().port,
    async [Symbol.asyncDispose]() {
      socket.close()
    },
  }
}

/**
 * Sends `greeting`, then replies to each message with the result of `respond`; an empty result sends
 * nothing.
 */
export function answering(
  greeting: string | Buffer,
  respond: (received: string, raw: Buffer, turn: number) => string | Buffer,
): (socket: Socket) => void {
  return (socket) => {
    let turn = 0
    if (greeting.length > 0) socket.write(latin1(greeting))
    socket.on('data', (received) => {
      const reply = respond(received.toString('latin1'), Buffer.from(received), turn++)
      if (reply.length > 0) socket.write(latin1(reply))
    })
  }
}

function latin1(text: string | Buffer): Buffer {
  return typeof text === 'string' ? Buffer.from(text, 'latin1') : text
}

/** Findings of the checks that run without permissions on a web server. */
export async function findOnSite(serve: RequestListener): Promise<string[]> {
  return (await observeSite(serve)).flatMap((observation) => (observation.kind === 'finding' ? observation.check : []))
}

/** The same for a site of fixed pages. */
export function findOnPages(pages: Readonly<Record<string, string>>): Promise<string[]> {
  return findOnSite(({ url = '' }, response) => {
    const body = pages[url]
    response.writeHead(body === undefined ? 404 : 200, { connection: 'close' }).end(body)
  })
}

/** The same for a server that uses HTTP/2 without TLS. */
export async function findOnHttp2Site(
  serve: (request: Http2ServerRequest, response: Http2ServerResponse) => void,
): Promise<string[]> {
  const server = createHttp2Server(serve).listen(0, address)
  await once(server, 'listening')
  const bound = server.address()
  const port = typeof bound === 'object' && bound ? bound.port : 0
  try {
    return (await runNativeChecks({ port }, { protocol: 'http' }, [], undefined, 'h2')).found
  } finally {
    server.close()
  }
}

/** Observations of the same checks. */
export async function observeSite(serve: RequestListener): Promise<readonly Observation[]> {
  const server = createHttpServer(serve).listen(0, address)
  await once(server, 'listening')
  const bound = server.address()
  const port = typeof bound === 'object' && bound ? bound.port : 0
  try {
    return (await runNativeChecks({ port }, { protocol: 'http' }, [])).seen
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

/** Findings and coverage of a protocol's checks on one port. */
export async function runNativeChecks(
  { port }: Pick<Peer, 'port'>,
  service: Pick<IdentifiedService, 'protocol'> & Partial<IdentifiedService>,
  permissions: readonly CheckPermission[] = ['logins'],
  callbacks?: Callbacks,
  webProtocol?: HttpProtocol,
): Promise<{ found: string[]; covered: string[]; seen: Observation[] }> {
  const whole = { transport: 'tcp' as const, tls: false, banner: '', technologies: [], ...service, port }
  const target = { address, hostname: 'mx.lab.test', basePath: '/', services: [whole] }
  const signal = AbortSignal.timeout(25_000)
  const observations: Observation[] = []
  const http = createHttpClient({ guard })
  const shared = createSharedClient(http)
  const origin = { address, port, tls: whole.tls, hostname: target.hostname }
  // As the identification of the service does.
  if (webProtocol) await http.request(origin, { method: 'GET', path: '/' }, { signal, protocol: webProtocol })
  const extra = { permissions: new Set(permissions), ...(callbacks && { callbacks }) }
  const tools = { shared, guard, budget, signal, servicesAtOnce: 1, ...extra }
  for await (const observation of runNative(target, { ...tools, profile: 'gentle' })) observations.push(observation)
  shared.clear()
  await http.close()
  return {
    found: observations.flatMap((observation) => (observation.kind === 'finding' ? observation.check : [])),
    covered: observations.flatMap((observation) => (observation.kind === 'coverage' ? observation.checks : [])),
    seen: observations,
  }
}
