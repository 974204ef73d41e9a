/** Network block devices (NBD, "fixed newstyle negotiation"). */
import { checkInfo, type NativeCheck, type NativeContext } from '#native/native-check.ts'
import type { TcpConnection } from '#net/tcp.ts'
import { bytes, withLength } from '#wire.ts'

const writable = checkInfo({
  id: 'nbd-exports-writable',
  name: 'Writable NBD exports exposed without authentication',
  severity: 'critical',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
  score: 9.8,
  summary:
    'The network block device (NBD) server offers an export for writing to clients without TLS. The check read the list of exports and the size and flags of an export; it did not open one.',
  impact:
    'An attacker can read and overwrite the disk, and so take over the virtual machine or server that boots from it.',
  remediation:
    'Require TLS with client certificates (`force_tls = true` in nbd-server, `--tls=require --tls-verify-peer` in nbdkit), restrict clients with `authfile` or a firewall, and export disks that clients only read as read-only.',
  reference: 'https://github.com/NetworkBlockDevice/nbd/blob/master/doc/proto.md',
  tags: 'misconfig nbd unauth network',
  verifiedOn: 'nbd-server',
})
const clientFlags = Buffer.from([0, 0, 0, 3])
const greetingBytes = 18
const option = { abort: 2, list: 3, info: 6 }
const reply = { ack: 1, server: 2, info: 3, error: 0x80000000 }
const replyMagic = Buffer.from('0003e889045565a9', 'hex')
const exportInformation = 0
/** Transmission flags. */
const hasFlags = 1
const isReadOnly = 2
const exportsMax = 8
const readOptions = { firstByteMs: 4000, idleMs: 300, totalMs: 5000 }

export const nbd: NativeCheck = {
  checks: [writable],
  appliesTo: ({ protocol, tls }) => protocol === 'nbd' && !tls,
  async run(context) {
    const exports = await readExports(context)
    if (!exports) return {}
    const found = exports.find(({ flags }) => (flags & hasFlags) !== 0 && (flags & isReadOnly) === 0)
    if (!found) return { [writable.id]: null }
    const answer = `export "${found.name}": ${found.size} bytes, transmission flags 0x${found.flags.toString(16)}`
    return { [writable.id]: { request: 'NBD_OPT_LIST, NBD_OPT_INFO', answer, highlights: [answer] } }
  },
}

interface Export {
  readonly name: string
  readonly size: bigint
  readonly flags: number
}

/** The exports that the server describes; undefined if it doesn't negotiate, or describes none of the listed ones. */
async function readExports(context: NativeContext): Promise<readonly Export[] | undefined> {
  return context.withConnection(async (connection) => {
    const greeting = await connection.read({ ...readOptions, enough: ({ length }) => length >= greetingBytes })
    if (!greeting.toString('latin1').startsWith('NBDMAGICIHAVEOPT')) return undefined
    connection.write(clientFlags)
    const listed = await repliesTo(connection, option.list, Buffer.alloc(0))
    const names = listed.filter(({ type }) => type === reply.server).map(({ data }) => nameIn(data))
    const exports: Export[] = []
    for (const name of names.slice(0, exportsMax)) exports.push(...(await describe(connection, name)))
    connection.write(request(option.abort, Buffer.alloc(0)))
    return names.length > 0 && exports.length === 0 ? undefined : exports
  })
}

async function describe(connection: TcpConnection, name: string): Promise<readonly Export[]> {
  const noRequests = Buffer.alloc(2)
  const replies = await repliesTo(connection, option.info, Buffer.concat([withLength(name), noRequests]))
  return replies.flatMap(({ type, data }) =>
    type === reply.info && data.length >= 12 && data.readUInt16BE(0) === exportInformation
      ? [{ name, size: data.readBigUInt64BE(2), flags: data.readUInt16BE(10) }]
      : [],
  )
}

function nameIn(data: Buffer): string {
  const length = data.length < 4 ? 0 : data.readUInt32BE(0)
  return data.toString('latin1', 4, 4 + length)
}

interface Reply {
  readonly type: number
  readonly data: Buffer
}

/** Sends an option and reads its replies, until the last one. */
async function repliesTo(connection: TcpConnection, id: number, data: Buffer): Promise<readonly Reply[]> {
  connection.write(request(id, data))
  const isLast = ({ type }: Reply) => type === reply.ack || type >= reply.error
  return repliesIn(await connection.read({ ...readOptions, enough: (received) => repliesIn(received).some(isLast) }))
}

function request(id: number, data: Buffer): Buffer {
  return Buffer.concat([bytes('IHAVEOPT'), Buffer.from([0, 0, 0, id]), withLength(data)])
}

/** The complete replies. */
function repliesIn(received: Buffer): readonly Reply[] {
  const found: Reply[] = []
  for (let at = 0; at + 20 <= received.length && received.subarray(at, at + 8).equals(replyMagic);) {
    const end = at + 20 + received.readUInt32BE(at + 16)
    if (end > received.length) break
    found.push({ type: received.readUInt32BE(at + 12), data: received.subarray(at + 20, end) })
    at = end
  }
  return found
}
