import { constants, type KeyObject, type X509Certificate } from 'node:crypto'
import { isIP, type Socket } from 'node:net'
import { connect, type SecureVersion, type TLSSocket } from 'node:tls'
import { withDeadline } from '#net/deadline.ts'
import { localError } from '#net/local-errors.ts'
import { sendAndRead, dial, type DialOptions } from '#net/tcp.ts'

/** Fields of a server's certificate. Texts are untrusted. */
export interface Certificate {
  readonly subject: string
  readonly issuer: string
  /** ISO 8601. */
  readonly validFrom: string
  readonly validTo: string
  /** DNS names and IP addresses of the subject alternative name. */
  readonly names: readonly string[]
  readonly selfSigned: boolean
  /** SHA-256 of the certificate, in hexadecimal. */
  readonly fingerprint: string
  /** Bits of the public key's modulus or curve. */
  readonly keyBits: number | undefined
  readonly keyType: string
  /** Length of the presented chain, including the leaf certificate. */
  readonly chainLength: number
}
/** A completed handshake. The caller must destroy the socket. */
export interface Handshake {
  readonly kind: 'handshake'
  readonly socket: TLSSocket
  readonly version: string
  readonly cipher: string
  readonly alpn: string
  readonly certificate: Certificate | undefined
}
export interface TlsFailure {
  readonly kind: 'failure'
  readonly reason: string
  /**
   * The server ended the handshake with an alert or by closing; false for timeouts and local
   * errors.
   */
  readonly isAnswer: boolean
}
export interface TlsOptions extends DialOptions {
  /** SNI name; not sent for an IP address (RFC 6066). */
  readonly hostname: string
  readonly minVersion?: SecureVersion
  readonly maxVersion?: SecureVersion
  readonly alpn?: readonly string[]
  /** An existing connection to upgrade; absent: a new connection. */
  readonly over?: Socket
}

/**
 * Completes a TLS handshake with any certificate and any cipher that the local OpenSSL supports. A
 * timeout is a failure.
 *
 * @throws only when `signal` aborts, with its reason
 */
export async function tlsHandshake(
  address: string,
  port: number,
  options: TlsOptions,
): Promise<Handshake | TlsFailure> {
  const { signal, hostname, deadlineMs = 4000 } = options
  const transport = options.over ?? (await plainSocket(address, port, options))
  if ('kind' in transport) return transport
  const outcome = Promise.withResolvers<Handshake | TlsFailure>()
  const socket = connect({
    socket: transport,
    rejectUnauthorized: false,
    ciphers: 'ALL:@SECLEVEL=0',
    // Also servers without secure renegotiation.
    secureOptions: constants.SSL_OP_LEGACY_SERVER_CONNECT,
    minVersion: options.minVersion ?? 'TLSv1',
    maxVersion: options.maxVersion ?? 'TLSv1.3',
    ...(isIP(hostname) || hostname === '' ? {} : { servername: hostname }),
    ...(options.alpn ? { ALPNProtocols: [...options.alpn] } : {}),
  })
  socket.once('secureConnect', () => outcome.resolve(handshakeOf(socket)))
  socket.on('error', (error) => outcome.resolve(failureOf(error)))
  socket.once('close', () => outcome.resolve({ kind: 'failure', reason: 'the connection was closed', isAnswer: true }))
  let outcomeOrTimeout: Handshake | TlsFailure | undefined
  try {
    outcomeOrTimeout = await withDeadline(outcome.promise, deadlineMs, signal)
    return (
      outcomeOrTimeout ?? { kind: 'failure', reason: `no TLS handshake within ${deadlineMs / 1000} s`, isAnswer: false }
    )
  } finally {
    if (outcomeOrTimeout?.kind !== 'handshake') {
      socket.destroy()
      transport.destroy()
    }
  }
}

async function plainSocket(address: string, port: number, options: TlsOptions): Promise<Socket | TlsFailure> {
  const dialed = await dial(address, port, options)
  if (dialed.kind === 'open') return dialed.connection.release()
  const reason = dialed.kind === 'unknown' ? dialed.reason : `the port is ${dialed.kind}`
  return { kind: 'failure', reason, isAnswer: false }
}

