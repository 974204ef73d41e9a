/** ClientHellos with options that TLS libraries no longer support, and their responses. */
import { isIP } from 'node:net'
import { hex } from '#wire.ts'

/**
 * Insecure cipher suites by number (IANA registry): no encryption, no authentication, or broken
 * ciphers.
 */
export const insecureSuites: Readonly<Record<number, string>> = {
  0x0001: 'NULL_MD5',
  0x0002: 'NULL_SHA',
  0x003b: 'NULL_SHA256',
  0xc006: 'ECDHE_ECDSA_NULL_SHA',
  0xc010: 'ECDHE_RSA_NULL_SHA',
  0xc015: 'ECDH_anon_NULL_SHA',
  0x0003: 'EXPORT_RC4_40_MD5',
  0x0006: 'EXPORT_RC2_CBC_40_MD5',
  0x0008: 'EXPORT_DES40_CBC_SHA',
  0x0014: 'DHE_RSA_EXPORT_DES40_CBC_SHA',
  0x0017: 'DH_anon_EXPORT_RC4_40_MD5',
  0x0019: 'DH_anon_EXPORT_DES40_CBC_SHA',
  0x0018: 'DH_anon_RC4_128_MD5',
  0x001a: 'DH_anon_DES_CBC_SHA',
  0x001b: 'DH_anon_3DES_EDE_CBC_SHA',
  0x0034: 'DH_anon_AES_128_CBC_SHA',
  0x003a: 'DH_anon_AES_256_CBC_SHA',
  0x006c: 'DH_anon_AES_128_CBC_SHA256',
  0x006d: 'DH_anon_AES_256_CBC_SHA256',
  0x00a6: 'DH_anon_AES_128_GCM_SHA256',
  0x00a7: 'DH_anon_AES_256_GCM_SHA384',
  0xc016: 'ECDH_anon_RC4_128_SHA',
  0xc017: 'ECDH_anon_3DES_EDE_CBC_SHA',
  0xc018: 'ECDH_anon_AES_128_CBC_SHA',
  0xc019: 'ECDH_anon_AES_256_CBC_SHA',
  0x0009: 'DES_CBC_SHA',
  0x0015: 'DHE_RSA_DES_CBC_SHA',
  0x0004: 'RC4_128_MD5',
  0x0005: 'RC4_128_SHA',
  0xc007: 'ECDHE_ECDSA_RC4_128_SHA',
  0xc011: 'ECDHE_RSA_RC4_128_SHA',
  // Static keys, DSA, pre-shared keys, and less common ciphers.
  0xc001: 'ECDH_ECDSA_NULL_SHA',
  0xc00b: 'ECDH_RSA_NULL_SHA',
  0xc002: 'ECDH_ECDSA_RC4_128_SHA',
  0xc00c: 'ECDH_RSA_RC4_128_SHA',
  0x0066: 'DHE_DSS_RC4_128_SHA',
  0x0011: 'DHE_DSS_EXPORT_DES40_CBC_SHA',
  0x0012: 'DHE_DSS_DES_CBC_SHA',
  0x0062: 'EXPORT1024_DES_CBC_SHA',
  0x0064: 'EXPORT1024_RC4_56_SHA',
  0x0046: 'DH_anon_CAMELLIA_128_CBC_SHA',
  0x0089: 'DH_anon_CAMELLIA_256_CBC_SHA',
  0x009b: 'DH_anon_SEED_CBC_SHA',
  0x002c: 'PSK_NULL_SHA',
  0x002d: 'DHE_PSK_NULL_SHA',
  0x00b0: 'PSK_NULL_SHA256',
  0xc039: 'ECDHE_PSK_NULL_SHA',
  0x008a: 'PSK_RC4_128_SHA',
  0xc033: 'ECDHE_PSK_RC4_128_SHA',
}
/** Suites with 64-bit blocks, which collide within a long session (SWEET32). */
export const smallBlockSuites: Readonly<Record<number, string>> = {
  0x000a: '3DES_EDE_CBC_SHA',
  0x0016: 'DHE_RSA_3DES_EDE_CBC_SHA',
  0xc008: 'ECDHE_ECDSA_3DES_EDE_CBC_SHA',
  0xc012: 'ECDHE_RSA_3DES_EDE_CBC_SHA',
  0x0007: 'IDEA_CBC_SHA',
}

