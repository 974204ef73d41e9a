/** An SSH session up to the list of authentication methods; only the method `none` is tried. */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  randomBytes,
  type Cipheriv,
  type Decipheriv,
} from 'node:crypto'
import type { TcpConnection } from '#net/tcp.ts'
import {
  chosen,
  ciphers,
  isComplete,
  keyExchangeMethods,
  macs,
  type Algorithms,
  type KeyExchangeMethod,
} from '#native/ssh-algorithms.ts'
import { integerBitsOf, mpint, packetOf, packetsIn, readLists, string } from '#native/ssh-wire.ts'

const version = 'SSH-2.0-Glacis'
const readOptions = { firstByteMs: 4000, idleMs: 2000, totalMs: 6000 }

/** What a server revealed before authentication. */
export interface SshSession {
  /** Authentication methods that it offers; `undefined` if it accepted the user without credentials. */
  readonly methods: readonly string[] | undefined
  /** The host key in the encoding of RFC 4253. Of a server with several keys, not the RSA key. */
  readonly hostKey: Buffer
}

/** Encrypted packets, before authentication. */
export type EncryptedConnection = ReturnType<typeof encryptedConnection>

/**
 * Authentication methods that the server offers a user.
 *
 * @returns undefined when there is no common algorithm or the server stopped responding
 */
export async function openSession(connection: TcpConnection, user: string): Promise<SshSession | undefined> {
  const opened = await encrypt(connection)
  const outcome = opened && (await requestMethods(opened.secure, user))
  return outcome && { methods: outcome.methods, hostKey: opened.hostKey }
}

/** @returns undefined when there is no common algorithm or the server stopped responding */
export async function encrypt(
  connection: TcpConnection,
): Promise<{ readonly secure: EncryptedConnection; readonly hostKey: Buffer } | undefined> {
  const reader = packetReader(connection)
  const clientInit = kexInit()
  connection.write(`${version}\r\n`)
  connection.write(packetOf(clientInit))
  const greeting = await reader.greeting()
  const serverInit = await reader.next()
  const lists = serverInit && readLists(serverInit)
  if (!greeting || !serverInit || !lists) return undefined
  const method = chosen(keyExchangeMethods, lists.kex)
  const algorithms = {
    cipherOut: chosen(ciphers, lists.ciphersOut),
    cipherIn: chosen(ciphers, lists.ciphersIn),
    macOut: chosen(macs, lists.macsOut),
    macIn: chosen(macs, lists.macsIn),
  }
  if (!method || !isComplete(algorithms)) return undefined
  const exchanged = await exchange(connection, reader, { method, greeting, clientInit, serverInit, algorithms })
  return (
    exchanged && {
      secure: encryptedConnection(connection, reader.rest(), exchanged.keys),
      hostKey: exchanged.hostKey,
    }
  )
}

/** Key exchanges in which the server chooses a group of the requested size (RFC 4419). */
const groupExchanges = ['diffie-hellman-group-exchange-sha256', 'diffie-hellman-group-exchange-sha1']
const groupRequest = 34
const groupReply = 31
const groupBitsSmall = 1024

export function offersGroupExchange(names: readonly string[]): boolean {
  return names.some((name) => groupExchanges.includes(name))
}

/**
 * Size in bits of the group that the server chooses for a client that prefers a small one.
 *
 * @returns undefined when the server rejects the request or stops responding
 */
export async function smallestGroupBits(connection: TcpConnection): Promise<number | undefined> {
  const reader = packetReader(connection)
  connection.write(`${version}\r\n`)
  connection.write(packetOf(kexInit(groupExchanges)))
  if (!(await reader.greeting()) || !(await reader.next())) return undefined
  const request = Buffer.alloc(13)
  request[0] = groupRequest
  ;[groupBitsSmall, groupBitsSmall, 8192].forEach((bits, index) => request.writeUInt32BE(bits, 1 + index * 4))
  connection.write(packetOf(request))
  const reply = await reader.next()
  return reply?.[0] === groupReply ? integerBitsOf(reply.subarray(1)) : undefined
}

function kexInit(methods: readonly string[] = Object.keys(keyExchangeMethods)): Buffer {
  // Some releases of Dropbear offer RSA without having a key, and crash if it is preferred.
  const hostKeys =
    'ssh-ed25519,rsa-sha2-512,rsa-sha2-256,ecdsa-sha2-nistp256,ecdsa-sha2-nistp384,ecdsa-sha2-nistp521,ssh-rsa,ssh-dss'
  const both = (names: string) => [string(names), string(names)]
  const lists = [methods.join(','), hostKeys].map((names) => string(names))
  const tail = [...both(Object.keys(macs).join(',')), ...both('none'), ...both(''), Buffer.alloc(5)]
  return Buffer.concat([Buffer.from([20]), randomBytes(16), ...lists, ...both(Object.keys(ciphers).join(',')), ...tail])
}

function packetReader(connection: TcpConnection) {
  let stream: Buffer = Buffer.alloc(0)
  let given = 0
  const more = async () => {
    const chunk = await connection.read({ ...readOptions, enough: () => true })
    stream = Buffer.concat([stream, chunk])
    return chunk.length > 0
  }
  return {
    async greeting(): Promise<string | undefined> {
      for (;;) {
        const match = /^(?:(?!SSH-)[^\n]{0,500}\n){0,20}(SSH-[^\r\n]{0,500})\r?\n/.exec(stream.toString('latin1'))
        if (match) {
          stream = stream.subarray(match[0].length)
          return match[1]
        }
        if (stream.length > 16_384 || !(await more())) return undefined
      }
    },
    async next(): Promise<Buffer | undefined> {
      for (;;) {
        const payload = packetsIn(stream)[given]
        if (payload) {
          given++
          return payload
        }
        if (!(await more())) return undefined
      }
    },
    /** Data after the returned packets. */
    rest(): Buffer {
      let at = 0
      for (let index = 0; index < given; index++) at += 4 + stream.readUInt32BE(at)
      return stream.subarray(at)
    },
  }
}
type PacketReader = ReturnType<typeof packetReader>