/** Only OpenSSL's message shows whether the handshake failed locally, with nothing to offer. */
function failureOf(error: NodeJS.ErrnoException): TlsFailure {
  const isOurs = localError(error.code ?? '') !== null || /no (?:protocols|ciphers) available/i.test(error.message)
  return { kind: 'failure', reason: error.message.slice(0, 200), isAnswer: !isOurs }
}

function handshakeOf(socket: TLSSocket): Handshake {
  return {
    kind: 'handshake',
    socket,
    version: socket.getProtocol() ?? '',
    cipher: socket.getCipher()?.standardName ?? '',
    alpn: socket.alpnProtocol || '',
    certificate: certificateOf(socket.getPeerX509Certificate()),
  }
}

/** The fields of the certificate. Any of them may be invalid. */
export function certificateOf(shown: X509Certificate | undefined): Certificate | undefined {
  if (!shown) return undefined
  const publicKey = publicKeyOf(shown)
  const key = publicKey?.asymmetricKeyDetails
  return {
    subject: oneLine(shown.subject),
    issuer: oneLine(shown.issuer),
    validFrom: isoTime(shown.validFrom),
    validTo: isoTime(shown.validTo),
    names: namesOf(shown),
    selfSigned: shown.checkIssued(shown),
    fingerprint: shown.fingerprint256.replaceAll(':', '').toLowerCase(),
    keyBits: key?.modulusLength ?? curveBits[key?.namedCurve ?? ''],
    keyType: publicKey?.asymmetricKeyType ?? '',
    chainLength: chainLength(shown),
  }
}

/** A certificate can contain a key that OpenSSL can't parse; its other fields are still useful. */
function publicKeyOf(certificate: X509Certificate): KeyObject | undefined {
  try {
    return certificate.publicKey
  } catch {
    return undefined
  }
}

const curveBits: Readonly<Record<string, number>> = { prime256v1: 256, secp384r1: 384, secp521r1: 521 }
const namesMax = 100
const chainMax = 20

function oneLine(name: string | undefined): string {
  return (name ?? '').split('\n').reverse().join(', ').slice(0, 1000)
}

function isoTime(text: string): string {
  const time = new Date(text)
  return Number.isNaN(time.getTime()) ? '' : time.toISOString()
}

function namesOf({ subjectAltName = '' }: X509Certificate): string[] {
  const names = (subjectAltName ?? '')
    .split(', ')
    .flatMap((entry) => /^(?:DNS|IP Address):(.+)$/.exec(entry)?.[1] ?? [])
  return names.slice(0, namesMax).map((name) => name.slice(0, 300))
}

function chainLength(certificate: X509Certificate): number {
  let length = 1
  let next = certificate.issuerCertificate
  while (next && length < chainMax) {
    length++
    next = next.issuerCertificate
  }
  return length
}

/** Whether a server answers an SSL 3 ClientHello with a ServerHello of version 3.0 (RFC 6101). */
export async function acceptsSsl3(address: string, port: number, options: DialOptions): Promise<boolean> {
  const response = await sendAndRead(address, port, ssl3Hello(), {
    ...options,
    firstByteMs: 2000,
    enough: (all) => all.length > 10,
  })
  return response !== undefined && response[0] === 22 && response[5] === 2 && response[9] === 3 && response[10] === 0
}

function ssl3Hello(): Buffer {
  const suites = [0x0035, 0x002f, 0x000a, 0x0005, 0x0004, 0x0039, 0x0033, 0x0016]
  const suiteBytes = Buffer.alloc(suites.length * 2)
  suites.forEach((suite, index) => suiteBytes.writeUInt16BE(suite, index * 2))
  const body = Buffer.concat([
    Buffer.from([3, 0]),
    Buffer.alloc(32, 0x47),
    Buffer.from([0, 0, suiteBytes.length]),
    suiteBytes,
    Buffer.from([1, 0]),
  ])
  const message = Buffer.concat([Buffer.from([1, 0, 0, body.length]), body])
  return Buffer.concat([Buffer.from([22, 3, 0, 0, message.length]), message])
}

/** Node's type omits that a certificate without a subject has no text for it. */
export type DistinguishedName = string | undefined

/** A name with its attributes in one line, such as `CN=lab, O=Glacis`; empty if the certificate has none. */
export function onOneLine(name: DistinguishedName): string {
  return name?.replaceAll('\n', ', ') ?? ''
}
