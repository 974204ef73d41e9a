/** Hostile servers: each exhibits one behavior that breaks a naive client. */
import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { dribble, flood, greet, neverFinishTls, reset, stayMute } from '#testing/loopback.ts'

export interface Hostile {
  readonly name: string
  /** Ports of its protocol; absent: any. */
  readonly port?: number
  readonly treat: (socket: Socket) => void
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
function endlessly(head: string, part: string | Buffer, waitsForWords = true): (socket: Socket) => void {
  return (socket) => {
    const begin = () => {
      socket.write(head)
      const pour = () => {
        while (!socket.destroyed && socket.write(part));
      }
      socket.on('drain', pour)
      pour()
    }
    if (waitsForWords) socket.once('data', begin)
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
  { name: 'an endless body', treat: endlessly(`${html}\r\n`, Buffer.alloc(65_536, 'z')) },
  { name: 'endless chunks', treat: endlessly(`${html}Transfer-Encoding: chunked\r\n\r\n`, '5\r\nhello\r\n') },
  { name: 'endless headers', treat: endlessly(ok, 'X-More: and more\r\n') },
  { name: 'a header of a megabyte', treat: http(`${ok}X-Big: ${long}\r\n\r\n`) },
  { name: 'ten thousand headers', treat: http(`${ok}${'X-A: b\r\n'.repeat(10_000)}Content-Length: 0\r\n\r\n`) },
  { name: 'a decompression bomb', treat: http(sized(bomb, 'Content-Encoding: gzip\r\n')) },
  { name: 'a bomb in a bomb', treat: http(sized(gzipSync(bomb), 'Content-Encoding: gzip, gzip\r\n')) },
  { name: 'damaged compression', treat: http(sized(bomb.subarray(0, 200), 'Content-Encoding: gzip\r\n')) },
  {
    name: 'redirects without end',
    treat: http((turn) => `HTTP/1.1 302 Found\r\nLocation: /loop${turn}\r\nContent-Length: 0\r\n\r\n`),
  },
  { name: 'a redirect to itself', treat: http('HTTP/1.1 301 Moved\r\nLocation: /\r\nContent-Length: 0\r\n\r\n') },
  {
    name: 'a redirect to the metadata service',
    treat: http(
      'HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/latest/meta-data/\r\nContent-Length: 0\r\n\r\n',
    ),
  },
  {
    name: 'a redirect to a file',
    treat: http('HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n'),
  },
  { name: 'a chunk of a wrong size', treat: http(`${html}Transfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n`) },
  {
    name: 'a chunk of 2^60 bytes',
    treat: http(`${html}Transfer-Encoding: chunked\r\n\r\n1000000000000000\r\nhello\r\n`),
  },
  { name: 'a negative length', treat: http(`${html}Content-Length: -1\r\n\r\nhello`) },
  { name: 'two lengths', treat: http(`${html}Content-Length: 1\r\nContent-Length: 500\r\n\r\nhello`) },
  {
    name: 'a length that it does not keep',
    treat: http(`${html}Content-Length: 5000\r\n\r\nhello`, (socket) => socket.end()),
  },
  {
    name: 'a reset in mid-body',
    treat: http(`${html}Content-Length: 5000\r\n\r\nhello`, (socket) => socket.resetAndDestroy()),
  },
  { name: 'HTTP/0.9', treat: http('<html><title>old</title></html>', (socket) => socket.end()) },
  { name: 'a status line of nonsense', treat: http('HTTP/9.9 abc \u0000\u0001\r\n\r\n') },
  { name: 'status 000', treat: http('HTTP/1.1 000 Nothing\r\nContent-Length: 0\r\n\r\n') },
  { name: 'only 100 Continue', treat: endlessly('', 'HTTP/1.1 100 Continue\r\n\r\n') },
  {
    name: 'a change of protocol',
    treat: http('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n'),
  },
  { name: 'two answers to one request', treat: http(Buffer.concat([sized('one'), sized('two')])) },
  { name: 'a title of a megabyte', treat: http(sized(`<html><title>${long}</title></html>`)) },
  {
    name: 'markup that is meant for our page',
    treat: http(
      sized('<title><script>alert(1)</script>\u202e\u0000</title>', 'Server: <img src=x onerror=alert(1)>\r\n'),
    ),
  },
  { name: 'a hundred thousand open tags', treat: http(sized('<div '.repeat(100_000))) },
  { name: 'food for slow expressions', treat: http(sized(`<meta name="generator" content="${'a'.repeat(60_000)}!`)) },
  {
    name: 'cookies without end',
    treat: http(`${ok}${'Set-Cookie: a=b; path=/\r\n'.repeat(900)}Content-Length: 0\r\n\r\n`),
  },
  {
    name: 'one byte a second of a body',
    treat: (socket) =>
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
  { name: 'a flood', treat: flood },
  { name: 'a reset at once', treat: reset },
  { name: 'an end at once', treat: (socket) => socket.end() },
  { name: 'silence', treat: stayMute },
  { name: 'one byte now and then', treat: dribble(500) },
  { name: 'TLS that never finishes', port: 8443, treat: neverFinishTls },
  {
    name: 'TLS records of nonsense',
    port: 8443,
    treat: (socket) => socket.on('data', () => socket.write(Buffer.alloc(5000, 0x16))),
  },
  {
    name: 'a greeting that moves cursors',
    treat: greet('220 \u001b[2J\u001b]0;owned\u0007\u202e\u0000\u009b31m ftp ready\r\n'),
  },
  { name: 'an FTP greeting without end', treat: endlessly('', '220-welcome\r\n', false) },
  {
    name: 'mail that never ends its EHLO',
    treat: (socket) => {
      socket.write('220 mx ESMTP\r\n')
      endlessly('', '250-AND\r\n')(socket)
    },
  },
  { name: 'SSH lists that lie about their length', treat: greet(kexLies) },
  {
    name: 'SSH with a packet of 4 GiB',
    treat: greet(Buffer.concat([Buffer.from('SSH-2.0-x\r\n'), Buffer.alloc(600, 0xff)])),
  },
  { name: 'a MySQL greeting that is cut', treat: greet(Buffer.from('4a0000000a352e352e3000', 'hex')) },
  {
    name: 'MySQL that asks without end',
    treat: (socket) => {
      socket.write(Buffer.from(`4a0000000a352e352e3000${'01'.repeat(70)}`, 'hex'))
      socket.on('data', () => socket.write(Buffer.from('010000 02 fe'.replaceAll(' ', ''), 'hex')))
    },
  },
  { name: 'rsync with modules without end', treat: endlessly('@RSYNCD: 31.0\n', 'module\tcomment\n', false) },
  {
    name: 'Redis that promises a gigabyte',
    port: 6379,
    treat: (socket) =>
      socket.on('data', (said) => socket.write(said.includes('PING') ? '+PONG\r\n' : '$999999999\r\n# Server\r\n')),
  },
  {
    name: 'DNS with a name that bites its tail',
    port: 5300,
    treat: (socket) =>
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
    name: 'LDAP with a length of 2^32',
    port: 3268,
    treat: (socket) => socket.on('data', () => socket.write(Buffer.from('3084ffffffff020101640000', 'hex'))),
  },
  {
    name: 'MongoDB with a document of 2 GiB',
    port: 27017,
    treat: (socket) =>
      socket.on('data', () => socket.write(Buffer.from('ffffff7f0000000000000000dd07000000000000', 'hex'))),
  },
  { name: 'PostgreSQL that only says N', port: 5432, treat: (socket) => socket.on('data', () => socket.write('N')) },
  { name: 'Subversion with braces without end', treat: endlessly('( success ( 2 2 ', '( ', false) },
]