interface Keys {
  readonly encrypt: Cipheriv
  readonly decrypt: Decipheriv
  readonly macOut: Buffer
  readonly algorithms: Algorithms
}

/** Exchanges keys (RFC 4253, section 8) without verifying the host key: no secrets are sent. */
async function exchange(
  connection: TcpConnection,
  reader: PacketReader,
  parameters: {
    method: KeyExchangeMethod
    greeting: string
    clientInit: Buffer
    serverInit: Buffer
    algorithms: Algorithms
  },
): Promise<{ keys: Keys; hostKey: Buffer } | undefined> {
  const { method, greeting, clientInit, serverInit, algorithms } = parameters
  const { publicKey, isNumber, secret } = method.begin()
  const field = (value: Buffer) => (isNumber ? mpint(value) : string(value))
  connection.write(packetOf(Buffer.concat([Buffer.from([30]), field(publicKey)])))
  const reply = await reader.next()
  if (reply?.[0] !== 31) return undefined
  const hostKey = slice(reply, 1)
  const public_ = slice(reply, 5 + hostKey.length)
  const shared = mpint(secret(public_))
  const parts = [string(version), string(greeting), string(clientInit), string(serverInit), string(hostKey)]
  const hashed = Buffer.concat([...parts, field(publicKey), isNumber ? mpint(public_) : string(public_), shared])
  const digest = createHash(method.hash).update(hashed).digest()
  connection.write(packetOf(Buffer.from([21])))
  // The server's NEWKEYS.
  if ((await reader.next())?.[0] !== 21) return undefined
  const derive = (letter: string, length: number) => derived(method.hash, { shared, digest, letter, length })
  const { cipherOut, cipherIn, macOut } = algorithms
  const encrypt = createCipheriv(cipherOut.name, derive('C', cipherOut.keyBytes), derive('A', cipherOut.blockBytes))
  const decrypt = createDecipheriv(cipherIn.name, derive('D', cipherIn.keyBytes), derive('B', cipherIn.blockBytes))
  encrypt.setAutoPadding(false)
  decrypt.setAutoPadding(false)
  return { keys: { encrypt, decrypt, macOut: derive('E', macOut.bytes), algorithms }, hostKey }
}

function slice(payload: Buffer, at: number): Buffer {
  const length = payload.readUInt32BE(at)
  return payload.subarray(at + 4, at + 4 + length)
}

function derived(
  hash: string,
  { shared, digest, letter, length }: { shared: Buffer; digest: Buffer; letter: string; length: number },
): Buffer {
  let key = createHash(hash).update(shared).update(digest).update(letter).update(digest).digest()
  while (key.length < length) {
    key = Buffer.concat([key, createHash(hash).update(shared).update(digest).update(key).digest()])
  }
  return key.subarray(0, length)
}

/** Encrypted packets. The sequence number counts from the first packet of the connection. */
function encryptedConnection(
  connection: TcpConnection,
  received: Buffer,
  { encrypt, decrypt, macOut, algorithms }: Keys,
) {
  const { blockBytes } = algorithms.cipherIn
  const macBytes = algorithms.macIn.bytes
  let sent = 3
  let waiting = received
  const readAtLeast = async (length: number) => {
    while (waiting.length < length) {
      const chunk = await connection.read({ ...readOptions, enough: () => true })
      if (chunk.length === 0) return false
      waiting = Buffer.concat([waiting, chunk])
    }
    return true
  }
  return {
    write(payload: Buffer): void {
      const packet = packetOf(payload, algorithms.cipherOut.blockBytes)
      const number = Buffer.alloc(4)
      number.writeUInt32BE(sent++)
      const mac = createHmac(algorithms.macOut.hash, macOut).update(number).update(packet).digest()
      connection.write(Buffer.concat([encrypt.update(packet), mac]))
    },
    async next(): Promise<Buffer | undefined> {
      if (!(await readAtLeast(blockBytes))) return undefined
      const first = decrypt.update(waiting.subarray(0, blockBytes))
      const length = first.readUInt32BE(0)
      if (length > 35_000 || length < 5 || !(await readAtLeast(4 + length + macBytes))) return undefined
      const whole = Buffer.concat([first, decrypt.update(waiting.subarray(blockBytes, 4 + length))])
      waiting = waiting.subarray(4 + length + macBytes)
      return whole.subarray(5, 4 + length - (whole[4] ?? 0))
    },
  }
}

const packetsMax = 6

async function requestMethods(
  secure: EncryptedConnection,
  user: string,
): Promise<Pick<SshSession, 'methods'> | undefined> {
  secure.write(Buffer.concat([Buffer.from([5]), string('ssh-userauth')]))
  for (let index = 0; index < packetsMax; index++) {
    const payload = await secure.next()
    if (!payload) return undefined
    if (payload[0] === 6) {
      const fields = [string(user), string('ssh-connection'), string('none')]
      secure.write(Buffer.concat([Buffer.from([50]), ...fields]))
    }
    if (payload[0] === 51) return { methods: slice(payload, 1).toString('latin1').split(',') }
    if (payload[0] === 52) return { methods: undefined }
  }
  return undefined
}
