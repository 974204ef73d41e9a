/**
 * Callback server for out-of-band checks: a check sends an unguessable address to a target and is
 * confirmed when the target requests it. Serves HTTP and LDAP on one port and, with a delegated domain, DNS.
 */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { createServer as createTcpServer, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import {
  type Callbacks,
  type CallbackEndpoint,
  createCallbackRegistry,
  type Interaction,
  lengthOf,
} from '#callback/registry.ts'
import { answerQuestion } from '#callback/dns.ts'
import { isLdap, readLdap } from '#callback/ldap.ts'

export type { CallbackAddress, Callbacks, Interaction } from '#callback/registry.ts'

export interface CallbackSettings {
  /** A domain whose DNS is served here; when absent, addresses are paths on `publicHost`. */
  readonly domain?: string
  /**
   * Name or IP address where targets reach this machine. Also the address of every name in the
   * domain.
   */
  readonly publicHost: string
  /** Port where targets reach this machine, if it differs from the listening port. */
  readonly publicPort?: number
  readonly listen: string
  readonly httpPort: number
  /** Absent: no DNS. */
  readonly dnsPort?: number
}
export interface CallbackServer extends Callbacks {
  readonly httpPort: number
  readonly dnsPort: number | null
  readonly endpoint: CallbackEndpoint
  /** Registers an address created elsewhere and reports its interactions as they arrive. */
  expect(id: string, notify: (call: Interaction) => void): void
  close(): Promise<void>
}

const ID = /[\da-f]{40}/
/** Maximum number of registered addresses; the oldest is evicted. */
const IDS_MAX = 50_000
/** Per-address limits: number of interactions and their total length in characters. */
const INTERACTIONS_MAX = 20
const INTERACTIONS_LENGTH_MAX = 64 * 1024
const REQUEST_BYTES_MAX = 16 * 1024
/** Maximum duration of a connection. */
const CONNECTION_MS = 10_000

/**
 * Starts listening. Requests for unknown addresses get the same response and aren't recorded.
 * Lookups are deferred by one turn of the event loop, so that an address registered from another
 * process is known before its first callback is processed.
 *
 * @throws when a port can't be opened
 */
export async function createCallbackServer(settings: CallbackSettings): Promise<CallbackServer> {
  const expected = createExpected()
  const remember = (text: string, call: Interaction) => expected.notify(ID.exec(text.toLowerCase())?.[0] ?? '', call)
  const http = await listenHttp(settings, remember)
  const dns =
    settings.dnsPort === undefined
      ? null
      : await listenDns(settings, settings.dnsPort, remember).catch(async (error: unknown) => {
          await http.close()
          throw error
        })
  const { domain, publicHost, publicPort = http.port } = settings
  const endpoint = { publicHost, publicPort, ...(domain !== undefined && { domain }) }
  const registry = createCallbackRegistry(endpoint, {
    expect: (id) => expected.add(id, (call) => registry.record(id, call)),
    forget: expected.remove,
  })
  return {
    ...registry,
    httpPort: http.port,
    dnsPort: dns?.port ?? null,
    endpoint,
    expect: expected.add,
    close: async () => void (await Promise.all([http.close(), dns?.close()])),
  }
}

/** Registered addresses and their listeners, bounded per address and in total. */
function createExpected() {
  const byId = new Map<string, { calls: number; length: number; readonly notify: (call: Interaction) => void }>()
  return {
    add(id: string, notify: (call: Interaction) => void) {
      const [oldest] = byId.size >= IDS_MAX ? byId.keys() : []
      if (oldest !== undefined) byId.delete(oldest)
      byId.set(id, { calls: 0, length: 0, notify })
    },
    remove: (id: string) => void byId.delete(id),
    notify(id: string, call: Interaction) {
      const entry = byId.get(id)
      if (!entry || entry.calls >= INTERACTIONS_MAX || entry.length + lengthOf(call) > INTERACTIONS_LENGTH_MAX) return
      entry.calls++
      entry.length += lengthOf(call)
      entry.notify(call)
    },
  }
}

type Remember = (text: string, interaction: Interaction) => void
interface Listening {
  readonly port: number
  close(): Promise<void>
}

async function listenHttp({ listen, httpPort }: CallbackSettings, remember: Remember): Promise<Listening> {
  const { createServer } = await import('node:http')
  const http = createServer({ maxHeaderSize: REQUEST_BYTES_MAX }, (request, response) => {
    readText(request)
      .then(async (text) => {
        // The response contains the reversed ID, which proves that the target fetched the page
        // rather than reflected its URL.
        const body = `<html><head></head><body>${(ID.exec(text.toLowerCase())?.[0] ?? '').split('').reverse().join('')}</body></html>`
        const address = request.socket.remoteAddress ?? ''
        await turn()
        remember(text, { protocol: 'http', request: text, response: `HTTP/1.1 200 OK\r\n\r\n${body}`, address })
        response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', Connection: 'close' }).end(body)
      })
      .catch(() => response.destroy())
  })
  http.on('clientError', (_error, socket) => socket.destroy())
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    sockets.add(socket)
    const deadline = setTimeout(() => socket.destroy(), CONNECTION_MS)
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearTimeout(deadline)
      sockets.delete(socket)
    })
    socket.once('data', (first: Buffer) => {
      if (isLdap(first)) return serveLdap(socket, first, remember)
      socket.pause()
      socket.unshift(first)
      http.emit('connection', socket)
      setImmediate(() => socket.resume())
    })
  })
  server.maxConnections = 500
  server.listen(httpPort, listen)
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : httpPort,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

