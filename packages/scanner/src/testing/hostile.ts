/** Hostile servers: each exhibits one behavior that breaks a naive client. */
import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { dribble, flood, greet, neverFinishTls, reset, sendNothing } from '#testing/loopback.ts'

export interface Hostile {
  readonly name: string
  /** Ports of its protocol; absent: any. */
  readonly port?: number
  readonly handle: (socket: Socket) => void
}

/** Answers each request with these bytes. */
function http(
  reply: string | Buffer | ((turn: number) => string | Buffer),
  after: (socket: Socket) => void = () => undefined,
) {
  return (socket: Socket) => {
    let turn = 0
    socket.on('data', () => {
      if (socket.destroyed) return
      socket.write(typeof reply === 'function' ? reply(turn++) : reply)
      after(socket)
    })
  }
}

/** Sends the head once and then repeats the same chunk forever. */
function endlessly(head: string, part: string | Buffer, waitsForInput = true): (socket: Socket) => void {
  return (socket) => {
    const begin = () => {
      socket.write(head)
      const pour = () => {
        while (!socket.destroyed && socket.write(part));
      }
      socket.on('drain', pour)
      pour()
    }
    if (waitsForInput) socket.once('data', begin)
    else begin()
  }
}

const ok = 'HTTP/1.1 200 OK\r\n'
const html = `${ok}Content-Type: text/html\r\n`
const sized = (body: string | Buffer, headers = '') =>
  Buffer.concat([Buffer.from(`${html}${headers}Content-Length: ${body.length}\r\n\r\n`), Buffer.from(body)])
const bomb = gzipSync(Buffer.alloc(32 * 1024 * 1024))
const long = 'a'.repeat(1024 * 1024)

export const webHostiles: readonly Hostile[] = [
  { name: 'an endless body', handle: endlessly(`${html}\r\n`, Buffer.alloc(65_536, 'z')) },
  { name: 'endless chunks', handle: endlessly(`${html}Transfer-Encoding: chunked\r\n\r\n`, '5\r\nhello\r\n') },
  { name: 'endless headers', handle: endlessly(ok, 'X-More: and more\r\n') },
  { name: 'a header of 1 MB', handle: http(`${ok}X-Big: ${long}\r\n\r\n`) },
  { name: 'ten thousand headers', handle: http(`${ok}${'X-A: b\r\n'.repeat(10_000)}Content-Length: 0\r\n\r\n`) },
  { name: 'a decompression bomb', handle: http(sized(bomb, 'Content-Encoding: gzip\r\n')) },
  { name: 'a bomb in a bomb', handle: http(sized(gzipSync(bomb), 'Content-Encoding: gzip, gzip\r\n')) },
  { name: 'corrupt compression', handle: http(sized(bomb.subarray(0, 200), 'Content-Encoding: gzip\r\n')) },
  {
    name: 'endless redirects',
    handle: http((turn) => `HTTP/1.1 302 Found\r\nLocation: /loop${turn}\r\nContent-Length: 0\r\n\r\n`),
  },
  { name: 'a redirect to itself', handle: http('HTTP/1.1 301 Moved\r\nLocation: /\r\nContent-Length: 0\r\n\r\n') },
  {
    name: 'a redirect to the metadata service',
    handle: http(
      'HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/latest/meta-data/\r\nContent-Length: 0\r\n\r\n',
    ),
  },
  {
    name: 'a redirect to a file',
    handle: http('HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n'),
  },
  { name: 'a chunk with an invalid size', handle: http(`${html}Transfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n`) },
  {
    name: 'a chunk of 2^60 bytes',
    handle: http(`${html}Transfer-Encoding: chunked\r\n\r\n1000000000000000\r\nhello\r\n`),
  },
  { name: 'a negative Content-Length', handle: http(`${html}Content-Length: -1\r\n\r\nhello`) },
  { name: 'two Content-Length headers', handle: http(`${html}Content-Length: 1\r\nContent-Length: 500\r\n\r\nhello`) },
  {
    name: 'a body shorter than its length',
    handle: http(`${html}Content-Length: 5000\r\n\r\nhello`, (socket) => socket.end()),
  },
  {
    name: 'a reset within the body',
    handle: http(`${html}Content-Length: 5000\r\n\r\nhello`, (socket) => socket.resetAndDestroy()),
  },
  { name: 'HTTP/0.9', handle: http('<html><title>old</title></html>', (socket) => socket.end()) },
  { name: 'an invalid status line', handle: http('HTTP/9.9 abc \u0000\u0001\r\n\r\n') },
  { name: 'status 000', handle: http('HTTP/1.1 000 Nothing\r\nContent-Length: 0\r\n\r\n') },
  { name: 'only 100 Continue', handle: endlessly('', 'HTTP/1.1 100 Continue\r\n\r\n') },
  {
    name: 'a protocol switch',
    handle: http('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n'),
  },
  { name: 'two responses to one request', handle: http(Buffer.concat([sized('one'), sized('two')])) },
  { name: 'a title of 1 MB', handle: http(sized(`<html><title>${long}</title></html>`)) },
  {
    name: 'markup injection',
    handle: http(
      sized('<title><script>alert(1)</script>\u202e\u0000</title>', 'Server: <img src=x onerror=alert(1)>\r\n'),
    ),
  },
  { name: '100,000 open tags', handle: http(sized('<div '.repeat(100_000))) },
  {
    name: 'input for catastrophic backtracking',
    handle: http(sized(`<meta name="generator" content="${'a'.repeat(60_000)}!`)),
  },
  {
    name: 'too many cookies',
    handle: http(`${ok}${'Set-Cookie: a=b; path=/\r\n'.repeat(900)}Content-Length: 0\r\n\r\n`),
  },
  {
    name: 'a body at one byte per second',
    handle: (socket) =>
      socket.once('data', () => {
        socket.write(`${html}\r\n`)
        dribble(1000)(socket)
      }),
  },
]

