/**
 * Opens connections for the HTTP client: checked by the guard, pinned to the address, with any TLS
 * version.
 */
import { constants } from 'node:crypto'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { buildConnector } from 'undici'
import type { Guard } from '#guard.ts'
import type { Origin } from '#net/http-message.ts'

const CONNECT_MS = 5_000

/** As in ALPN (RFC 7301). */
export type HttpProtocol = 'http/1.1' | 'h2'

/** The connection was refused locally by the guard, not by the host. */
export class DeniedByGuard extends Error {
  constructor(reason: string) {
    super(`refused: ${reason}`)
    this.name = 'DeniedByGuard'
  }
}

/**
 * undici connector that always dials `origin.address`, regardless of the request. Fails after five
 * seconds without a connection or TLS handshake.
 */
export function connector(origin: Origin, guard: Guard, protocol?: HttpProtocol): buildConnector.connector {
  return (_options, callback) => {
    const denialReason = guard.denialReason(origin.address, origin.port)
    if (denialReason !== null) return callback(new DeniedByGuard(denialReason), null)
    const socket = dial(origin, protocol)
    let isSettled = false
    const settle = (error: Error | null) => {
      if (isSettled) return
      isSettled = true
      clearTimeout(timer)
      if (error === null) return callback(null, socket)
      socket.destroy()
      callback(error, null)
    }
    const timer = setTimeout(() => settle(new Error(`no connection within ${CONNECT_MS / 1000} s`)), CONNECT_MS)
    socket.once(origin.tls ? 'secureConnect' : 'connect', () => settle(null))
    // Kept after the handoff: an unhandled error event would end the process.
    socket.on('error', settle)
    socket.once('close', () => settle(new Error('the connection was closed during the handshake')))
  }
}

/**
 * Opens a socket to the origin's address, with any TLS version if the origin uses TLS. The caller
 * must check the guard first, listen for errors, and destroy the socket.
 */
export function dial(origin: Origin, protocol: HttpProtocol = 'http/1.1'): Socket {
  const where = { host: origin.address, port: origin.port, autoSelectFamily: false }
  // Without TLS, the client has to know in advance that the server speaks HTTP/2 (RFC 9113, section 3.3).
  if (!origin.tls) return Object.assign(connectTcp({ ...where, noDelay: true }), { alpnProtocol: protocol })
  return connectTls({
    ...where,
    ...(isIP(origin.hostname) === 0 && origin.hostname !== '' && { servername: origin.hostname }),
    rejectUnauthorized: false,
    minVersion: 'TLSv1',
    ciphers: 'ALL:@SECLEVEL=0',
    secureOptions: constants.SSL_OP_LEGACY_SERVER_CONNECT,
    ALPNProtocols: [protocol],
  })
}
