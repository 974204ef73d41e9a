/** SSH packets (RFC 4253), as needed before authentication. */
import { randomBytes } from 'node:crypto'

/** The algorithms of a KEXINIT, in order. */
export interface KexLists {
  readonly kex: readonly string[]
  readonly hostKeys: readonly string[]
  readonly ciphersIn: readonly string[]
  readonly ciphersOut: readonly string[]
  readonly macsIn: readonly string[]
  readonly macsOut: readonly string[]
}

const packetBytesMax = 35_000

/** Payloads of the complete packets at the start of a plaintext stream. */
export function packetsIn(stream: Buffer): Buffer[] {
  const payloads: Buffer[] = []
  let at = 0
  while (stream.length >= at + 5) {
    const length = stream.readUInt32BE(at)
    const padding = stream[at + 4] ?? 0
    if (length < 2 || length > packetBytesMax || padding >= length || stream.length < at + 4 + length) break
    payloads.push(stream.subarray(at + 5, at + 4 + length - padding))
    at += 4 + length
  }
  return payloads
}

/** A packet with this payload, padded to the cipher's block size. */
export function packetOf(payload: Buffer, blockBytes = 8): Buffer {
  const rest = (5 + payload.length) % blockBytes
  const padding = blockBytes - rest + (blockBytes - rest < 4 ? blockBytes : 0)
  const head = Buffer.alloc(5)
  head.writeUInt32BE(1 + payload.length + padding)
  head[4] = padding
  return Buffer.concat([head, payload, randomBytes(padding)])
}

/** Null when it is not a KEXINIT. */
export function readLists(payload: Buffer): KexLists | null {
  if (payload[0] !== 20 || payload.length < 17) return null
  const lists: string[][] = []
  let at = 17
  for (let index = 0; index < 6; index++) {
    if (payload.length < at + 4) return null
    const length = payload.readUInt32BE(at)
    if (payload.length < at + 4 + length) return null
    lists.push(payload.toString('latin1', at + 4, at + 4 + length).split(','))
    at += 4 + length
  }
  const [kex = [], hostKeys = [], ciphersOut = [], ciphersIn = [], macsOut = [], macsIn = []] = lists
  return { kex, hostKeys, ciphersIn, ciphersOut, macsIn, macsOut }
}

/** A length-prefixed string. */
export function string(value: string | Buffer): Buffer {
  const content = typeof value === 'string' ? Buffer.from(value, 'latin1') : value
  const head = Buffer.alloc(4)
  head.writeUInt32BE(content.length)
  return Buffer.concat([head, content])
}

/** SSH mpint of a positive number: no leading zeros, except one before a set sign bit. */
export function mpint(value: Buffer): Buffer {
  let from = 0
  while (from < value.length && value[from] === 0) from++
  const bare = value.subarray(from)
  return string(((bare[0] ?? 0) & 0x80) !== 0 ? Buffer.concat([Buffer.from([0]), bare]) : bare)
}

/** The length of an RSA host key's modulus in bits; undefined for other keys. */
export function rsaBitsOf(hostKey: Buffer): number | undefined {
  const [type, , modulus] = stringsIn(hostKey)
  return type?.toString('latin1') === 'ssh-rsa' && modulus ? bitsOf(modulus) : undefined
}

/** The length in bits of the number at the start of a buffer. */
export function integerBitsOf(buffer: Buffer): number | undefined {
  const [number] = stringsIn(buffer)
  return number && bitsOf(number)
}

function bitsOf(number: Buffer): number {
  const from = number.findIndex((byte) => byte !== 0)
  return from < 0 ? 0 : (number.length - from) * 8 - (Math.clz32(number[from] ?? 0) - 24)
}

/** The complete length-prefixed strings at the start of a buffer. */
function stringsIn(buffer: Buffer): Buffer[] {
  const strings: Buffer[] = []
  let at = 0
  while (buffer.length >= at + 4 && buffer.length >= at + 4 + buffer.readUInt32BE(at)) {
    const end = at + 4 + buffer.readUInt32BE(at)
    strings.push(buffer.subarray(at + 4, end))
    at = end
  }
  return strings
}