const kexLies = Buffer.concat([
  Buffer.from('SSH-2.0-x\r\n'),
  Buffer.from('0000002004147fffffff'.padEnd(72, '0'), 'hex'),
])

export const otherHostiles: readonly Hostile[] = [
  { name: 'a data flood', handle: flood },
  { name: 'an immediate reset', handle: reset },
  { name: 'an immediate close', handle: (socket) => socket.end() },
  { name: 'no response', handle: sendNothing },
  { name: 'a slow byte stream', handle: dribble(500) },
  { name: 'TLS that never finishes', port: 8443, handle: neverFinishTls },
  {
    name: 'invalid TLS records',
    port: 8443,
    handle: (socket) => socket.on('data', () => socket.write(Buffer.alloc(5000, 0x16))),
  },
  {
    name: 'a banner with terminal escapes',
    handle: greet('220 \u001b[2J\u001b]0;owned\u0007\u202e\u0000\u009b31m ftp ready\r\n'),
  },
  { name: 'an endless FTP banner', handle: endlessly('', '220-welcome\r\n', false) },
  {
    name: 'an endless EHLO response',
    handle: (socket) => {
      socket.write('220 mx ESMTP\r\n')
      endlessly('', '250-AND\r\n')(socket)
    },
  },
  { name: 'SSH lists with wrong lengths', handle: greet(kexLies) },
  {
    name: 'an SSH packet of 4 GiB',
    handle: greet(Buffer.concat([Buffer.from('SSH-2.0-x\r\n'), Buffer.alloc(600, 0xff)])),
  },
  { name: 'a truncated MySQL handshake', handle: greet(Buffer.from('4a0000000a352e352e3000', 'hex')) },
  {
    name: 'endless MySQL authentication switches',
    handle: (socket) => {
      socket.write(Buffer.from(`4a0000000a352e352e3000${'01'.repeat(70)}`, 'hex'))
      socket.on('data', () => socket.write(Buffer.from('010000 02 fe'.replaceAll(' ', ''), 'hex')))
    },
  },
  { name: 'endless rsync modules', handle: endlessly('@RSYNCD: 31.0\n', 'module\tcomment\n', false) },
  {
    name: 'a Redis reply that announces 1 GB',
    port: 6379,
    handle: (socket) =>
      socket.on('data', (received) =>
        socket.write(received.includes('PING') ? '+PONG\r\n' : '$999999999\r\n# Server\r\n'),
      ),
  },
  {
    name: 'a DNS name with a compression loop',
    port: 5300,
    handle: (socket) =>
      socket.on('data', () =>
        socket.write(
          Buffer.from(
            '001c 4743 8180 0001 0001 0000 0000 c00c 0010 0003 c00c 0010 0003 ffff'.replaceAll(' ', ''),
            'hex',
          ),
        ),
      ),
  },
  {
    name: 'an LDAP length of 2^32',
    port: 3268,
    handle: (socket) => socket.on('data', () => socket.write(Buffer.from('3084ffffffff020101640000', 'hex'))),
  },
  {
    name: 'a MongoDB document of 2 GiB',
    port: 27017,
    handle: (socket) =>
      socket.on('data', () => socket.write(Buffer.from('ffffff7f0000000000000000dd07000000000000', 'hex'))),
  },
  {
    name: 'a PostgreSQL server that only sends N',
    port: 5432,
    handle: (socket) => socket.on('data', () => socket.write('N')),
  },
  { name: 'endless Subversion parentheses', handle: endlessly('( success ( 2 2 ', '( ', false) },
]
