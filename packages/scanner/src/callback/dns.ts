/** The little of a name server that a domain for callbacks needs (RFC 1035). */
import { isIPv4 } from 'node:net'
import { readMessage } from '#net/resolver.ts'

const A = 1
const TTL_SECONDS = 1

export interface Zone {
  readonly domain: string
  /** The IPv4 address that every name of the domain leads to; for anything else there are no records. */
  readonly address: string
}

/** @returns what was asked and the reply to it; undefined for what is no question */
export function answerQuestion(message: Buffer, { domain, address }: Zone) {
  if (message.length < 17 || message.length > 512 || ((message[2] ?? 0) & 0x80) !== 0) return undefined
  const name = readMessage(message)?.question.name.replace(/\.$/, '') ?? ''
  const end = endOfQuestion(message)
  if (name === '' || end === undefined) return undefined
  const type = message.readUInt16BE(end - 4)
  const isOurs = name.toLowerCase() === domain.toLowerCase() || name.toLowerCase().endsWith(`.${domain.toLowerCase()}`)
  const hasAddress = isOurs && type === A && isIPv4(address)
  const head = Buffer.from(message.subarray(0, 12))
  head.writeUInt16BE(isOurs ? 0x8400 : 0x8005, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(hasAddress ? 1 : 0, 6)
  head.writeUInt32BE(0, 8)
  const record = hasAddress
    ? Buffer.from([0xc0, 12, 0, A, 0, 1, 0, 0, 0, TTL_SECONDS, 0, 4, ...address.split('.').map(Number)])
    : Buffer.alloc(0)
  return {
    name,
    type: type === A ? 'A' : `TYPE${type}`,
    reply: Buffer.concat([head, message.subarray(12, end), record]),
  }
}

/** The question's name is written out, because nothing stands before it to point to. */
function endOfQuestion(message: Buffer): number | undefined {
  let at = 12
  for (let size = message[at] ?? 0; size !== 0; size = message[at] ?? 0) {
    if (size > 63) return undefined
    at += size + 1
    if (at >= message.length) return undefined
  }
  return at + 5 <= message.length ? at + 5 : undefined
}
