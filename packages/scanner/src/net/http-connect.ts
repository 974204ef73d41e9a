/** How the HTTP client opens a connection: asked of the guard, pinned to the address, with any TLS. */
import { constants } from 'node:crypto'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { buildConnector } from 'undici'
import type { Guard } from '#guard.ts'
import type { Origin } from '#net/http.ts'

const CONNECT_MS = 5_000

/** Marks what this machine, and not the host, refused. */
export class RefusedByGuard extends Error {
  constructor(reason: string) {
    super(`refused: ${reason}`)
    this.name = 'RefusedByGuard'
  }
}

/**
 * A connector for undici that dials `origin.address` and nothing else, whatever the request says.
 * A connect or TLS handshake that takes longer than five seconds fails.
 */
export function connector(origin: Origin, guard: Guard): buildConnector.connector {
  return (_options, callback) => {
    const refusal = guard.refusal(origin.address, origin.port)
    if (refusal !== null) return callback(new RefusedByGuard(refusal), null)
    const socket = dial(origin)
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
    // Stays after the hand-over too: an error that nobody hears would end the process.
    socket.on('error', settle)
    socket.once('close', () => settle(new Error('the connection was closed during the handshake')))
  }
}

/**
 * Opens a socket to the address of the origin, through TLS of any version where the origin says so.
 * The guard must have been asked; the caller must hear its errors and destroy it.
 */
export function dial(origin: Origin): Socket {
  const where = { host: origin.address, port: origin.port, autoSelectFamily: false }
  if (!origin.tls) return connectTcp({ ...where, noDelay: true })
  return connectTls({
    ...where,
    ...(isIP(origin.hostname) === 0 && origin.hostname !== '' && { servername: origin.hostname }),
    rejectUnauthorized: false,
    minVersion: 'TLSv1',
    ciphers: 'ALL:@SECLEVEL=0',
    secureOptions: constants.SSL_OP_LEGACY_SERVER_CONNECT,
    ALPNProtocols: ['http/1.1'],
  })
}
