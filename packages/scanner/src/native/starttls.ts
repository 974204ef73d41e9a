/* oxlint-disable no-control-regex -- binary protocols are made of control characters */
/** Upgrades from plaintext to TLS (STARTTLS) by protocol. */
import { bytes, hex } from '#native/native-check.ts'
import { connectionRequest, isPacket, readConfirm, security } from '#native/rdp-wire.ts'
import type { TcpConnection } from '#net/tcp.ts'

type Upgrade = (line: TcpConnection) => Promise<boolean>

const patience = { firstByteMs: 4000, idleMs: 150, totalMs: 6000 }

const upgrades: Readonly<Record<string, Upgrade>> = {
  /** RFC 3207. */
  smtp: async (line) => {
    await line.read(patience)
    if (!/STARTTLS/i.test(await told(line, 'EHLO glacis.invalid\r\n'))) return false
    return (await told(line, 'STARTTLS\r\n')).startsWith('220')
  },
  /** RFC 9051, section 6.2.1. */
  imap: async (line) => {
    await line.read(patience)
    return /^a OK/m.test(await told(line, 'a STARTTLS\r\n'))
  },
  /** RFC 2595, section 4. */
  pop3: async (line) => {
    await line.read(patience)
    return (await told(line, 'STLS\r\n')).startsWith('+OK')
  },
  /** RFC 4217. */
  ftp: async (line) => {
    await line.read(patience)
    return (await told(line, 'AUTH TLS\r\n')).startsWith('234')
  },
  /** RFC 4511, section 4.14. */
  ldap: async (line) => {
    const request = hex('301d 020101 7718 8016 312e332e362e312e342e312e313436362e3230303337')
    const answer = await told(line, request)
    return /\x78[\s\S]{1,3}\x0a\x01\x00/.test(answer)
  },
  /** MS-RDPBCGR 5.4.2.1: TLS starts directly after the negotiation, with or without CredSSP. */
  rdp: async (line) => {
    line.write(connectionRequest(security.tls + security.credSsp))
    const choice = readConfirm(await line.read({ ...patience, enough: isPacket }))
    return choice?.kind === 'chosen' && choice.protocol !== security.rdp
  },
  /** PostgreSQL's SSLRequest. */
  postgresql: async (line) => (await told(line, hex('00000008 04d2162f'))) === 'S',
}

async function told(line: TcpConnection, words: string | Uint8Array): Promise<string> {
  line.write(typeof words === 'string' ? bytes(words) : words)
  return (await line.read(patience)).toString('latin1')
}

export function startTlsProtocols(protocol: string): boolean {
  return Object.hasOwn(upgrades, protocol)
}

/**
 * Requests TLS.
 *
 * @returns whether the next byte on the connection is TLS
 */
export async function startTls(line: TcpConnection, protocol: string): Promise<boolean> {
  return (await upgrades[protocol]?.(line)) ?? false
}
