/** DNS queries to this machine's resolvers (RFC 1035). */
import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { getServers } from 'node:dns'
import { isIP } from 'node:net'
import { type Answer, type Packet, RECURSION_DESIRED, type RecordType } from 'dns-packet'
import { withDeadline } from '#net/deadline.ts'
import { decodeDns, encodeQuestion, textsOf, typeNameOf } from '#net/dns-message.ts'

/** Supported record types. */
export const recordTypes: ReadonlySet<string> = new Set(
  'A NS CNAME SOA PTR MX TXT AAAA SRV DS DNSKEY TLSA CAA ANY'.split(' '),
)

const WAIT_MS = 3_000
const TRIES = 2
const RECORDS_MAX = 200

export interface DnsRecord {
  /** With a trailing dot. */
  readonly name: string
  /** `TYPE65` for an unknown type. */
  readonly type: string
  readonly ttlSeconds: number
  /** In zone file format. */
  readonly value: string
}
export interface DnsResponse {
  /** `NOERROR`, `NXDOMAIN`, …. */
  readonly code: string
  readonly question: { readonly name: string; readonly type: string }
  readonly answer: readonly DnsRecord[]
  readonly authority: readonly DnsRecord[]
  readonly additional: readonly DnsRecord[]
}

/**
 * Queries the records of a name.
 *
 * @param servers addresses with an optional port (default 53); absent: this machine's resolvers
 * @returns undefined when no resolver responded
 * @throws only when `signal` aborts, with its reason
 */
export async function queryResolver(
  name: string,
  type: string,
  { signal, servers = getServers() }: { readonly signal: AbortSignal; readonly servers?: readonly string[] },
): Promise<DnsResponse | undefined> {
  const [server] = servers
  const id = randomInt(2 ** 16)
  const message = encodeQuestion(id, { name, type: type as RecordType }, RECURSION_DESIRED) // also knows ANY
  if (!recordTypes.has(type) || server === undefined || !message) return undefined
  for (let tried = 0; tried < TRIES; tried++) {
    const received = await exchange(message, server, signal)
    const response = received && readMessage(received)
    if (response) return response
  }
  return undefined
}

async function exchange(message: Buffer, server: string, signal: AbortSignal): Promise<Buffer | undefined> {
  const [, v6, v4, port = '53'] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(server) ?? [undefined, server]
  const address = v6 ?? v4 ?? server
  const socket = createSocket(isIP(address) === 6 ? 'udp6' : 'udp4')
  const answered = Promise.withResolvers<Buffer | undefined>()
  socket.on('message', (received) => {
    if (received.length >= 12 && received.readUInt16BE(0) === message.readUInt16BE(0)) answered.resolve(received)
  })
  socket.on('error', () => answered.resolve(undefined))
  try {
    socket.connect(Number(port), address, () => socket.send(message))
    return await withDeadline(answered.promise, WAIT_MS, signal)
  } finally {
    socket.close()
  }
}

/** @returns undefined when the message is incomplete or malformed */
export function readMessage(message: Buffer): DnsResponse | undefined {
  const read = decodeDns(message)
  if (!read) return undefined
  const [question] = read.questions ?? []
  return {
    code: read.rcode,
    question: question ? { name: withTrailingDot(question.name), type: typeNameOf(question) } : { name: '.', type: '' },
    answer: records(read.answers),
    authority: records(read.authorities),
    additional: records(read.additionals),
  }
}

function records(read: Packet['answers'] = []): DnsRecord[] {
  return read.slice(0, RECORDS_MAX).flatMap((record) =>
    // The EDNS pseudo-record (RFC 6891) is not data of the name.
    record.type === 'OPT'
      ? []
      : [
          {
            name: withTrailingDot(record.name),
            type: typeNameOf(record),
            ttlSeconds: record.ttl ?? 0,
            value: valueOf(record),
          },
        ],
  )
}

function withTrailingDot(name: string): string {
  return name === '.' ? name : `${name}.`
}

function valueOf(record: Exclude<Answer, { type: 'OPT' }>): string {
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- all others are written in one way
  switch (record.type) {
    case 'A':
    case 'AAAA':
      return record.data
    case 'NS':
    case 'CNAME':
    case 'DNAME':
    case 'PTR':
      return withTrailingDot(record.data)
    case 'MX':
      return `${record.data.preference} ${withTrailingDot(record.data.exchange)}`
    case 'SRV':
      return `${record.data.priority} ${record.data.weight} ${record.data.port} ${withTrailingDot(record.data.target)}`
    case 'SOA': {
      const { mname, rname, serial, refresh, retry, expire, minimum } = record.data
      return `${withTrailingDot(mname)} ${withTrailingDot(rname)} ${serial} ${refresh} ${retry} ${expire} ${minimum}`
    }
    case 'TXT':
      return textsOf(record)
        .map((text) => JSON.stringify(text))
        .join(' ')
    case 'CAA':
      return `${record.data.flags} ${record.data.tag} ${JSON.stringify(record.data.value)}`
    case 'DS': {
      const { keyTag, algorithm, digestType, digest } = record.data
      return `${keyTag} ${algorithm} ${digestType} ${digest.toString('hex').toUpperCase()}`
    }
    case 'TLSA': {
      const { usage, selector, matchingType, certificate } = record.data
      return `${usage} ${selector} ${matchingType} ${certificate.toString('hex')}`
    }
    default:
      return Buffer.isBuffer(record.data)
        ? `\\# ${record.data.length} ${record.data.toString('hex')}`
        : fieldsOf(record.data)
  }
}

/** A record's fields in the order of its RFC. */
function fieldsOf(data: object): string {
  return Object.values(data)
    .map((value: unknown) => (Buffer.isBuffer(value) ? value.toString('base64') : String(value)))
    .join(' ')
}
