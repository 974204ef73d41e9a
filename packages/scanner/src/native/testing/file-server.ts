/** A test SMB 2 file server with the server service's pipe (MS-SMB2, MS-RPCE, MS-SRVS). */
import type { Socket } from 'node:net'

export interface FileServerSettings {
  readonly shares: readonly {
    readonly name: string
    readonly kind: number
    readonly remark: string
    readonly isOpen: boolean
  }[]
  /** Accounts of the server's domain, next to its built-in one. */
  readonly users?: readonly string[]
  /** The pipe requires an authenticated user. */
  readonly requiresLoginForPipe?: boolean
  /** Anonymous sessions are rejected. */
  readonly rejectsAnonymous?: boolean
  /**
   * Answers an SMB 1 negotiation that offers SMB 2 with SMB 2 (MS-SMB2 3.3.5.3.1), and ignores
   * others.
   */
  readonly upgradesSmb1?: boolean
}

const denied = 0xc0000022
const noSuchShare = 0xc00000cc
const moreProcessing = 0xc0000016
const pipeTree = 77

export function fileServer({
  shares,
  users = [],
  requiresLoginForPipe = false,
  rejectsAnonymous = false,
  upgradesSmb1 = false,
}: FileServerSettings) {
  const connect = (path: string): readonly [number, Buffer, number?] => {
    const name = path.split('\\').at(-1) ?? ''
    if (name === 'IPC$') return [0, Buffer.from('10000200000000000000000000000000', 'hex'), pipeTree]
    const share = shares.find((share) => share.name === name)
    if (!share) return [noSuchShare, Buffer.alloc(8)]
    return share.isOpen ? [0, Buffer.from('100001000000000000000000ff011f00', 'hex'), 5] : [denied, Buffer.alloc(8)]
  }
  const respond = (message: Buffer): readonly [number, Buffer, number?] => {
    const body = message.subarray(64)
    switch (message.readUInt16LE(12)) {
      case 0:
        return [0, Buffer.from([65, 0, 3, 0])]
      case 1: {
        if (message.includes('NTLMSSP\0\u0001')) return [moreProcessing, Buffer.alloc(8)]
        return [rejectsAnonymous ? denied : 0, Buffer.alloc(8)]
      }
      case 3:
        return connect(body.subarray(8, 8 + body.readUInt16LE(6)).toString('utf16le'))
      case 5:
        return requiresLoginForPipe || message.readUInt32LE(36) !== pipeTree ? [denied, Buffer.alloc(8)] : [0, opened]
      case 11:
        return [0, transceived(body.subarray(56))]
      default:
        return [0, Buffer.alloc(60)]
    }
  }
  const transceived = (call: Buffer): Buffer => {
    const reply = call[2] === 11 ? packet(12, Buffer.alloc(44)) : packet(2, resultOf(call.readUInt16LE(22)))
    const head = Buffer.alloc(48)
    head.writeUInt32LE(64 + head.length, 32)
    head.writeUInt32LE(reply.length, 36)
    return Buffer.concat([head, reply])
  }
  const resultOf = (operation: number): Buffer => {
    switch (operation) {
      case 57:
      case 7:
        return Buffer.concat([Buffer.alloc(8), Buffer.alloc(20, operation), uint32(0)])
      case 6:
        return nameList(['Builtin', 'FILES'])
      case 5:
        return Buffer.concat([
          uint32(0, 0, 0x20000, 4),
          Buffer.from('010400000000000515000000', 'hex'),
          Buffer.alloc(16),
        ])
      case 13:
        return nameList(users)
      default:
        return shareList(shares)
    }
  }
  return (socket: Socket): void => {
    socket.on('data', (received: Buffer) => {
      if (upgradesSmb1 && received.includes('SMB 2.002'))
        return void socket.write(
          framed(Buffer.from('fe534d42'.padEnd(128, '0'), 'hex'), 0, 0, Buffer.from([65, 0, 3, 0])),
        )
      if (received.toString('latin1', 4, 8) !== '\u00feSMB') return void socket.destroy()
      const message = received.subarray(4)
      const [status, body, treeId = 0] = respond(message)
      socket.write(framed(message, status, treeId, body))
    })
  }
}

const opened = Buffer.concat([Buffer.alloc(64), Buffer.alloc(16, 7), Buffer.alloc(8)])

function framed(request: Buffer, status: number, treeId: number, body: Buffer): Buffer {
  const head = Buffer.from(request.subarray(0, 64))
  head.writeUInt32LE(status, 8)
  head.writeUInt32LE(treeId, 36)
  head.writeUInt32LE(9, 40)
  const length = head.length + body.length
  return Buffer.concat([Buffer.from([0, 0, length >> 8, length & 255]), head, body])
}

function packet(kind: number, body: Buffer): Buffer {
  const head = Buffer.from('05000003100000000000000001000000', 'hex')
  head.writeUInt8(kind, 2)
  head.writeUInt16LE(head.length + body.length, 8)
  return Buffer.concat([head, body])
}

function uint32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  values.forEach((value, index) => bytes.writeUInt32LE(value >>> 0, index * 4))
  return bytes
}

/** A string in NDR with its length and offset, padded. */
function textOf(characters: string): Buffer {
  const bytes = Buffer.from(characters, 'utf16le')
  const length = bytes.length / 2
  return Buffer.concat([uint32(length, 0, length), bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)])
}

/** A response that enumerates names (MS-SAMR 2.2.7.10), after the head of the call. */
function nameList(names: readonly string[]): Buffer {
  const entries = names.map((name, index) =>
    uint32(index, (name.length << 17) | (name.length << 1), 0x20008 + index * 4),
  )
  return Buffer.concat([
    uint32(0, 0, 0, 0x20000, names.length, 0x20004, names.length),
    ...entries,
    ...names.map(textOf),
    uint32(names.length, 0),
  ])
}

/** The NetrShareEnum level 1 response, in NDR. */
function shareList(shares: FileServerSettings['shares']): Buffer {
  const text = (content: string) => textOf(`${content}\0`)
  return Buffer.concat([
    uint32(0, 0, 1, 1, 0x20000, shares.length, 0x20004, shares.length),
    ...shares.map(({ kind }, index) => uint32(0x20008 + index * 8, kind, 0x2000c + index * 8)),
    ...shares.flatMap(({ name, remark }) => [text(name), text(remark)]),
    uint32(shares.length, 0, 0),
  ])
}
