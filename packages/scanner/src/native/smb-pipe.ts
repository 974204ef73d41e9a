/** Lists shares through the server service's named pipe (MS-SRVS over MS-RPCE over MS-SMB2). */
import { hex } from '#wire.ts'
import type { Smb2Head } from '#native/smb-wire.ts'

/** A share as listed by the server. */
export interface ListedShare {
  readonly name: string
  /** True for disk shares; false for printers and pipes. */
  readonly isDisk: boolean
  readonly remark: string
}
/** Sends one SMB 2 command in the session and tree, and reads the response. */
export type Exchange = (command: number, body: Buffer) => Promise<Smb2Head | undefined>

const create = 5
const close = 6
const ioctl = 11
const bufferAt = 64 + 56
const sharesMax = 100

/**
 * Opens the pipe for one call and closes it.
 *
 * @param exchange sends commands in a tree of IPC$
 * @returns null when the server denies access, undefined when it doesn't respond
 * @throws RangeError when a response is truncated or its lengths are invalid
 */
export async function listShares(
  exchange: Exchange,
  address: string,
): Promise<readonly ListedShare[] | null | undefined> {
  const opened = await exchange(create, createBody('srvsvc'))
  if (!opened) return undefined
  if (opened.status !== 0 || opened.body.length < 80) return null
  const file = Buffer.from(opened.body.subarray(64, 80))
  const bound = await exchange(ioctl, transceiveBody(file, bindPacket))
  const listed = bound?.status === 0 ? await exchange(ioctl, transceiveBody(file, shareEnum(address))) : bound
  await exchange(close, Buffer.concat([hex('1800 0000 00000000'), file]))
  if (!listed) return undefined
  return listed.status === 0 ? readShares(pipeReply(listed.body)) : null
}

/** Opens an existing pipe for reading and writing messages. */
function createBody(name: string): Buffer {
  const text = Buffer.from(name, 'utf16le')
  const head = Buffer.alloc(56)
  head.writeUInt16LE(57)
  head.writeUInt32LE(2, 4)
  head.writeUInt32LE(0x0012019f, 24)
  head.writeUInt32LE(7, 32)
  head.writeUInt32LE(1, 36)
  head.writeUInt16LE(bufferAt, 44)
  head.writeUInt16LE(text.length, 46)
  return Buffer.concat([head, text])
}

/** FSCTL_PIPE_TRANSCEIVE: one message and its response (MS-FSCC 2.3.52). */
function transceiveBody(file: Buffer, message: Buffer): Buffer {
  const head = Buffer.alloc(56)
  head.writeUInt16LE(57)
  head.writeUInt32LE(0x0011c017, 4)
  file.copy(head, 8)
  head.writeUInt32LE(bufferAt, 24)
  head.writeUInt32LE(message.length, 28)
  head.writeUInt32LE(16_384, 44)
  head.writeUInt32LE(1, 48)
  return Buffer.concat([head, message])
}

function pipeReply(body: Buffer): Buffer {
  const at = body.readUInt32LE(32) - 64
  return body.subarray(at, at + body.readUInt32LE(36))
}

/**
 * Server service interface, version 3, with NDR transfer syntax (MS-SRVS 2.1, C706 section
 * 12.6.4.3).
 */
const bindPacket = packet(
  11,
  hex(
    'b810 b810 00000000 01000000 0000 0100 c84f324b7016d30112785a47bf6ee188 03000000 045d888aeb1cc9119fe808002b104860 02000000',
  ),
)

/** NetrShareEnum, level 1 (MS-SRVS 3.1.4.8): names, types, and comments. */
function shareEnum(address: string): Buffer {
  const server = Buffer.from(`\\\\${address}\0`, 'utf16le')
  const count = Buffer.alloc(12)
  count.writeUInt32LE(server.length / 2)
  count.writeUInt32LE(server.length / 2, 8)
  const name = Buffer.concat([hex('00000200'), count, server, Buffer.alloc((4 - (server.length % 4)) % 4)])
  const rest = hex('01000000 01000000 04000200 00000000 00000000 ffffffff 08000200 00000000')
  const stub = Buffer.concat([name, rest])
  const head = hex('00000000 0000 0f00')
  head.writeUInt32LE(stub.length)
  return packet(0, Buffer.concat([head, stub]))
}

function packet(kind: number, body: Buffer): Buffer {
  const head = hex('0500 00 03 10000000 0000 0000 01000000')
  head.writeUInt8(kind, 2)
  head.writeUInt16LE(head.length + body.length, 8)
  return Buffer.concat([head, body])
}

const response = 2

/** Entries first, then the strings they point to, in the same order (C706, section 14.3.12). */
function readShares(answer: Buffer): readonly ListedShare[] | null {
  if (answer.length < 48 || answer[2] !== response) return null
  const count = Math.min(answer.readUInt32LE(36), sharesMax)
  let at = 48 + answer.readUInt32LE(44) * 12
  const text = (pointer: number) => {
    if (pointer === 0) return ''
    const length = answer.readUInt32LE(at + 8) * 2
    const read = answer.toString('utf16le', at + 12, at + 12 + length).replace(/\0$/, '')
    at += 12 + length + ((4 - (length % 4)) % 4)
    return read
  }
  return Array.from({ length: count }, (_, index) => {
    const entry = answer.subarray(48 + index * 12)
    const name = text(entry.readUInt32LE(0))
    return { name, isDisk: (entry.readUInt32LE(4) & 0xff) === 0, remark: text(entry.readUInt32LE(8)) }
  })
}
