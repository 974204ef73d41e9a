/** The subset of the OPC UA binary encoding (part 6) that an anonymous session without encryption needs. */
import { randomBytes } from 'node:crypto'
import type { TcpConnection } from '#net/tcp.ts'
import { hex } from '#wire.ts'

/** What a server reveals to any client. */
export interface OpcUaServer {
  readonly productUri: string
  readonly applicationName: string
  /** An anonymous session without encryption was activated. */
  readonly isActivated: boolean
  /** ProductName, ManufacturerName, and SoftwareVersion of an activated session. */
  readonly build: readonly string[]
}

const messageBytesMax = 262_144
const noSecurity = 'http://opcfoundation.org/UA/SecurityPolicy#None'
const sessionMs = 10_000
/** Numbers of the binary encodings of requests (part 6, annex A). */
const types = { open: 446, getEndpoints: 428, createSession: 461, activateSession: 467, read: 631, close: 473 }
const anonymousToken = 321
const anonymousTokenType = 0
const securityModeNone = 1
const valueAttribute = 13
/** ServerStatus.BuildInfo: ProductName, ManufacturerName, SoftwareVersion. */
const buildNodes = [2261, 2263, 2264]

function number(value: number, size: 2 | 4 = 4): Buffer {
  const encoded = Buffer.alloc(size)
  encoded.writeUIntLE(value, 0, size)
  return encoded
}

function text(value: string | null): Buffer {
  if (value === null) return hex('ffffffff')
  const body = Buffer.from(value)
  return Buffer.concat([number(body.length), body])
}

const nodeId = (id: number) => Buffer.concat([hex('0100'), number(id, 2)])
const nullNode = hex('0000')

/** Reads values in order. Out-of-range reads throw a RangeError, as those of Buffer do. */
class Reader {
  readonly #bytes: Buffer
  #at = 0
  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }
  take(length: number): Buffer {
    if (length < 0 || this.#at + length > this.#bytes.length) throw new RangeError('The message is truncated')
    this.#at += length
    return this.#bytes.subarray(this.#at - length, this.#at)
  }
  byte(): number {
    return this.take(1)[0] ?? 0
  }
  number(): number {
    return this.take(4).readUInt32LE()
  }
  text(): string {
    const length = this.take(4).readInt32LE()
    return length <= 0 ? '' : this.take(length).toString()
  }
  list<Item>(read: () => Item): Item[] {
    const length = this.take(4).readInt32LE()
    return Array.from({ length: Math.min(Math.max(length, 0), 100) }, read)
  }
  localizedText(): string {
    const mask = this.byte()
    if (mask & 1) this.text()
    return mask & 2 ? this.text() : ''
  }
  /** @returns the identifier as it was encoded */
  node(): Buffer {
    const start = this.#at
    const kind = this.byte() & 0x3f
    if (kind === 3 || kind === 5) {
      this.take(2)
      this.text()
    } else this.take({ 0: 1, 1: 3, 2: 6, 4: 18 }[kind] ?? Infinity)
    return this.#bytes.subarray(start, this.#at)
  }
  /** @returns the result of the service; 0 is good */
  responseHeader(): number {
    this.node()
    this.take(12)
    const result = this.number()
    if (this.byte() !== 0) throw new RangeError('Diagnostics are not expected')
    this.list(() => this.text())
    this.node()
    this.byte()
    return result
  }
}

interface Channel {
  request(type: number, body: Uint8Array, session?: Uint8Array): Promise<Reader | undefined>
}

/** @returns undefined if the service doesn't open a channel without encryption, or answers with something else */
export async function readServer(connection: TcpConnection, url: string): Promise<OpcUaServer | undefined> {
  const channel = await openChannel(connection, url)
  const endpoints = await channel?.request(types.getEndpoints, Buffer.concat([text(url), hex('ffffffff ffffffff')]))
  if (!channel || endpoints?.responseHeader() !== 0) return undefined
  const offered = endpoints.list(() => readEndpoint(endpoints))
  const [first] = offered
  if (!first) return undefined
  const { productUri, applicationName } = first
  const server = { productUri, applicationName, isActivated: false, build: [] }
  const open = offered.find(({ isOpen, anonymousPolicy }) => isOpen && anonymousPolicy !== undefined)
  if (!open) return server
  // Servers look the endpoint up by the URL that they advertise.
  const session = await createSession(channel, open.url)
  if (!session || !(await activateSession(channel, session, open.anonymousPolicy ?? ''))) return server
  const build = await readBuild(channel, session)
  await channel.request(types.close, hex('01'), session)
  return { ...server, isActivated: true, build }
}

