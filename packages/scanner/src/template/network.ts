/** Runs the network (TCP) blocks of templates. */
import type { Guard } from '#guard.ts'
import type { Origin } from '#net/http-message.ts'
import { redial, connectionOver, type TcpConnection } from '#net/tcp.ts'
import { tlsHandshake } from '#net/tls.ts'
import { openUpgraded } from '#native/starttls.ts'
import { toBytes, type Lookup } from '#template/dsl-value.ts'
import type { ResponseParts, NetworkBlock, Template } from '#template/template.ts'
import { fillBytes } from '#template/variables.ts'

const FIRST_BYTE_MS = 3_000
/** For a service that has ignored every probe of the identification. */
const SILENT_FIRST_BYTE_MS = 1_500
/**
 * How long to wait for the reply to an input once a service has responded; a later reply counts
 * toward the next input.
 */
const REPLY_MS = 2_000
const IDLE_MS = 300
const READ_MS = 5_000
const READ_BYTES_MAX = 64 * 1024

export type NetworkReading =
  | {
      readonly kind: 'answer'
      readonly answer: ResponseParts
      readonly request: string
      readonly received: Buffer
      /** The service greets but doesn't answer. */
      readonly isIgnored: boolean
    }
  | { readonly kind: 'inconclusive'; readonly reason: string }

/**
 * Protocols of the ports that templates name, so that the checks also run on other ports of these
 * protocols.
 */
const protocolsByPort: ReadonlyMap<number, string> = new Map(
  Object.entries({
    ftp: [21],
    ssh: [22],
    telnet: [23],
    smtp: [25, 465, 587, 2525],
    dns: [53],
    pop3: [110, 995],
    imap: [143, 993],
    ldap: [389],
    mysql: [3306],
    postgresql: [5432],
    redis: [6379],
    memcached: [11211],
    mongodb: [27017],
    rsync: [873],
    mqtt: [1883],
    amqp: [5672],
    beanstalkd: [11300],
    zookeeper: [2181],
    rdp: [3389],
    vnc: [5900],
    smb: [445],
  }).flatMap(([protocol, ports]) => ports.map((port) => [port, protocol] as const)),
)

/**
 * Whether a block applies to a service: by the identified protocol, otherwise by port. A block
 * without a port of its own applies to every unidentified service.
 */
export function appliesToService(
  template: Template,
  block: NetworkBlock,
  service: { port: number; protocol: string; tls: boolean },
): boolean {
  const { protocols, info } = template
  if (service.tls && info.tags.includes('cleartext')) return false
  if (!block.hosts.some((host) => host.tls === service.tls) && service.tls !== true) return false
  if (service.protocol !== '' && protocols.length > 0) return protocols.includes(service.protocol)
  const ports = [...block.ports, ...block.hosts.flatMap(({ port }) => port ?? [])]
  if (ports.length === 0) return service.protocol === '' && protocols.length === 0
  const portProtocols = ports.map((port) => protocolsByPort.get(port))
  if (service.protocol !== '' && portProtocols.includes(service.protocol)) return true
  return ports.includes(service.port)
}

/**
 * Runs a block on a service. A silent or immediately closed port and any transport error are
 * inconclusive, regardless of the matchers.
 *
 * @throws only when `signal` aborts, with its reason
 */
export async function sendNetworkBlock(
  block: NetworkBlock,
  origin: Origin,
  lookup: Lookup,
  options: OpenOptions & { readonly isSilent?: boolean },
): Promise<NetworkReading> {
  const sends = block.inputs.map((input) => bytesOf(input.data, input.isHex, lookup))
  if (sends.some((send) => send === null)) return { kind: 'inconclusive', reason: 'a placeholder has no value' }
  const opened = await open(origin, options)
  if (typeof opened === 'string') return { kind: 'inconclusive', reason: opened }
  const firstByteMs = options.isSilent ? SILENT_FIRST_BYTE_MS : FIRST_BYTE_MS
  const { reads, isIgnored } = await runInputs(opened, block, sends, firstByteMs).finally(() =>
    opened.connection.close(),
  )
  if (reads.every((read) => read.length === 0)) return { kind: 'inconclusive', reason: 'the service sent no data' }
  const received = Buffer.concat(reads)
  const request = Buffer.concat(sends.flatMap((send) => send ?? [])).toString('latin1')
  const named = new Map(block.inputs.map((input, at) => [input.name, reads[at]?.toString('latin1') ?? '']))
  const whole = received.toString('latin1')
  const values = new Map([
    ...named,
    ...['data', 'body', 'response', 'raw'].map((name): [string, string] => [name, whole]),
    ['request', request],
    ['host', toBytes(origin.hostname)],
  ])
  values.delete('')
  return {
    kind: 'answer',
    request,
    received,
    isIgnored,
    answer: { defaultPart: 'data', get: (name) => values.get(name) ?? lookup(name) },
  }
}

