/** DNS messages (RFC 1035), as far as checks need them. What comes from a server is bounded in steps. */

export const types = { SOA: 6, PTR: 12, TXT: 16, AXFR: 252, NS: 2 } as const
export const classes = { IN: 1, CHAOS: 3 } as const

export interface DnsAnswer {
  readonly isRecursive: boolean
  readonly isAuthoritative: boolean
  readonly code: number
  readonly records: readonly DnsRecord[]
}
export interface DnsRecord {
  readonly name: string
  readonly type: number
  readonly data: Buffer
}

const id = 0x4743

export function dnsQuestion(
  name: string,
  type: number,
  { kind = classes.IN as number, wantsRecursion = false } = {},
): Buffer {
  const head = Buffer.alloc(12)
  head.writeUInt16BE(id)
  head.writeUInt16BE(wantsRecursion ? 0x0100 : 0, 2)
  head.writeUInt16BE(1, 4)
  const labels = name.split('.').filter((label) => label !== '' && label.length < 64)
  const written = labels.map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label, 'latin1')]))
  const tail = Buffer.from([0, type >> 8, type & 0xff, kind >> 8, kind & 0xff])
  return Buffer.concat([head, ...written, tail])
}

const recordsMax = 200
const jumpsMax = 20

/** Null when it is no answer to a question of ours; records that are cut off are left out. */
export function readDns(message: Buffer): DnsAnswer | null {
  if (message.length < 12 || message.readUInt16BE(0) !== id || ((message[2] ?? 0) & 0x80) === 0) return null
  const flags = message.readUInt16BE(2)
  const records: DnsRecord[] = []
  const count = Math.min(message.readUInt16BE(6), recordsMax)
  try {
    let at = 12
    for (let index = 0; index < message.readUInt16BE(4); index++) at = nameAt(message, at).end + 4
    for (let index = 0; index < count; index++) {
      const { name, end } = nameAt(message, at)
      const length = message.readUInt16BE(end + 8)
      records.push({ name, type: message.readUInt16BE(end), data: message.subarray(end + 10, end + 10 + length) })
      at = end + 10 + length
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  return { isRecursive: (flags & 0x80) !== 0, isAuthoritative: (flags & 0x400) !== 0, code: flags & 15, records }
}

/** A name that may point back into the message; pointers that go round in circles end it. */
function nameAt(message: Buffer, from: number): { name: string; end: number } {
  const labels: string[] = []
  let at = from
  let end = -1
  for (let jumps = 0; jumps < jumpsMax;) {
    const length = message.readUInt8(at)
    if (length === 0) return { name: labels.join('.'), end: end < 0 ? at + 1 : end }
    if (length >= 0xc0) {
      if (end < 0) end = at + 2
      at = message.readUInt16BE(at) & 0x3fff
      jumps++
      continue
    }
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
    if (labels.length > 128) break
  }
  throw new RangeError('a name without an end')
}

/** The text of a TXT record. */
export function textOf({ data }: DnsRecord): string {
  return data.toString('latin1', 1, 1 + (data[0] ?? 0))
}
