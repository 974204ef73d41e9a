/** Replays recorded service responses, in which `…` marks a cut and `hex:` bytes. */
import type { Socket } from 'node:net'

/** One recorded response. */
export interface Reply {
  readonly id: string
  readonly proto: string
  readonly request: string
  readonly reply: string
}
/** A replayed service: its port if its protocol is probed there, otherwise 0. */
export interface ReplayedService {
  readonly port: number
  readonly handle: (socket: Socket) => void
}

/** @returns null when the record is insufficient: truncated binary protocols and datagrams */
export function replayService(proto: string, replies: readonly Reply[]): ReplayedService | null {
  if (proto === 'http') return { port: 0, handle: website(replies) }
  const [first] = replies
  const reply = first?.reply ?? ''
  if (/^(?:smtp|ftp|ssh|rsync|imap|pop3|svn)$/.test(proto)) return { port: 0, handle: greeting(reply) }
  if (proto === 'mysql') return { port: 0, handle: (socket) => socket.write(bytesOf(reply)) }
  const talk = protocols[proto]
  return talk ? { port: talk.port, handle: answering(talk.answer, replies) } : null
}

/** `hex:0a0b "text"` as bytes; a text ends with a zero byte. */
function bytesOf(written: string): Buffer {
  const [, hex = '', text = ''] = /^hex:([0-9a-f]+)(?: "(.*)")?/.exec(written) ?? []
  return Buffer.concat([Buffer.from(hex, 'hex'), Buffer.from(text === '' ? '' : `${text}\0`), Buffer.alloc(40, 1)])
}

/** Sends the first line immediately, the others after client input. */
function greeting(reply: string): (socket: Socket) => void {
  const end = reply.indexOf('\n') + 1 || reply.length
  return (socket) => {
    socket.write(reply.slice(0, end))
    socket.once('data', () => socket.write(reply.slice(end)))
  }
}

function website(replies: readonly Reply[]): (socket: Socket) => void {
  const pages = new Map(replies.map(({ request, reply }) => [pathOf(request), answerOf(reply)]))
  const [first = ''] = pages.values()
  const elsewhere = `${first.slice(0, first.indexOf('\r\n\r\n')).replace(/^HTTP\S+ .*/, 'HTTP/1.1 404 Not Found')}\r\n\r\n`
  return (socket) => {
    socket.once('data', (chunk) => {
      const [, path = ''] = /^\S+ (\S+)/.exec(chunk.toString('latin1')) ?? []
      socket.end(pages.get(path) ?? elsewhere)
    })
  }
}

function pathOf(request: string): string {
  const [, target = '/'] = /^\S+ (\S+)/.exec(request) ?? []
  return target.startsWith('/') ? target : '/'
}

/**
 * Records contain whole responses, headers only, a status with headers, or a body. The body ends
 * with the record.
 */
function answerOf(reply: string): string {
  const [, status, headers = ''] = /^(\d{3}) (.*?)(?:; then.*)?$/s.exec(reply) ?? []
  if (status !== undefined) return `HTTP/1.1 ${status} Seen\r\n${headers.replaceAll(', ', '\r\n')}\r\n\r\n`
  const isHead = /^(?:HTTP\/|[A-Z][\w-]+: )/.test(reply)
  const whole = reply.startsWith('HTTP/') ? reply : `HTTP/1.1 200 OK\r\n${isHead ? '' : '\r\n'}${reply}`
  const [head = '', ...body] = whole.split('\r\n\r\n')
  const lines = head.split('\r\n').filter((line) => !/^content-length:/i.test(line))
  return `${lines.join('\r\n')}\r\n\r\n${body.join('\r\n\r\n')}`
}

type Answer = (received: string, replies: readonly Reply[]) => string | Buffer | undefined

function answering(response: Answer, replies: readonly Reply[]): (socket: Socket) => void {
  return (socket) => {
    socket.on('data', (chunk) => {
      const reply = response(chunk.toString('latin1'), replies)
      if (reply !== undefined) socket.write(reply)
    })
  }
}

const latin1 = (text: string) => Buffer.from(text, 'latin1')
const first: (replies: readonly Reply[]) => string = ([reply]) => reply?.reply ?? ''

const protocols: Readonly<Record<string, { readonly port: number; readonly answer: Answer }>> = {
  redis: { port: 6379, answer: (received, replies) => (received.startsWith('INFO') ? first(replies) : '+PONG\r\n') },
  memcached: {
    port: 11_211,
    answer: (received, replies) => (received.startsWith('version') ? first(replies) : 'ERROR\r\n'),
  },
  irc: { port: 6667, answer: (received, replies) => (received.includes('NICK') ? first(replies) : undefined) },
  mqtt: {
    port: 1883,
    answer(received, replies) {
      if (received.startsWith('\x10')) return latin1('\x20\x02\0\0')
      const [, topic = '', version = ''] = /"(\$SYS[^"]*)" "([^"]*)"/.exec(first(replies)) ?? []
      const rest = `\0${String.fromCharCode(topic.length)}${topic}${version}`
      return latin1(`\x90\x03\0\x01\0\x31${String.fromCharCode(rest.length)}${rest}`)
    },
  },
  postgresql: {
    port: 5432,
    answer(received, replies) {
      if (received.length === 8) return 'N'
      const [, version = ''] = /server_version (.+)$/.exec(replies.at(-1)?.reply ?? '') ?? []
      return latin1(`R\0\0\0\x08\0\0\0\0S\0\0\0\x40server_version\0${version}\0`)
    },
  },
  ldap: {
    port: 3268,
    answer: (_said, replies) => latin1(`\x30\x60\x02\x01\x01\x64\x5b${first(replies)}`),
  },
  dns: {
    port: 5300,
    answer(_said, replies) {
      const text = first(replies)
      const length = String.fromCharCode(text.length)
      const message = `GC\x84\0\0\x01\0\x01\0\0\0\0\x07version\x04bind\0\0\x10\0\x03\xc0\x0c\0\x10\0\x03\0\0\0\0\0${String.fromCharCode(text.length + 1)}${length}${text}`
      return latin1(`\0${String.fromCharCode(message.length)}${message}`)
    },
  },
}