/** Suites with ephemeral Diffie-Hellman over finite fields. */
export const dheSuites: Readonly<Record<number, string>> = {
  0x009e: 'DHE_RSA_AES_128_GCM_SHA256',
  0x009f: 'DHE_RSA_AES_256_GCM_SHA384',
  0x0033: 'DHE_RSA_AES_128_CBC_SHA',
  0x0039: 'DHE_RSA_AES_256_CBC_SHA',
  0x0067: 'DHE_RSA_AES_128_CBC_SHA256',
  0x006b: 'DHE_RSA_AES_256_CBC_SHA256',
}

/** Suites with ephemeral Diffie-Hellman over elliptic curves. */
export const ecdheSuites: readonly number[] = [
  0xc02f, 0xc030, 0xc02b, 0xc02c, 0xcca8, 0xcca9, 0xc013, 0xc014, 0xc009, 0xc00a,
]

/** Curves of less than 224 bits by number (IANA registry). */
export const weakCurves: Readonly<Record<number, string>> = {
  0x0001: 'sect163k1',
  0x0002: 'sect163r1',
  0x0003: 'sect163r2',
  0x0004: 'sect193r1',
  0x0005: 'sect193r2',
  0x000f: 'secp160k1',
  0x0010: 'secp160r1',
  0x0011: 'secp160r2',
  0x0012: 'secp192k1',
  0x0013: 'secp192r1',
}

/** Suites of TLS 1.2 whose key exchange encrypts the secret with the server's RSA key. */
export const rsaSuites: readonly number[] = [0x009c, 0x009d, 0x003c, 0x003d, 0x002f, 0x0035, 0x000a]

/** Suites of which nearly every server with TLS 1.2 or earlier accepts at least one. */
export const commonSuites: readonly number[] = [...ecdheSuites, 0x009e, 0x009f, 0x0033, 0x0039, ...rsaSuites]

/** P-256, P-384, P-521, and X25519. */
const commonCurves: readonly number[] = [0x0017, 0x0018, 0x0019, 0x001d]

interface HelloExtras {
  /** Compression methods, in addition to none. */
  readonly compressions?: readonly number[]
  readonly extensions?: Buffer
  /** Elliptic curves; default P-256, P-384, P-521, and X25519. */
  readonly curves?: readonly number[]
}

/** TLS 1.2 ClientHello (RFC 5246, section 7.4.1.2) with only these suites. */
export function clientHello(
  suites: readonly number[],
  hostname: string,
  { compressions = [], extensions: extra = Buffer.alloc(0), curves = commonCurves }: HelloExtras = {},
): Buffer {
  const extensions = Buffer.concat([
    isIP(hostname) || hostname === '' ? Buffer.alloc(0) : serverName(hostname),
    // Curves; uncompressed points; RSA, DSA, and ECDSA with SHA-256 and SHA-1.
    hex('000a'),
    vector(vector(Buffer.concat(curves.map(uint16)))),
    hex('000b 0002 0100'),
    hex('000d 0010 000e 0401 0403 0501 0503 0201 0202 0203'),
    // Bouncy Castle refuses clients without secure renegotiation (RFC 5746).
    hex('ff01 0001 00'),
    extra,
  ])
  const body = Buffer.concat([
    hex('0303'),
    Buffer.alloc(32, 0x47),
    Buffer.from([0]),
    vector(Buffer.concat(suites.map(uint16))),
    Buffer.from([compressions.length + 1, ...compressions, 0]),
    vector(extensions),
  ])
  return record(Buffer.concat([Buffer.from([1, 0]), uint16(body.length), body]))
}

function serverName(hostname: string): Buffer {
  const name = vector(Buffer.from(hostname, 'latin1'))
  return Buffer.concat([hex('0000'), vector(vector(Buffer.concat([Buffer.from([0]), name])))])
}

function record(message: Buffer): Buffer {
  return Buffer.concat([hex('160301'), vector(message)])
}

export interface ServerHello {
  /** Such as 0x0303 for TLS 1.2. */
  readonly version: number
  readonly compression: number
  /** Extension types. */
  readonly extensions: ReadonlySet<number>
}

/** A ServerHello with its extensions; undefined if the response contains none. */
export function readFullServerHello(received: Buffer): ServerHello | undefined {
  const body = handshakeMessage(received, 2)
  if (!body || body.length < 38) return undefined
  const at = 35 + body.readUInt8(34)
  if (body.length < at + 3) return undefined
  const extensions = new Set<number>()
  for (let next = at + 5; next + 4 <= body.length; next += 4 + body.readUInt16BE(next + 2))
    extensions.add(body.readUInt16BE(next))
  return { version: body.readUInt16BE(0), compression: body.readUInt8(at + 2), extensions }
}

