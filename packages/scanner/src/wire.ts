/** Messages of binary protocols: bytes from hexadecimal, Latin-1 text, and length-prefixed data. */

/** Bytes in hexadecimal; spaces are allowed. */
export function hex(text: string): Buffer {
  return Buffer.from(text.replaceAll(/\s/g, ''), 'hex')
}

/** Text as Latin-1 bytes. */
export function bytes(text: string): Buffer {
  return Buffer.from(text, 'latin1')
}

/** A BER element. */
export function tlv(tag: number, content: Uint8Array): Buffer {
  const { length } = content
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content])
  return Buffer.concat([Buffer.from([tag, 0x82, length >> 8, length & 0xff]), content])
}

export interface BerElement {
  readonly tag: number
  readonly content: Buffer
  /** Offset of the first byte after the element. */
  readonly end: number
}

/** @returns undefined if the element isn't complete */
export function berElement(received: Buffer, at: number): BerElement | undefined {
  const [tag, first] = [received[at], received[at + 1]]
  if (tag === undefined || first === undefined) return undefined
  const lengthBytes = first > 0x80 ? first - 0x80 : 0
  const start = at + 2 + lengthBytes
  if (lengthBytes > 4 || start > received.length) return undefined
  const end = start + (lengthBytes === 0 ? first : received.readUIntBE(at + 2, lengthBytes))
  return end > received.length ? undefined : { tag, content: received.subarray(start, end), end }
}

/** The complete elements of a sequence of elements. */
export function* berElements(received: Buffer): Generator<BerElement> {
  let element = berElement(received, 0)
  while (element) {
    yield element
    element = berElement(received, element.end)
  }
}

/** Text prefixed with its length in four bytes, most significant first. */
export function withLength(text: string | Uint8Array): Buffer {
  const body = typeof text === 'string' ? bytes(text) : text
  const length = Buffer.alloc(4)
  length.writeUInt32BE(body.length)
  return Buffer.concat([length, body])
}

/** Ignores truncated responses and responses with invalid lengths. */
export function ignoreRangeError(error: unknown): null {
  if (error instanceof RangeError) return null
  throw error
}
