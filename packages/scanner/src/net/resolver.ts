/** Questions about a name, asked of the resolvers of this machine (RFC 1035). */
import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { getServers } from 'node:dns'
import { isIP } from 'node:net'
import { within } from '#net/deadline.ts'

/** Numbers of the types of records that can be asked for (IANA). */
export const recordTypes: ReadonlyMap<string, number> = new Map(
  Object.entries({
    A: 1,
    NS: 2,
    CNAME: 5,
    SOA: 6,
    PTR: 12,
    MX: 15,
    TXT: 16,
    AAAA: 28,
    SRV: 33,
    DS: 43,
    DNSKEY: 48,
    TLSA: 52,
    CAA: 257,
    ANY: 255,
  }),
)
const typeNames = new Map([...recordTypes].map(([name, number]) => [number, name]))
const replyCodes = ['NOERROR', 'FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMP', 'REFUSED']

const WAIT_MS = 3_000
const TRIES = 2
const RECORDS_MAX = 200
const NAME_LENGTH_MAX = 255

export interface DnsRecord {
  /** With a dot at its end. */
  readonly name: string
  /** `TYPE65` for one that has no name here. */
  readonly type: string
  readonly ttlSeconds: number
  /** As a zone file writes it. */
  readonly value: string
}
export interface DnsAnswer {
  /** `NOERROR`, `NXDOMAIN`, …. */
  readonly code: string
  readonly question: { readonly name: string; readonly type: string }
  readonly answer: readonly DnsRecord[]
  readonly authority: readonly DnsRecord[]
  readonly additional: readonly DnsRecord[]
}

/**
 * Asks for the records of a name.
 *
 * @param servers addresses, each with a port where it is not 53; this machine's own where absent
 * @returns undefined when no resolver answered
 * @throws only when `signal` aborts, with its reason
 */
export async function askResolver(
  name: string,
  type: string,
  { signal, servers = getServers() }: { readonly signal: AbortSignal; readonly servers?: readonly string[] },
): Promise<DnsAnswer | undefined> {
  const number = recordTypes.get(type)
  const [server] = servers
  if (number === undefined || server === undefined || name.length > NAME_LENGTH_MAX) return undefined
  for (let tried = 0; tried < TRIES; tried++) {
    const message = await exchange(question(name, number), server, signal)
    const answer = message && readMessage(message)
    if (answer) return answer
  }
  return undefined
}

function question(name: string, type: number): Buffer {
  const labels = name.split('.').filter((label) => label !== '')
  const written = labels.map((label) =>
    Buffer.concat([Buffer.from([Math.min(label.length, 63)]), Buffer.from(label.slice(0, 63), 'latin1')]),
  )
  const head = Buffer.from([randomInt(256), randomInt(256), 1, 0, 0, 1, 0, 0, 0, 0, 0, 0])
  return Buffer.concat([head, ...written, Buffer.from([0, type >> 8, type & 255, 0, 1])])
}

async function exchange(message: Buffer, server: string, signal: AbortSignal): Promise<Buffer | undefined> {
  const [, v6, v4, port = '53'] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(server) ?? [undefined, server]
  const address = v6 ?? v4 ?? server
  const socket = createSocket(isIP(address) === 6 ? 'udp6' : 'udp4')
  const answered = Promise.withResolvers<Buffer | undefined>()
  socket.on('message', (heard) => {
    if (heard.length >= 12 && heard.readUInt16BE(0) === message.readUInt16BE(0)) answered.resolve(heard)
  })
  socket.on('error', () => answered.resolve(undefined))
  try {
    socket.connect(Number(port), address, () => socket.send(message))
    return await within(answered.promise, WAIT_MS, signal)
  } finally {
    socket.close()
  }
}

