/**
 * Answers LDAP clients such as JNDI: accepts each bind with any credentials, and finds nothing. The name that the
 * client looks up contains the callback address.
 */
import { berElement, hex, tlv } from '#wire.ts'

/** An LDAP message is a BER sequence. No HTTP method starts with this byte. */
const sequence = 0x30
const searchRequest = 0x63
/** Tags of a bind and a search, and of what ends them (RFC 4511, sections 4.2 and 4.5). */
const replyTags: ReadonlyMap<number, number> = new Map([
  [0x60, 0x61],
  [searchRequest, 0x65],
])
/** Result code 0, without a name and a message. */
const success = hex('0a0100 0400 0400')

export interface LdapMessage {
  /** The name that was looked up; undefined for operations other than a search. */
  readonly name: string | undefined
  /** The response; undefined for operations that need none. */
  readonly reply: Buffer | undefined
}

export function isLdap(bytes: Buffer): boolean {
  return bytes[0] === sequence
}

/** @returns undefined if the bytes aren't a complete message */
export function readLdap(bytes: Buffer): LdapMessage | undefined {
  const message = berElement(bytes, 0)
  const id = message && berElement(message.content, 0)
  const operation = id && berElement(message.content, id.end)
  if (!operation) return undefined
  const replyTag = replyTags.get(operation.tag)
  const reply =
    replyTag === undefined ? undefined : tlv(sequence, Buffer.concat([tlv(0x02, id.content), tlv(replyTag, success)]))
  const name =
    operation.tag === searchRequest ? berElement(operation.content, 0)?.content.toString('latin1') : undefined
  return { name, reply }
}
