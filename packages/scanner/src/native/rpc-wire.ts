/** ONC RPC over TCP (RFC 5531), limited to list queries. */

const id = 0x474c4143
const lastFragment = 0x8000_0000

/** An empty machine name, user and group `nobody`, and no further groups (RFC 5531, appendix A). */
const anyUser = [1, 20, 0, 0, 65_534, 65_534, 0]

/** A call without credentials, or as an arbitrary user (AUTH_SYS), as one record. */
export function rpcCall(
  program: number,
  version: number,
  procedure: number,
  { args = Buffer.alloc(0), asAnyUser = false }: { readonly args?: Buffer; readonly asAnyUser?: boolean } = {},
): Buffer {
  // CALL, RPC version 2, program, version, procedure, credentials, and null verifier.
  const credentials = asAnyUser ? anyUser : [0, 0]
  const call = xdrWords(id, 0, 2, program, version, procedure, ...credentials, 0, 0)
  return Buffer.concat([xdrWords(lastFragment + call.length + args.length), call, args])
}

export function xdrWords(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4)
  return bytes
}

/** Latin-1 text with its length, padded to whole words. */
export function xdrText(value: string): Buffer {
  const bytes = Buffer.alloc(padded(value.length))
  bytes.write(value, 'latin1')
  return Buffer.concat([xdrWords(value.length), bytes])
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
