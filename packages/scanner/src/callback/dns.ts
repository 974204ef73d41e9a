/** Minimal authoritative name server for a callback domain (RFC 1035). */
import { isIPv4 } from 'node:net'
import { AUTHORITATIVE_ANSWER, encode } from 'dns-packet'
import { decodeDns, typeNameOf } from '#net/dns-message.ts'

const ttlSeconds = 1
const questionBytesMax = 512
/** RCODE 5 (RFC 1035, 4.1.1). */
const refused = 5

export interface Zone {
  readonly domain: string
  /** IPv4 address of every name in the domain; no other records exist. */
  readonly address: string
}

/** @returns the question and its reply; undefined when the message is not a question */
export function answerQuestion(message: Buffer, { domain, address }: Zone) {
  const query = message.length > questionBytesMax ? null : decodeDns(message)
  const [question] = query?.questions ?? []
  if (!query || query.type !== 'query' || !question || question.name === '.') return undefined
  const { name, type } = question
  const isOurs = `.${name.toLowerCase()}`.endsWith(`.${domain.toLowerCase()}`)
  const hasAddress = isOurs && type === 'A' && isIPv4(address)
  const reply = encode({
    type: 'response',
    ...(query.id !== undefined && { id: query.id }),
    flags: isOurs ? AUTHORITATIVE_ANSWER : refused,
    questions: [question],
    answers: hasAddress ? [{ type: 'A', name, ttl: ttlSeconds, data: address }] : [],
  })
  return { name, type: typeNameOf(question), reply }
}
