/** DNS messages (RFC 1035), parsed with dns-packet. */
import { type Answer, decode, type DecodedPacket, encode, type Question, type RecordType } from 'dns-packet'

export type DnsMessage = DecodedPacket & { readonly rcode: string }

/** Compressed names can form pointer chains, which makes parsing quadratic in the size. */
const messageBytesMax = 32 * 1024
const labelBytesMax = 63
const nameBytesMax = 253

/** @returns null when the message is malformed or too large */
export function decodeDns(message: Buffer): DnsMessage | null {
  if (message.length > messageBytesMax) return null
  try {
    return decode(message) as DnsMessage // the library's types omit `rcode`
  } catch {
    return null
  }
}

/** @returns null for a name that doesn't fit a message */
export function encodeQuestion(id: number, question: Question, flags = 0): Buffer | null {
  const labels = question.name.split('.').filter((label) => label !== '')
  const name = labels.join('.')
  if (Buffer.byteLength(name) > nameBytesMax || labels.some((label) => Buffer.byteLength(label) > labelBytesMax))
    return null
  return encode({ type: 'query', id, flags, questions: [{ ...question, name: name || '.' }] })
}

/** The strings of a TXT record. */
export function textsOf(record: Answer): string[] {
  if (record.type !== 'TXT') return []
  return [record.data].flat().map((text) => text.toString('latin1'))
}

/** A record's type; unknown types are written as in RFC 3597. */
export function typeNameOf({ type }: { readonly type: RecordType }): string {
  return type.replace('UNKNOWN_', 'TYPE')
}
