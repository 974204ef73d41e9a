/* oxlint-disable no-control-regex -- binary protocols are made of control characters */
/** Upgrades from plaintext to TLS (STARTTLS) by protocol. */
import { isIP } from 'node:net'
import { bytes, hex } from '#wire.ts'
import { readHello, tlsFlag, tlsRequest } from '#native/mysql.ts'
import type { NativeContext } from '#native/native-check.ts'
import { connectionRequest, isPacket, readConfirm, security } from '#native/rdp-wire.ts'
import type { Guard } from '#guard.ts'
import { connectionOver, redial, type TcpConnection } from '#net/tcp.ts'
import { tlsHandshake, type Certificate } from '#net/tls.ts'

type Upgrade = (connection: TcpConnection, greeting: string, hostname: string) => Promise<boolean>

const readOptions = { firstByteMs: 4000, idleMs: 150, totalMs: 6000 }

/** Protocols in which the server sends the first message. */
const greets: ReadonlySet<string> = new Set(['smtp', 'imap', 'pop3', 'ftp', 'nats', 'mysql', 'managesieve', 'nntp'])

/** Search of the root DSE, all attributes. */
const rootSearch = hex(
  '302b 020101 6326 0400 0a0100 0a0100 020101 020105 010100 870b 6f626a656374436c617373 3006 04012a 04012b',
)

