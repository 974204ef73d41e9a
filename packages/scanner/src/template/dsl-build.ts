/**
 * DSL functions that build request payloads: archives, tokens, ciphertext, serialized objects. Each
 * follows a published format and is harmless by itself.
 */
import { createCipheriv, createHmac, randomBytes, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { noValue, toNumber, toText, type DslValue } from '#template/dsl-value.ts'

type Call = (args: readonly DslValue[]) => DslValue

/** Maximum length of an archive or ciphertext, in bytes. */
const BYTES_MAX = 1024 * 1024

/** By name without underscores, like the other functions. */
export const builders: ReadonlyMap<string, Call> = new Map<string, Call>([
  ['zip', (args) => zip(args.map(toText))],
  [
    'generatejwt',
    ([payload = '', algorithm = '', secret = '']) => jwt(toText(payload), toText(algorithm), toText(secret)),
  ],
  [
    'aescbc',
    ([text = '', key = '', vector = '']) => aesCbc(bytes(toText(text)), bytes(toText(key)), bytes(toText(vector))),
  ],
  ['aesgcm', ([key = '', text = '']) => aesGcm(bytes(toText(key)), bytes(toText(text)))],
  ['generatejavagadget', ([gadget = '', url = '', form = '']) => javaGadget(toText(gadget), toText(url), toText(form))],
  ['randip', ([network = '']) => randomAddressIn(toText(network))],
  ['unpack', ([format = '', text = '']) => unpack(toText(format), bytes(toText(text)))],
  // The runner performs the actual delay; evaluating an expression never blocks.
  ['waitfor', ([seconds = 0]) => toNumber(seconds) >= 0],
])

/** Supported gadgets of `generate_java_gadget`. */
export const gadgets: ReadonlySet<string> = new Set(['dns'])

/** An uncompressed ZIP archive (PKWARE APPNOTE 4.3) from alternating names and contents. */
function zip(pairs: readonly string[]): string {
  if (pairs.length < 2 || pairs.length % 2 !== 0) return noValue()
  const locals: Buffer[] = []
  const entries: Buffer[] = []
  let offset = 0
  for (let at = 0; at < pairs.length; at += 2) {
    const [name, content] = [bytes(pairs[at] ?? ''), bytes(pairs[at + 1] ?? '')]
    const facts = zipFacts(name, content)
    const local = Buffer.concat([hex('504b0304 1400'), facts, name, content])
    entries.push(
      Buffer.concat([hex('504b0102 1400 1400'), facts, hex('0000 0000 0000 00000000'), number32(offset), name]),
    )
    locals.push(local)
    offset += local.length
  }
  const directory = Buffer.concat(entries)
  const count = number16(entries.length)
  const end = Buffer.concat([
    hex('504b0506 0000 0000'),
    count,
    count,
    number32(directory.length),
    number32(offset),
    hex('0000'),
  ])
  return offset > BYTES_MAX ? noValue() : Buffer.concat([...locals, directory, end]).toString('latin1')
}

/**
 * Fields shared by the local header and the central directory entry: stored, January 1, 1980, CRC,
 * and sizes.
 */
function zipFacts(name: Buffer, content: Buffer): Buffer {
  const sizes = [crc32(content), content.length, content.length].map(number32)
  return Buffer.concat([hex('0000 0000 0000 2100'), ...sizes, number16(name.length), hex('0000')])
}

const hashes: Readonly<Record<string, string>> = { HS256: 'sha256', HS384: 'sha384', HS512: 'sha512' }

/** A JSON Web Token (RFC 7519), signed with a shared secret or unsigned. */
function jwt(payload: string, algorithm: string, secret: string): string {
  const name = algorithm.toUpperCase()
  const hash = hashes[name]
  if (hash === undefined && name !== 'NONE' && name !== '') return noValue()
  const head = JSON.stringify({ alg: hash === undefined ? 'none' : name, typ: 'JWT' })
  const signed = [head, payload].map((part) => bytes(part).toString('base64url')).join('.')
  const signature = hash === undefined ? '' : createHmac(hash, bytes(secret)).update(signed).digest('base64url')
  return `${signed}.${signature}`
}

function aesCbc(text: Buffer, key: Buffer, vector: Buffer): string {
  if (![16, 24, 32].includes(key.length) || vector.length !== 16 || text.length > BYTES_MAX) return noValue()
  const cipher = createCipheriv(`aes-${key.length * 8}-cbc`, key, vector)
  return Buffer.concat([cipher.update(text), cipher.final()]).toString('latin1')
}

/** Nonce, ciphertext, and tag, in that order. */
function aesGcm(key: Buffer, text: Buffer): string {
  if (![16, 24, 32].includes(key.length) || text.length > BYTES_MAX) return noValue()
  const nonce = randomBytes(12)
  const cipher = createCipheriv(
    key.length === 16 ? 'aes-128-gcm' : key.length === 24 ? 'aes-192-gcm' : 'aes-256-gcm',
    key,
    nonce,
  )
  return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString('latin1')
}

/**
 * A serialized Java HashMap with a URL key (Java Object Serialization Specification, section 6.4):
 * deserializing it only triggers a DNS lookup. Gadgets that execute code are not supported.
 */
function javaGadget(gadget: string, url: string, form: string): string {
  const [, scheme = 'http', rest = ''] = /^(?:([a-z]+):\/\/)?([^]*)$/.exec(url) ?? []
  const [authority = '', ...path] = rest.split('/')
  if (gadget !== 'dns' || authority === '') return noValue()
  const host = authority.replace(/:\d+$/, '')
  const sameHost = host === authority ? hex('71 007e0005') : javaText(host)
  const object = Buffer.concat([
    hex('aced0005 7372'),
    javaName('java.util.HashMap'),
    hex('0507dac1c31660d1 03 0002'),
    bytes('F'),
    javaName('loadFactor'),
    bytes('I'),
    javaName('threshold'),
    hex('7870 3f400000 0000000c 77 08 00000010 00000001 7372'),
    javaName('java.net.URL'),
    hex('962537361afce472 03 0007'),
    bytes('I'),
    javaName('hashCode'),
    bytes('I'),
    javaName('port'),
    bytes('L'),
    javaName('authority'),
    javaText('Ljava/lang/String;'),
    ...['file', 'host', 'protocol', 'ref'].flatMap((name) => [bytes('L'), javaName(name), hex('71 007e0003')]),
    hex('7870 ffffffff'),
    portOf(authority),
    javaText(authority),
    javaText(path.length > 0 ? `/${path.join('/')}` : ''),
    sameHost,
    javaText(scheme),
    hex('70 78'),
    javaText(`${scheme}://${rest}`),
    hex('78'),
  ])
  return encodeObject(object, form)
}

function portOf(authority: string): Buffer {
  const port = /:(\d{1,5})$/.exec(authority)?.[1]
  return port === undefined ? hex('ffffffff') : Buffer.from([0, 0, Number(port) >> 8, Number(port) & 255])
}

function encodeObject(object: Buffer, form: string): string {
  if (form === 'hex') return object.toString('hex')
  if (form === 'raw') return object.toString('latin1')
  return form === '' || form === 'base64' || form === 'base64-raw' ? object.toString('base64') : noValue()
}

function javaName(name: string): Buffer {
  return Buffer.concat([Buffer.from([name.length >> 8, name.length & 255]), bytes(name)])
}

function javaText(text: string): Buffer {
  return Buffer.concat([hex('74'), javaName(text)])
}

/** A random address within an IPv4 network. */
function randomAddressIn(network: string): string {
  const [, address = '', length] = /^(\d{1,3}(?:\.\d{1,3}){3})(?:\/(\d{1,2}))?$/.exec(network) ?? []
  const parts = address.split('.').map(Number)
  const bits = length === undefined ? 32 : Number(length)
  if (address === '' || parts.some((part) => part > 255) || bits > 32) return noValue()
  const start = parts.reduce((value, part) => value * 256 + part, 0)
  const size = 2 ** (32 - bits)
  const chosen = Math.floor(start / size) * size + randomInt(size)
  return [24, 16, 8, 0].map((shift) => Math.floor(chosen / 2 ** shift) % 256).join('.')
}

/** Unpacks an integer using a format character of Python's `struct`. */
function unpack(format: string, from: Buffer): number {
  const [, order = '', sign = ''] = /^([<>!=@]?)([bBhHiIlL])$/.exec(format) ?? []
  const length = { b: 1, h: 2, i: 4, l: 4 }[sign.toLowerCase()]
  if (length === undefined || from.length < length) return noValue()
  const isBig = order === '>' || order === '!'
  if (sign === sign.toUpperCase()) return isBig ? from.readUIntBE(0, length) : from.readUIntLE(0, length)
  return isBig ? from.readIntBE(0, length) : from.readIntLE(0, length)
}

function bytes(text: string): Buffer {
  return Buffer.from(text, 'latin1')
}

function hex(text: string): Buffer {
  return Buffer.from(text.replaceAll(' ', ''), 'hex')
}

function number16(value: number): Buffer {
  const buffer = Buffer.alloc(2)
  buffer.writeUInt16LE(value)
  return buffer
}

function number32(value: number): Buffer {
  const buffer = Buffer.alloc(4)
  buffer.writeUInt32LE(value)
  return buffer
}
