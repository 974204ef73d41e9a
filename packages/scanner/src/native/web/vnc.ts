/** VNC over WebSocket, as served by websockify for noVNC. */
import { bytes } from '#wire.ts'
import { checkInfo, type NativeCheck } from '#native/native-check.ts'
import { offeredTypes, type RfbConnection } from '#native/vnc.ts'
import { ownHost } from '#native/web/request.ts'
import type { TcpConnection } from '#net/tcp.ts'
import { contentOf, frameOf, framesAfterHandshake, isHandshakeAnswered, upgradeRequest } from '#net/web-socket.ts'

const noPassword = checkInfo({
  id: 'novnc-no-password',
  name: 'VNC exposed without authentication over WebSocket (noVNC)',
  severity: 'critical',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
  score: 9.8,
  summary:
    'The VNC server behind websockify accepts connections without a password (security type None). The check did not open a session.',
  impact: 'An attacker can see the screen, and control the keyboard and mouse, from a browser.',
  remediation:
    'Set a password on the VNC server, and put websockify behind a reverse proxy that requires authentication, or use `--auth-plugin`.',
  reference: 'https://github.com/novnc/websockify',
  tags: 'misconfig vnc websocket unauth',
  verifiedOn: 'novnc',
})
/** noVNC's default; websockify serves every path. */
const path = '/websockify'
const readOptions = { firstByteMs: 3000, idleMs: 200, totalMs: 4000 }

export const webVnc: NativeCheck = {
  checks: [noPassword],
  appliesTo: ({ protocol, technologies }) =>
    protocol === 'http' && technologies.some(({ wfn }) => wfn.product === 'websockify' || wfn.product === 'novnc'),
  async run(context) {
    const request = upgradeRequest(ownHost(context), path, ['Sec-WebSocket-Protocol: binary'])
    const types = await context.withConnection(async (connection) => {
      connection.write(request)
      const received = await connection.read({ ...readOptions, enough: isHandshakeAnswered })
      const frames = framesAfterHandshake(received)
      return frames && offeredTypes(overFrames(connection, frames))
    })
    if (!types) return {}
    const answer = `security types: ${types.join(', ')}`
    const proof = { request: request.trim().replaceAll('\r\n', '\n'), answer, highlights: ['1'] }
    return { [noPassword.id]: types.includes(1) ? proof : null }
  },
}

/** Sends and receives binary frames. */
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
