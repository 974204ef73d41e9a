/** An SSH session up to the list of authentication methods; none is tried. */
import {
  createCipheriv,
  createDecipheriv,
  createDiffieHellmanGroup,
  createECDH,
  createHash,
  createHmac,
  randomBytes,
} from 'node:crypto'
import type { Cipheriv, Decipheriv } from 'node:crypto'
import type { TcpConnection } from '#net/tcp.ts'
import { mpint, packetOf, packetsIn, readLists, string } from '#native/ssh-wire.ts'

const version = 'SSH-2.0-Glacis'
const readOptions = { firstByteMs: 4000, idleMs: 2000, totalMs: 6000 }
const macBytes = 32

/** A key exchange supported by Node. */
interface KeyExchangeMethod {
  readonly hash: string
  readonly begin: () => { readonly publicKey: Buffer; readonly isNumber: boolean; secret(theirKey: Buffer): Buffer }
}
const curve = (name: string, hash: string): KeyExchangeMethod => ({
  hash,
  begin() {
    const own = createECDH(name)
    return { publicKey: own.generateKeys(), isNumber: false, secret: (theirKey) => own.computeSecret(theirKey) }
  },
})
const group = (name: string, hash: string): KeyExchangeMethod => ({
  hash,
  begin() {
    const own = createDiffieHellmanGroup(name)
    return { publicKey: own.generateKeys(), isNumber: true, secret: (theirKey) => own.computeSecret(theirKey) }
  },
})
const keyExchangeMethods: Readonly<Record<string, KeyExchangeMethod>> = {
  'ecdh-sha2-nistp256': curve('prime256v1', 'sha256'),
  'ecdh-sha2-nistp384': curve('secp384r1', 'sha384'),
  'diffie-hellman-group14-sha256': group('modp14', 'sha256'),
  'diffie-hellman-group16-sha512': group('modp16', 'sha512'),
  'diffie-hellman-group14-sha1': group('modp14', 'sha1'),
  'diffie-hellman-group1-sha1': group('modp2', 'sha1'),
}

/** Encrypted packets, before authentication. */
export type EncryptedConnection = ReturnType<typeof encryptedConnection>

/**
 * Authentication methods that the server offers a user.
 *
 * @returns undefined when there is no common algorithm or the server stopped responding
 */
export async function readAuthMethods(connection: TcpConnection, user: string): Promise<readonly string[] | undefined> {
  const secure = await encrypt(connection)
  return secure && requestMethods(secure, user)
}

/** @returns undefined when there is no common algorithm or the server stopped responding */
export async function encrypt(connection: TcpConnection): Promise<EncryptedConnection | undefined> {
  const reader = packetReader(connection)
  const clientInit = kexInit()
  connection.write(`${version}\r\n`)
  connection.write(packetOf(clientInit))
  const greeting = await reader.greeting()
  const serverInit = await reader.next()
  const lists = serverInit && readLists(serverInit)
  if (!greeting || !serverInit || !lists) return undefined
  const kex = Object.keys(keyExchangeMethods).find((name) => lists.kex.includes(name))
  const method = keyExchangeMethods[kex ?? '']
  const isCommon = lists.ciphersIn.includes('aes128-ctr') && lists.macsIn.includes('hmac-sha2-256')
  if (!method || !isCommon) return undefined
  const keys = await exchange(connection, reader, { method, greeting, clientInit, serverInit })
  return keys && encryptedConnection(connection, reader.rest(), keys)
}

function kexInit(): Buffer {
  const hostKeys =
    'ssh-ed25519,rsa-sha2-512,rsa-sha2-256,ecdsa-sha2-nistp256,ecdsa-sha2-nistp384,ecdsa-sha2-nistp521,ssh-rsa'
  const both = (name: string) => [string(name), string(name)]
  const lists = [string(Object.keys(keyExchangeMethods).join(',')), string(hostKeys), ...both('aes128-ctr')]
  const tail = [...both('hmac-sha2-256'), ...both('none'), ...both(''), Buffer.alloc(5)]
  return Buffer.concat([Buffer.from([20]), randomBytes(16), ...lists, ...tail])
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
}

/** Exchanges keys (RFC 4253, section 8) without verifying the host key: no secrets are sent. */
async function exchange(
  connection: TcpConnection,
  reader: PacketReader,
  parameters: { method: KeyExchangeMethod; greeting: string; clientInit: Buffer; serverInit: Buffer },
): Promise<Keys | undefined> {
  const { method, greeting, clientInit, serverInit } = parameters
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
  return {
    encrypt: createCipheriv('aes-128-ctr', derive('C', 16), derive('A', 16)),
    decrypt: createDecipheriv('aes-128-ctr', derive('D', 16), derive('B', 16)),
    macOut: derive('E', macBytes),
  }
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
function encryptedConnection(connection: TcpConnection, received: Buffer, { encrypt, decrypt, macOut }: Keys) {
  let sent = 3
  let waiting = received
  let plain: Buffer = Buffer.alloc(0)
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
      const packet = packetOf(payload, 16)
      const number = Buffer.alloc(4)
      number.writeUInt32BE(sent++)
      const mac = createHmac('sha256', macOut).update(number).update(packet).digest()
      connection.write(Buffer.concat([encrypt.update(packet), mac]))
    },
    async next(): Promise<Buffer | undefined> {
      if (!(await readAtLeast(16))) return undefined
      plain = decrypt.update(waiting.subarray(0, 16))
      const length = plain.readUInt32BE(0)
      if (length > 35_000 || length < 12 || !(await readAtLeast(4 + length + macBytes))) return undefined
      const whole = Buffer.concat([plain, decrypt.update(waiting.subarray(16, 4 + length))])
      waiting = waiting.subarray(4 + length + macBytes)
      return whole.subarray(5, 4 + length - (whole[4] ?? 0))
    },
  }
}

const packetsMax = 6

async function requestMethods(secure: EncryptedConnection, user: string): Promise<readonly string[] | undefined> {
  secure.write(Buffer.concat([Buffer.from([5]), string('ssh-userauth')]))
  for (let index = 0; index < packetsMax; index++) {
    const payload = await secure.next()
    if (!payload) return undefined
    if (payload[0] === 6) {
      const fields = [string(user), string('ssh-connection'), string('none')]
      secure.write(Buffer.concat([Buffer.from([50]), ...fields]))
    }
    if (payload[0] === 51) return slice(payload, 1).toString('latin1').split(',')
    // Authentication succeeded without credentials: every method is allowed.
    if (payload[0] === 52) return ['none']
  }
  return undefined
}
