/** Messages of binary protocols: bytes from hexadecimal, Latin-1 text, and what is prefixed with its length. */

/** Bytes in hexadecimal; spaces are allowed. */
export function hex(text: string): Buffer {
  return Buffer.from(text.replaceAll(/\s/g, ''), 'hex')
}

/** Text as Latin-1 bytes. */
export function bytes(text: string): Buffer {
  return Buffer.from(text, 'latin1')
}

/** A BER element with less than 128 bytes of content. */
export function tlv(tag: number, content: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([tag, content.length]), content])
}

/** Text prefixed with its length in four bytes, most significant first. */
export function withLength(text: string | Uint8Array): Buffer {
  const body = typeof text === 'string' ? bytes(text) : text
  const length = Buffer.alloc(4)
  length.writeUInt32BE(body.length)
  return Buffer.concat([length, body])
}