const upgrades: Readonly<Record<string, Upgrade>> = {
  /** RFC 3207. */
  smtp: async (connection) => {
    if (!/STARTTLS/i.test(await sendCommand(connection, 'EHLO glacis.invalid\r\n'))) return false
    return (await sendCommand(connection, 'STARTTLS\r\n')).startsWith('220')
  },
  /** RFC 9051, section 6.2.1. */
  imap: async (connection) => /^a OK/m.test(await sendCommand(connection, 'a STARTTLS\r\n')),
  /** RFC 2595, section 4. */
  pop3: async (connection) => (await sendCommand(connection, 'STLS\r\n')).startsWith('+OK'),
  /** RFC 4217. */
  ftp: async (connection) => (await sendCommand(connection, 'AUTH TLS\r\n')).startsWith('234'),
  /** RFC 4511, section 4.14. */
  ldap: async (connection) => {
    // glauth without a certificate exits when it receives StartTLS, which it doesn't advertise.
    const root = await sendCommand(connection, rootSearch)
    if (root.includes('supportedLDAPVersion') && !root.includes('1.3.6.1.4.1.1466.20037')) return false
    const request = hex('301d 020102 7718 8016 312e332e362e312e342e312e313436362e3230303337')
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
  /** The server doesn't respond to the SSLRequest. */
  mysql: (connection, greeting) => {
    const hello = readHello(Buffer.from(greeting, 'latin1'))
    if (!hello || (hello.capabilities & tlsFlag) === 0) return Promise.resolve(false)
    connection.write(tlsRequest)
    return Promise.resolve(true)
  },
  /** RFC 6120, section 5.4. */
  xmpp: async (connection, _, hostname) => {
    if (!(await sendCommand(connection, xmppStream(hostname))).includes('urn:ietf:params:xml:ns:xmpp-tls')) return false
    return (await sendCommand(connection, "<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>")).startsWith('<proceed')
  },
  /** RFC 5804, section 2.2. */
  managesieve: async (connection, greeting) =>
    /^"STARTTLS"/m.test(greeting) && (await sendCommand(connection, 'STARTTLS\r\n')).startsWith('OK'),
  /** RFC 4642. */
  nntp: async (connection) => (await sendCommand(connection, 'STARTTLS\r\n')).startsWith('382'),
  /** The client starts TLS after INFO if the server requires it. */
  nats: (_, greeting) => Promise.resolve(natsRequiresTls.test(greeting)),
}

/** Servers close the stream for a domain that they don't serve; most know `localhost`. */
function xmppStream(hostname: string): string {
  const domain = isIP(hostname) > 0 || !/^[\w.-]+$/.test(hostname) ? 'localhost' : hostname
  return `<?xml version='1.0'?><stream:stream to='${domain}' version='1.0' xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>`
}

const natsRequiresTls = /^INFO \{.{0,4000}"tls_required": ?true/
/** Errors for requests that are only accepted inside TLS. */
const rejections: Readonly<Record<string, RegExp>> = {
  smtp: /^5\d\d[ -].{0,200}\b(?:STARTTLS|TLS|SSL|encrypt)/im,
  imap: /^\S{1,10} (?:NO|BAD) .{0,200}(?:\[PRIVACYREQUIRED\]|TLS|SSL|encrypt)/im,
  pop3: /^-ERR .{0,200}(?:TLS|SSL|encrypt)/im,
  ftp: /^(?:421|5\d\d)[ -].{0,200}(?:TLS|SSL|encrypt|cleartext|secure connection)/im,
  /** The result confidentialityRequired. */
  ldap: /\x0a\x01\x0d\x04/,
  postgresql: /^E[\s\S]{0,400}(?:no encryption|SSL off|requires? (?:SSL|TLS)|(?:SSL|TLS) (?:is )?required)/i,
  nats: natsRequiresTls,
}

async function sendCommand(connection: TcpConnection, message: string | Uint8Array): Promise<string> {
  connection.write(typeof message === 'string' ? bytes(message) : message)
  return (await connection.read(readOptions)).toString('latin1')
}

export function supportsStartTls(protocol: string): boolean {
  return Object.hasOwn(upgrades, protocol)
}

/** Services that didn't start TLS. Each check would otherwise wait for their answer again. */
const withoutTls = new WeakSet<NativeContext>()

/**
 * Requests TLS.
 *
 * @returns whether the next byte on the connection is TLS
 */
export async function startTls(connection: TcpConnection, context: NativeContext): Promise<boolean> {
  const isStarted = (await requestTls(connection, context.service.protocol, context.hostname)) !== undefined
  if (!isStarted) withoutTls.add(context)
  return isStarted
}

/** @returns the greeting, or undefined if the next byte isn't TLS */
async function requestTls(connection: TcpConnection, protocol: string, hostname: string): Promise<Buffer | undefined> {
  const upgrade = upgrades[protocol]
  if (!upgrade) return undefined
  const greeting = greets.has(protocol) ? await connection.read(readOptions) : Buffer.alloc(0)
  return (await upgrade(connection, greeting.toString('latin1'), hostname)) ? greeting : undefined
}

/** Whether a response rejects a request because the connection isn't encrypted. */
export function rejectsPlaintext(protocol: string, response: Buffer): boolean {
  return rejections[protocol]?.test(response.toString('latin1')) ?? false
}

interface Upgraded {
  readonly connection: TcpConnection
  /** What the server sent before, which it doesn't repeat inside TLS. */
  readonly greeting: Buffer
  readonly certificate: Certificate | undefined
}

/**
 * Opens a connection that is inside TLS after STARTTLS. The caller must close it.
 *
 * @returns undefined if there is no TLS
 */
export async function openUpgraded(
  protocol: string,
  { address, port, hostname }: { readonly address: string; readonly port: number; readonly hostname: string },
  options: { readonly guard: Guard; readonly signal: AbortSignal },
): Promise<Upgraded | undefined> {
  const dialed = await redial(address, port, options)
  if (dialed.kind !== 'open') return undefined
  const { connection } = dialed
  const greeting = await requestTls(connection, protocol, hostname).catch((error: unknown) => {
    connection.close()
    throw error
  })
  if (!greeting) {
    connection.close()
    return undefined
  }
  const handshake = await tlsHandshake(address, port, { ...options, hostname, over: connection.release() })
  if (handshake.kind === 'failure') return undefined
  const { certificate, socket } = handshake
  return { connection: connectionOver(socket, options.signal), greeting, certificate }
}

/** Runs an exchange of TLS records on a new connection, after STARTTLS where the protocol needs it. */
export async function talkTls<Value>(
  context: NativeContext,
  talk: (connection: TcpConnection) => Promise<Value>,
): Promise<Value | undefined> {
  if (withoutTls.has(context)) return undefined
  let result: Value | undefined
  await context.handshake({
    async before(connection) {
      if (context.service.tls || (await startTls(connection, context))) result = await talk(connection)
      return false
    },
  })
  return result
}
