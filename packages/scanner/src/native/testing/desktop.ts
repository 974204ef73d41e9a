/** A test remote desktop server, up to negotiation and TLS (MS-RDPBCGR 2.2.1.1, 2.2.1.2, 5.4). */
import type { Socket } from 'node:net'
import { constants } from 'node:crypto'
import { TLSSocket } from 'node:tls'

export interface DesktopSettings {
  /** Accepted protocols, best first: 1 TLS, 2 CredSSP, 0 standard RDP security. */
  readonly accepts: readonly number[]
  readonly certificate?: { readonly key: string; readonly cert: string }
  /** Servers without negotiation support confirm without a security field. */
  readonly lacksNegotiation?: boolean
}

export function desktop({ accepts, certificate, lacksNegotiation = false }: DesktopSettings): (socket: Socket) => void {
  return (socket) => {
    socket.once('data', (received: Buffer) => {
      if (received[0] !== 3 || received.length !== received.readUInt16BE(2) || received[5] !== 0xe0)
        return void socket.destroy()
      if (lacksNegotiation) return void socket.write(Buffer.from('0300000b06d00000123400', 'hex'))
      const offered = received.readUInt32LE(15)
      const chosen = accepts.find((protocol) => protocol === 0 || (offered & protocol) !== 0)
      if (chosen === undefined) return void socket.write(confirm(3, accepts.includes(2) ? 5 : 1))
      socket.write(confirm(2, chosen))
      if (chosen === 0 || !certificate) return
      new TLSSocket(socket, {
        secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
        isServer: true,
        ...certificate,
        minVersion: 'TLSv1.2',
        ciphers: 'DEFAULT:@SECLEVEL=0',
      }).on('error', () => undefined)
    })
  }
}

/** Type 2 is a selection, type 3 a failure. */
function confirm(kind: number, value: number): Buffer {
  const packet = Buffer.from('030000130ed000001234000000080000000000', 'hex')
  packet.writeUInt8(kind, 11)
  packet.writeUInt32LE(value, 15)
  return packet
}
