/** ONC RPC over TCP (RFC 5531), limited to list queries. */

const id = 0x474c4143
const lastFragment = 0x8000_0000

/** A call without credentials and arguments, as one record. */
export function rpcCall(program: number, version: number, procedure: number): Buffer {
  // Fragment header; then xid, CALL, RPC version 2, program, version, procedure, null credentials
  // and verifier.
  const words = [lastFragment + 40, id, 0, 2, program, version, procedure, 0, 0, 0, 0]
  const bytes = Buffer.alloc(words.length * 4)
  for (const [index, word] of words.entries()) bytes.writeUInt32BE(word, index * 4)
  return bytes
}

/** Whether the bytes contain a complete record, through its last fragment. */
export function isWholeRecord(received: Buffer): boolean {
  return recordOf(received) !== undefined
}

/**
 * The result of an accepted, successful call; undefined for anything else or an incomplete reply.
 */
export function rpcResult(received: Buffer): Buffer | undefined {
  const record = recordOf(received)
  // Xid, REPLY, accepted, a verifier with its length, success.
  if (!record || record.length < 24 || record.readUInt32BE(0) !== id) return undefined
  if (record.readUInt32BE(4) !== 1 || record.readUInt32BE(8) !== 0) return undefined
  const after = 20 + padded(record.readUInt32BE(16))
  if (record.length < after + 4 || record.readUInt32BE(after) !== 0) return undefined
  return record.subarray(after + 4)
}

function recordOf(received: Buffer): Buffer | undefined {
  const fragments: Buffer[] = []
  for (let at = 0; at + 4 <= received.length;) {
    const header = received.readUInt32BE(at)
    const end = at + 4 + (header & 0x7fff_ffff)
    if (end > received.length) return undefined
    fragments.push(received.subarray(at + 4, end))
    if (header >= lastFragment) return Buffer.concat(fragments)
    at = end
  }
  return undefined
}

/** Sequential XDR reader (RFC 4506); reads past the end return undefined. */
export function xdrOf(bytes: Buffer): { word(): number | undefined; text(lengthMax: number): string | undefined } {
  let at = 0
  const word = () => {
    if (at + 4 > bytes.length) return undefined
    at += 4
    return bytes.readUInt32BE(at - 4)
  }
  return {
    word,
    text(lengthMax) {
      const length = word()
      if (length === undefined || length > lengthMax || at + length > bytes.length) return undefined
      const read = bytes.toString('latin1', at, at + length)
      at += padded(length)
      return read
    },
  }
}

function padded(length: number): number {
  return Math.ceil(length / 4) * 4
}
