/** VNC over WebSocket, as served by websockify for noVNC. */
import { randomBytes } from 'node:crypto'
import { bytes } from '#wire.ts'
import { checkInfo } from '#native/native-check.ts'
import type { NativeCheck } from '#native/native-check.ts'
import { offeredTypes, type RfbConnection } from '#native/vnc.ts'
import { ownHost } from '#native/web-request.ts'
import type { TcpConnection } from '#net/tcp.ts'

const noPassword = checkInfo({
  id: 'novnc-no-password',
  name: 'VNC exposed without authentication over WebSocket (noVNC)',
  severity: 'critical',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
  score: 9.8,
  summary:
    'The VNC server behind websockify accepts connections without a password (security type None). The check did not open a session.',
  impact: 'An attacker can see and control the desktop in a browser.',
  remediation:
    'Set a password on the VNC server, and put websockify behind a reverse proxy that requires authentication, or use `--auth-plugin`.',
  reference: 'https://github.com/novnc/websockify',
  tags: 'misconfig vnc websocket unauth',
})
/** noVNC's default; websockify serves every path. */
const path = '/websockify'
const readOptions = { firstByteMs: 3000, idleMs: 200, totalMs: 4000 }

export const webVnc: NativeCheck = {
  checks: [noPassword],
  appliesTo: ({ protocol, technologies }) =>
    protocol === 'http' && technologies.some(({ wfn }) => wfn.product === 'websockify' || wfn.product === 'novnc'),
  async run(context) {
    const lines = [
      `GET ${path} HTTP/1.1`,
      `Host: ${ownHost(context)}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
      'Sec-WebSocket-Protocol: binary',
    ]
    const types = await context.withConnection(async (connection) => {
      connection.write(`${lines.join('\r\n')}\r\n\r\n`)
      const received = await connection.read({ ...readOptions, enough: (all) => all.includes(endOfHead) })
      const end = received.indexOf(endOfHead)
      if (end < 0 || !received.toString('latin1', 0, end).startsWith('HTTP/1.1 101 ')) return undefined
      return offeredTypes(overFrames(connection, received.subarray(end + endOfHead.length)))
    })
    if (!types) return {}
    const answer = `security types: ${types.join(', ')}`
    const proof = { request: lines.join('\n'), answer, highlights: ['1'] }
    return { [noPassword.id]: types.includes(1) ? proof : null }
  },
}
const endOfHead = '\r\n\r\n'

/** Sends and receives binary frames (RFC 6455, section 5.2). */
function overFrames(connection: TcpConnection, received: Buffer): RfbConnection {
  let pending = received
  return {
    write: (content) => connection.write(frameOf(typeof content === 'string' ? bytes(content) : content)),
    async read({ enough, ...options }) {
      const isEnough = (more: Buffer) => enough?.(contentOf(Buffer.concat([pending, more]))) === true
      const more = isEnough(Buffer.alloc(0)) ? Buffer.alloc(0) : await connection.read({ ...options, enough: isEnough })
      const content = contentOf(Buffer.concat([pending, more]))
      pending = Buffer.alloc(0)
      return content
    },
  }
}

/** Masked with zeros. */
function frameOf(content: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([0x82, 0x80 | content.length, 0, 0, 0, 0]), content])
}

/** The content of complete, short frames. */
function contentOf(frames: Buffer): Buffer {
  const contents: Buffer[] = []
  for (let at = 0; at + 2 <= frames.length;) {
    const length = (frames[at + 1] ?? 0) & 0x7f
    if (length > 125 || at + 2 + length > frames.length) break
    contents.push(frames.subarray(at + 2, at + 2 + length))
    at += 2 + length
  }
  return Buffer.concat(contents)
}
