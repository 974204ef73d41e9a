/**
 * Hears targets call back: a check hands out an address that nobody can guess, and whoever asks for it
 * has been made to by that check. Speaks HTTP and, for a domain of one's own, DNS.
 */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'
import { type Callbacks, type CallbackPlace, createBook, type Interaction, lengthOf } from '#callback/book.ts'
import { answerQuestion } from '#callback/dns.ts'

export type { CallbackAddress, Callbacks, Interaction } from '#callback/book.ts'

export interface CallbackSettings {
  /** A domain whose DNS is served here; absent: addresses are paths below `publicHost`. */
  readonly domain?: string
  /** How targets reach this machine: a name or an IP address. It is also what the domain's names lead to. */
  readonly publicHost: string
  /** The port under which targets reach us, where it is not the one that is listened on. */
  readonly publicPort?: number
  readonly listen: string
  readonly httpPort: number
  /** Absent: no DNS. */
  readonly dnsPort?: number
}
export interface CallbackServer extends Callbacks {
  readonly httpPort: number
  readonly dnsPort: number | null
  readonly place: CallbackPlace
  /** Waits for calls to an address that was made elsewhere, and tells of each as it comes. */
  expect(id: string, tell: (call: Interaction) => void): void
  close(): Promise<void>
}

const ID = /[\da-f]{40}/
/** Addresses that are waited for at one time; the oldest makes room. */
const IDS_MAX = 50_000
/** What is told of one address: calls, and their length together in characters. */
const INTERACTIONS_MAX = 20
const TOLD_MAX = 64 * 1024
const REQUEST_BYTES_MAX = 16 * 1024

/**
 * Starts to listen. Calls to addresses that nobody waits for are answered in the same way and not
 * remembered. A call is looked up a turn of the event loop after it came, so that word of an address
 * that another thread sent before it handed the address out is always read before.
 *
 * @throws when a port cannot be listened on
 */
export async function createCallbackServer(settings: CallbackSettings): Promise<CallbackServer> {
  const expected = createExpected()
  const remember = (text: string, call: Interaction) => expected.tell(ID.exec(text.toLowerCase())?.[0] ?? '', call)
  const http = await listenHttp(settings, remember)
  const dns =
    settings.dnsPort === undefined
      ? null
      : await listenDns(settings, settings.dnsPort, remember).catch(async (error: unknown) => {
          await http.close()
          throw error
        })
  const { domain, publicHost, publicPort = http.port } = settings
  const place = { publicHost, publicPort, ...(domain !== undefined && { domain }) }
  const book = createBook(place, {
    expect: (id) => expected.add(id, (call) => book.note(id, call)),
    forget: expected.remove,
  })
  return {
    ...book,
    httpPort: http.port,
    dnsPort: dns?.port ?? null,
    place,
    expect: expected.add,
    close: async () => void (await Promise.all([http.close(), dns?.close()])),
  }
}

/** Who is to be told of calls to which address, within the bounds of one address and of all. */
function createExpected() {
  const byId = new Map<string, { calls: number; length: number; readonly tell: (call: Interaction) => void }>()
  return {
    add(id: string, tell: (call: Interaction) => void) {
      const [oldest] = byId.size >= IDS_MAX ? byId.keys() : []
      if (oldest !== undefined) byId.delete(oldest)
      byId.set(id, { calls: 0, length: 0, tell })
    },
    remove: (id: string) => void byId.delete(id),
    tell(id: string, call: Interaction) {
      const one = byId.get(id)
      if (!one || one.calls >= INTERACTIONS_MAX || one.length + lengthOf(call) > TOLD_MAX) return
      one.calls++
      one.length += lengthOf(call)
      one.tell(call)
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
  const server = createServer(
    { requestTimeout: 10_000, headersTimeout: 5_000, maxHeaderSize: REQUEST_BYTES_MAX },
    (request, response) => {
      readText(request)
        .then(async (text) => {
          // The answer repeats the id backwards, so that a page that shows it was fetched by the target.
          const body = `<html><head></head><body>${(ID.exec(text.toLowerCase())?.[0] ?? '').split('').reverse().join('')}</body></html>`
          const address = request.socket.remoteAddress ?? ''
          await turn()
          remember(text, { protocol: 'http', request: text, response: `HTTP/1.1 200 OK\r\n\r\n${body}`, address })
          response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', Connection: 'close' }).end(body)
        })
        .catch(() => response.destroy())
    },
  )
  server.maxConnections = 500
  server.on('clientError', (_error, socket) => socket.destroy())
  server.listen(httpPort, listen)
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : httpPort,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
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
  const answer = (message: Buffer, address: string, from: number) => {
    const answered = isClosed || from === 0 ? undefined : answerQuestion(message, { domain, address: publicHost })
    if (!answered) return
    const { name, type, reply } = answered
    remember(name, { protocol: 'dns', request: `${name} IN ${type}`, response: reply.toString('latin1'), address })
    // Nobody is owed a reply: one that cannot be sent is dropped.
    socket.send(reply, from, address, () => undefined)
  }
  socket.on('message', (message, { address, port: from }) => setImmediate(() => answer(message, address, from)))
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