/** @returns undefined for what is no whole message */
export function readMessage(message: Buffer): DnsAnswer | undefined {
  try {
    const counts = [4, 6, 8, 10].map((at) => message.readUInt16BE(at))
    const [questions = 0, answers = 0, authorities = 0, additionals = 0] = counts
    const reader: Reader = { message, at: 12, left: RECORDS_MAX }
    const asked = Array.from({ length: Math.min(questions, 1) }, () => readQuestion(reader))
    const code = (message[3] ?? 0) & 15
    return {
      code: replyCodes[code] ?? `RCODE${code}`,
      question: asked[0] ?? { name: '.', type: '' },
      answer: records(reader, answers),
      authority: records(reader, authorities),
      additional: records(reader, additionals),
    }
  } catch (error) {
    // A message that ends too early, or whose names lead in circles.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

interface Reader {
  readonly message: Buffer
  at: number
  left: number
}

function readQuestion(reader: Reader) {
  const name = nameAt(reader)
  const type = typeName(reader.message.readUInt16BE(reader.at))
  reader.at += 4
  return { name, type }
}

function records(reader: Reader, count: number): DnsRecord[] {
  const read: DnsRecord[] = []
  for (let index = 0; index < count && reader.left-- > 0; index++) {
    const name = nameAt(reader)
    const type = reader.message.readUInt16BE(reader.at)
    const ttlSeconds = reader.message.readUInt32BE(reader.at + 4)
    const length = reader.message.readUInt16BE(reader.at + 8)
    reader.at += 10
    const end = reader.at + length
    if (end > reader.message.length) throw new RangeError('a record that ends too early')
    // The pseudo record of EDNS (RFC 6891) says nothing of the name.
    if (type !== 41) read.push({ name, type: typeName(type), ttlSeconds, value: valueOf(reader, typeName(type), end) })
    reader.at = end
  }
  return read
}

function typeName(type: number): string {
  return typeNames.get(type) ?? `TYPE${type}`
}

/** Names may point back into the message, never forward, so that they end. */
function nameAt(reader: Reader): string {
  const { message } = reader
  const labels: string[] = []
  let at = reader.at
  let hasJumped = false
  for (let length = 0; ;) {
    const size = message.readUInt8(at)
    if (size >= 0xc0) {
      const target = message.readUInt16BE(at) & 0x3fff
      if (!hasJumped) reader.at = at + 2
      if (target >= at) throw new RangeError('a name that leads in circles')
      hasJumped = true
      at = target
      continue
    }
    if (!hasJumped) reader.at = at + 1 + size
    if (size === 0) return `${labels.join('.')}.`
    length += size + 1
    if (length > NAME_LENGTH_MAX) throw new RangeError('a name that is too long')
    labels.push(message.toString('latin1', at + 1, at + 1 + size))
    at += 1 + size
  }
}

function valueOf(reader: Reader, type: string, end: number): string {
  const { message, at } = reader
  const data = message.subarray(at, end)
  const number = (width: number) => {
    const value = message.readUIntBE(reader.at, width)
    reader.at += width
    return value
  }
  switch (type) {
    case 'A':
      return [...data].join('.')
    case 'AAAA':
      return compact([...data])
    case 'NS':
    case 'CNAME':
    case 'PTR':
      return nameAt(reader)
    case 'MX':
      return `${number(2)} ${nameAt(reader)}`
    case 'SRV':
      return `${number(2)} ${number(2)} ${number(2)} ${nameAt(reader)}`
    case 'SOA':
      return `${nameAt(reader)} ${nameAt(reader)} ${number(4)} ${number(4)} ${number(4)} ${number(4)} ${number(4)}`
    case 'TXT':
      return texts(data)
        .map((text) => JSON.stringify(text))
        .join(' ')
    case 'CAA':
      return `${data[0] ?? 0} ${data.toString('latin1', 2, 2 + (data[1] ?? 0))} ${JSON.stringify(data.toString('latin1', 2 + (data[1] ?? 0)))}`
    case 'DS':
      return `${number(2)} ${number(1)} ${number(1)} ${message.toString('hex', reader.at, end).toUpperCase()}`
    case 'TLSA':
      return `${number(1)} ${number(1)} ${number(1)} ${message.toString('hex', reader.at, end)}`
    default:
      return `\\# ${data.length} ${data.toString('hex')}`
  }
}

function texts(data: Buffer): string[] {
  const read: string[] = []
  for (let at = 0; at < data.length; at += 1 + (data[at] ?? 0))
    read.push(data.toString('latin1', at + 1, at + 1 + (data[at] ?? 0)))
  return read
}

/** An IPv6 address in its canonical form (RFC 5952). */
function compact(bytes: readonly number[]): string {
  const groups = Array.from({ length: 8 }, (_, at) =>
    (((bytes[at * 2] ?? 0) << 8) | (bytes[at * 2 + 1] ?? 0)).toString(16),
  )
  const runs = [...groups.join(':').matchAll(/(?:^|:)0(?::0)+(?=:|$)/g)].map(([run]) => run)
  const [longest] = runs.toSorted((left, right) => right.length - left.length)
  return longest === undefined
    ? groups.join(':')
    : groups
        .join(':')
        .replace(longest, '::')
        .replace(':::', '::')
        .replace(/^::?(?=:)/, ':')
}