/** The server's certificate in DER; undefined if the response contains none. */
export function readCertificate(received: Buffer): Buffer | undefined {
  const body = handshakeMessage(received, 11)
  return body && body.length > 6 ? body.subarray(6, 6 + body.readUIntBE(3, 3)) : undefined
}

/** Whether the server has sent its last message before the client's key. */
export function isHelloDone(received: Buffer): boolean {
  return handshakeMessage(received, 14) !== undefined || received[0] === 0x15
}

function vector(content: Buffer): Buffer {
  return Buffer.concat([uint16(content.length), content])
}

function uint16(value: number): Buffer {
  return Buffer.from([value >> 8, value & 0xff])
}

/** The result: the chosen suite, an alert that rejects all of them, or a non-TLS response. */
export function readServerHello(received: Buffer): { readonly suite: number } | 'refused' | undefined {
  if (received[0] === 0x15 && received[1] === 3) return 'refused'
  // Record, handshake, version, and random precede the session ID.
  if (received[0] !== 0x16 || received[5] !== 2 || received.length < 44) return undefined
  const at = 44 + received.readUInt8(43)
  return received.length < at + 2 ? undefined : { suite: received.readUInt16BE(at) }
}

/**
 * Size in bits of the prime in a ServerKeyExchange for DHE (RFC 5246, section 7.4.3); undefined if the response
 * contains none.
 */
export function readDhPrimeBits(received: Buffer): number | undefined {
  const body = handshakeMessage(received, 12)
  if (!body || body.length < 3) return undefined
  const prime = body.subarray(2, 2 + body.readUInt16BE(0))
  const start = prime.findIndex((byte) => byte !== 0)
  return start < 0 ? 0 : (prime.length - start) * 8 - Math.clz32(prime[start] ?? 0) + 24
}

/** The named curve in a ServerKeyExchange for ECDHE (RFC 8422, section 5.4); undefined if there is none. */
export function readNamedCurve(received: Buffer): number | undefined {
  const body = handshakeMessage(received, 12)
  const namedCurve = 3
  return body && body.length > 4 && body[0] === namedCurve ? body.readUInt16BE(1) : undefined
}

/** The body of the first complete handshake message of a type. */
function handshakeMessage(received: Buffer, type: number): Buffer | undefined {
  const messages = handshakeBytes(received)
  for (let at = 0; at + 4 <= messages.length;) {
    const end = at + 4 + messages.readUIntBE(at + 1, 3)
    if (messages[at] === type && end <= messages.length) return messages.subarray(at + 4, end)
    at = end
  }
  return undefined
}

/** The contents of all handshake records; messages may be split across records. */
function handshakeBytes(received: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; at + 5 <= received.length && received[at] === 0x16;) {
    const end = at + 5 + received.readUInt16BE(at + 3)
    parts.push(received.subarray(at + 5, end))
    at = end
  }
  return Buffer.concat(parts)
}

/** SSL 2.0 CLIENT-HELLO (draft-hickman-netscape-ssl) with all seven ciphers. */
export const ssl2Hello: Buffer = hex(
  '802e 01 0002 0015 0000 0010 010080 020080 030080 040080 050080 060040 0700c0 47474747474747474747474747474747',
)

/** SSL 3.0 ClientHello, which has no extensions (RFC 6101, section 5.6.1.2). */
export function ssl3Hello(): Buffer {
  const suites = [0x0035, 0x002f, 0x0039, 0x0033, 0x000a, 0x0016, 0x0005, 0x0004, 0x0009, 0x0034, 0x0018]
  const body = Buffer.concat([
    hex('0300'),
    Buffer.alloc(32, 0x47),
    Buffer.from([0]),
    vector(Buffer.concat(suites.map(uint16))),
    hex('0100'),
  ])
  return Buffer.concat([hex('160300'), vector(Buffer.concat([Buffer.from([1, 0]), uint16(body.length), body]))])
}

/** Whether the server responded with an SSL 2.0 SERVER-HELLO. */
export function isSsl2Hello(received: Buffer): boolean {
  return (
    received.length >= 13 && ((received[0] ?? 0) & 0x80) !== 0 && received[2] === 4 && received.readUInt16BE(5) === 2
  )
}
