/* oxlint-disable no-control-regex -- binary protocols are made of control characters */
/** Upgrades from plaintext to TLS (STARTTLS) by protocol. */
import { bytes, hex } from '#wire.ts'
import { type NativeContext } from '#native/native-check.ts'
import { connectionRequest, isPacket, readConfirm, security } from '#native/rdp-wire.ts'
import type { TcpConnection } from '#net/tcp.ts'

type Upgrade = (connection: TcpConnection) => Promise<boolean>

const readOptions = { firstByteMs: 4000, idleMs: 150, totalMs: 6000 }

const upgrades: Readonly<Record<string, Upgrade>> = {
  /** RFC 3207. */
  smtp: async (connection) => {
    await connection.read(readOptions)
    if (!/STARTTLS/i.test(await sendCommand(connection, 'EHLO glacis.invalid\r\n'))) return false
    return (await sendCommand(connection, 'STARTTLS\r\n')).startsWith('220')
  },
  /** RFC 9051, section 6.2.1. */
  imap: async (connection) => {
    await connection.read(readOptions)
    return /^a OK/m.test(await sendCommand(connection, 'a STARTTLS\r\n'))
  },
  /** RFC 2595, section 4. */
  pop3: async (connection) => {
    await connection.read(readOptions)
    return (await sendCommand(connection, 'STLS\r\n')).startsWith('+OK')
  },
  /** RFC 4217. */
  ftp: async (connection) => {
    await connection.read(readOptions)
    return (await sendCommand(connection, 'AUTH TLS\r\n')).startsWith('234')
  },
  /** RFC 4511, section 4.14. */
  ldap: async (connection) => {
    const request = hex('301d 020101 7718 8016 312e332e362e312e342e312e313436362e3230303337')
    const response = await sendCommand(connection, request)
    return /\x78[\s\S]{1,3}\x0a\x01\x00/.test(response)
  },
  /** MS-RDPBCGR 5.4.2.1: TLS starts directly after the negotiation, with or without CredSSP. */
  rdp: async (connection) => {
    connection.write(connectionRequest(security.tls + security.credSsp))
    const choice = readConfirm(await connection.read({ ...readOptions, enough: isPacket }))
    return choice?.kind === 'chosen' && choice.protocol !== security.rdp
  },
  /** PostgreSQL's SSLRequest. */
  postgresql: async (connection) => (await sendCommand(connection, hex('00000008 04d2162f'))) === 'S',
}

async function sendCommand(connection: TcpConnection, message: string | Uint8Array): Promise<string> {
  connection.write(typeof message === 'string' ? bytes(message) : message)
  return (await connection.read(readOptions)).toString('latin1')
}

export function supportsStartTls(protocol: string): boolean {
  return Object.hasOwn(upgrades, protocol)
}

/**
 * Requests TLS.
 *
 * @returns whether the next byte on the connection is TLS
 */
export async function startTls(connection: TcpConnection, protocol: string): Promise<boolean> {
  return (await upgrades[protocol]?.(connection)) ?? false
}

/** Runs an exchange of TLS records on a new connection, after STARTTLS where the protocol needs it. */
export async function talkTls<Value>(
  context: NativeContext,
  talk: (connection: TcpConnection) => Promise<Value>,
): Promise<Value | undefined> {
  const { protocol, tls } = context.service
  let result: Value | undefined
  await context.handshake({
    async before(connection) {
      if (tls || (await startTls(connection, protocol))) result = await talk(connection)
      return false
    },
  })
  return result
}