/** Clients wait for each reply, so a packet is one message. */
function serveLdap(socket: Socket, first: Buffer, remember: Remember): void {
  const respond = (packet: Buffer) => {
    const message = readLdap(packet)
    if (!message) return void socket.destroy()
    const { name, reply } = message
    const address = socket.remoteAddress ?? ''
    if (name !== undefined) remember(name, { protocol: 'ldap', request: name, response: '', address })
    if (reply) socket.write(reply)
    else socket.end()
  }
  socket.on('data', (packet: Buffer) => setImmediate(() => respond(packet)))
  setImmediate(() => respond(first))
}

async function readText(request: IncomingMessage): Promise<string> {
  const head = request.rawHeaders.reduce((lines, part, at) => lines + part + (at % 2 === 0 ? ': ' : '\r\n'), '')
  let body = ''
  for await (const chunk of request) {
    body += Buffer.from(chunk).toString('latin1')
    if (body.length > REQUEST_BYTES_MAX) break
  }
  return `${request.method} ${request.url} HTTP/${request.httpVersion}\r\n${head}\r\n${body.slice(0, REQUEST_BYTES_MAX)}`
}

async function listenDns(
  { listen, domain = '', publicHost }: CallbackSettings,
  port: number,
  remember: Remember,
): Promise<Listening> {
  const socket = createSocket(listen.includes(':') ? 'udp6' : 'udp4')
  let isClosed = false
  const respond = (message: Buffer, address: string, from: number) => {
    const answered = isClosed || from === 0 ? undefined : answerQuestion(message, { domain, address: publicHost })
    if (!answered) return
    const { name, type, reply } = answered
    remember(name, { protocol: 'dns', request: `${name} IN ${type}`, response: reply.toString('latin1'), address })
    // Replies that can't be sent are dropped.
    socket.send(reply, from, address, () => undefined)
  }
  socket.on('message', (message, { address, port: from }) => setImmediate(() => respond(message, address, from)))
  socket.bind(port, listen)
  await once(socket, 'listening')
  socket.on('error', () => undefined)
  return {
    port: socket.address().port,
    close: () => {
      isClosed = true
      return new Promise((resolve) => socket.close(() => resolve()))
    },
  }
}