interface OpenOptions {
  readonly guard: Guard
  readonly signal: AbortSignal
  /** Protocol whose STARTTLS comes first. */
  readonly upgrade?: string
}
interface Opened {
  readonly connection: TcpConnection
  /** Data that was received before TLS. */
  readonly greeting?: Buffer
}

/** A connection to the service, with TLS where applicable, or the reason for its failure. */
async function open(origin: Origin, { upgrade, ...options }: OpenOptions): Promise<Opened | string> {
  const { address, port, hostname } = origin
  if (upgrade !== undefined) return (await openUpgraded(upgrade, origin, options)) ?? 'the server rejected STARTTLS'
  if (origin.tls) {
    const handshake = await tlsHandshake(address, port, { ...options, hostname })
    return handshake.kind === 'handshake'
      ? { connection: connectionOver(handshake.socket, options.signal) }
      : handshake.reason
  }
  const dialed = await redial(address, port, options)
  if (dialed.kind === 'open') return { connection: dialed.connection }
  return dialed.kind === 'unknown' ? dialed.reason : `the port is ${dialed.kind}`
}

/** Sends each input and reads the requested number of bytes; the last read consumes the rest. */
async function runInputs(
  { connection, greeting = Buffer.alloc(0) }: Opened,
  block: NetworkBlock,
  sends: readonly (Buffer | null)[],
  firstByteMs: number,
): Promise<{ readonly reads: readonly Buffer[]; readonly isIgnored: boolean }> {
  const reads: Buffer[] = []
  const hasResponded = greeting.length > 0
  const reader: Reader = { connection, rest: greeting, hasResponded, awaitsReply: false, replies: 0, firstByteMs }
  for (const [at, input] of block.inputs.entries()) {
    const send = sends[at]
    if (send && send.length > 0) {
      connection.write(send)
      reader.awaitsReply = true
    }
    reads.push(input.readBytesMax === null ? Buffer.alloc(0) : await read(reader, input.readBytesMax))
  }
  reads.push(await read(reader, block.readBytesMax))
  return { reads, isIgnored: connection.isAlive && reader.awaitsReply && reader.replies === 0 }
}

interface Reader {
  readonly connection: TcpConnection
  /** How long to wait for the first byte of the service. */
  readonly firstByteMs: number
  /** Received but unread data. */
  rest: Buffer
  hasResponded: boolean
  /** An input is still unanswered. */
  awaitsReply: boolean
  /** Answers to inputs. */
  replies: number
}

/**
 * Consumes up to this many bytes. Barely waits when a service has responded and nothing is pending.
 */
async function read(reader: Reader, bytesMax: number): Promise<Buffer> {
  const { connection, rest, hasResponded, awaitsReply } = reader
  const waitMs = hasResponded ? (awaitsReply ? REPLY_MS : IDLE_MS) : reader.firstByteMs
  const chunk = await connection.read({
    firstByteMs: rest.length > 0 && !awaitsReply ? 0 : waitMs,
    idleMs: IDLE_MS,
    totalMs: READ_MS,
    bytesMax: READ_BYTES_MAX,
  })
  const all = Buffer.concat([rest, chunk])
  reader.hasResponded = hasResponded || all.length > 0
  if (chunk.length > 0 && awaitsReply) reader.replies++
  if (chunk.length > 0) reader.awaitsReply = false
  reader.rest = all.subarray(bytesMax)
  return all.subarray(0, bytesMax)
}

function bytesOf(data: string, isHex: boolean, lookup: Lookup): Buffer | null {
  const filled = fillBytes(data, lookup)
  if (filled === null) return null
  if (!isHex) return Buffer.from(filled, 'latin1')
  const hex = filled.replace(/\s/g, '')
  return /^([\da-f]{2})*$/i.test(hex) ? Buffer.from(hex, 'hex') : null
}