async function openChannel(connection: TcpConnection, url: string): Promise<Channel | undefined> {
  const receive = async () => {
    const isComplete = (all: Buffer) => all.length >= 8 && all.length >= all.readUInt32LE(4)
    return connection.read({ firstByteMs: 3000, idleMs: 500, bytesMax: messageBytesMax, enough: isComplete })
  }
  const send = (kind: string, body: Uint8Array) =>
    connection.write(Buffer.concat([Buffer.from(kind), number(body.length + 8), body]))
  send('HELF', Buffer.concat([hex('00000000 00000100 00000100 00000000 00000000'), text(url)]))
  if (!(await receive()).toString('latin1').startsWith('ACKF')) return undefined
  const openBody = hex('00000000 00000000 01000000 ffffffff 60ea0000')
  const security = Buffer.concat([text(noSecurity), text(null), text(null)])
  send('OPNF', Buffer.concat([number(0), security, hex('01000000 01000000'), requestBody(types.open, openBody)]))
  const opened = await receive()
  if (!opened.toString('latin1').startsWith('OPNF')) return undefined
  const reader = new Reader(opened.subarray(12))
  for (let index = 0; index < 3; index++) reader.text()
  reader.take(8)
  if (reader.responseHeader() !== 0) return undefined
  reader.take(4)
  const token = Buffer.concat([number(reader.number()), number(reader.number())])
  let sequence = 1
  return {
    async request(type, body, session) {
      sequence++
      send('MSGF', Buffer.concat([token, number(sequence), number(sequence), requestBody(type, body, session)]))
      const received = await receive()
      return received.toString('latin1', 0, 4) === 'MSGF' ? new Reader(received.subarray(24)) : undefined
    },
  }
}

/** Type, RequestHeader, and parameters. */
function requestBody(type: number, body: Uint8Array, session: Uint8Array = nullNode): Buffer {
  const times = Buffer.concat([Buffer.alloc(8), number(1), number(0), text(null), number(sessionMs)])
  return Buffer.concat([nodeId(type), session, times, nullNode, hex('00'), body])
}

function readEndpoint(reader: Reader) {
  const url = reader.text()
  reader.text()
  const productUri = reader.text()
  const applicationName = reader.localizedText()
  reader.take(4)
  reader.text()
  reader.text()
  reader.list(() => reader.text())
  reader.text()
  const mode = reader.number()
  const security = reader.text()
  const tokens = reader.list(() => {
    const policy = reader.text()
    const type = reader.number()
    for (let index = 0; index < 3; index++) reader.text()
    return { policy, type }
  })
  reader.text()
  reader.byte()
  const anonymousPolicy = tokens.find(({ type }) => type === anonymousTokenType)?.policy
  return {
    url,
    productUri,
    applicationName,
    isOpen: mode === securityModeNone && security === noSecurity,
    anonymousPolicy,
  }
}

/** @returns the authentication token */
async function createSession(channel: Channel, url: string): Promise<Buffer | undefined> {
  const client = Buffer.concat([
    text('urn:glacis'),
    text('urn:glacis'),
    hex('02'),
    text('Glacis'),
    number(1),
    text(null),
    text(null),
    hex('ffffffff'),
  ])
  const timeout = Buffer.alloc(8)
  timeout.writeDoubleLE(sessionMs)
  // Servers reject a nonce that was used before.
  const nonce = Buffer.concat([number(32), randomBytes(32)])
  const session = [text(null), text(url), text('glacis'), nonce, text(null), timeout, number(0)]
  const reader = await channel.request(types.createSession, Buffer.concat([client, ...session]))
  if (reader?.responseHeader() !== 0) return undefined
  reader.node()
  return reader.node()
}

async function activateSession(channel: Channel, session: Buffer, policy: string): Promise<boolean> {
  const token = text(policy)
  const identity = Buffer.concat([nodeId(anonymousToken), hex('01'), number(token.length), token])
  const body = Buffer.concat([text(null), text(null), hex('ffffffff ffffffff'), identity, text(null), text(null)])
  return (await channel.request(types.activateSession, body, session))?.responseHeader() === 0
}

async function readBuild(channel: Channel, session: Buffer): Promise<string[]> {
  const nodes = buildNodes.map((id) =>
    Buffer.concat([nodeId(id), number(valueAttribute), text(null), hex('0000'), text(null)]),
  )
  const body = Buffer.concat([Buffer.alloc(8), number(3), number(nodes.length), ...nodes])
  const reader = await channel.request(types.read, body, session)
  if (reader?.responseHeader() !== 0) return []
  const stringType = 12
  return reader.list(() => {
    const mask = reader.byte()
    const value = mask & 1 && reader.byte() === stringType ? reader.text() : ''
    if (mask & 2) reader.take(4)
    return value
  })
}
