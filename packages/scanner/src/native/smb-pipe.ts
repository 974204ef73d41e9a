/** Calls over named pipes (MS-RPCE over MS-SMB2), and the list of shares (MS-SRVS). */
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
 * One call of the interface.
 *
 * @returns the result, null when the server denies the call, undefined when it doesn't respond
 */
export type Call = (operation: number, stub: Buffer) => Promise<Buffer | null | undefined>

/**
 * Opens a named pipe, binds its interface, and closes it after the calls.
 *
 * @param exchange sends commands in a tree of IPC$
 * @returns null when the server denies access, undefined when it doesn't respond
 * @throws RangeError when a response is truncated or its lengths are invalid
 */
export async function callPipe<Value>(
  exchange: Exchange,
  { name, syntax }: { readonly name: string; readonly syntax: Buffer },
  talk: (call: Call) => Promise<Value>,
): Promise<Value | null | undefined> {
  const opened = await exchange(create, createBody(name))
  if (!opened) return undefined
  if (opened.status !== 0 || opened.body.length < 80) return null
  const file = Buffer.from(opened.body.subarray(64, 80))
  const transceive = async (message: Buffer) => {
    const reply = await exchange(ioctl, transceiveBody(file, message))
    if (!reply) return undefined
    return reply.status === 0 ? pipeReply(reply.body) : null
  }
  const call: Call = async (operation, stub) => {
    const reply = await transceive(requestPacket(operation, stub))
    if (!reply) return reply
    return reply.length >= stubAt && reply[2] === response ? reply.subarray(stubAt) : null
  }
  const bound = await transceive(bindPacket(syntax))
  const result = bound ? await talk(call) : bound
  await exchange(close, Buffer.concat([hex('1800 0000 00000000'), file]))
  return result
}

/** The server service interface, version 3 (MS-SRVS 2.1). */
const serverService = { name: 'srvsvc', syntax: hex('c84f324b7016d30112785a47bf6ee188 03000000') }
const shareEnumOperation = 15

/** Lists shares; results as for callPipe. */
export async function listShares(
  exchange: Exchange,
  address: string,
): Promise<readonly ListedShare[] | null | undefined> {
  return callPipe(exchange, serverService, async (call) => {
    const listed = await call(shareEnumOperation, shareEnum(address))
    return listed && readShares(listed)
  })
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

/** Binds an interface with NDR transfer syntax (C706, section 12.6.4.3). */
function bindPacket(syntax: Buffer): Buffer {
  const head = hex('b810 b810 00000000 01000000 0000 0100')
  return packet(11, Buffer.concat([head, syntax, hex('045d888aeb1cc9119fe808002b104860 02000000')]))
}

function requestPacket(operation: number, stub: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt32LE(stub.length)
  head.writeUInt16LE(operation, 6)
  return packet(0, Buffer.concat([head, stub]))
}

/** NetrShareEnum, level 1 (MS-SRVS 3.1.4.8): names, types, and comments. */
function shareEnum(address: string): Buffer {
  const rest = hex('01000000 01000000 04000200 00000000 00000000 ffffffff 08000200 00000000')
  return Buffer.concat([hex('00000200'), varyingText(`\\\\${address}\0`), rest])
}

/** A conformant varying string, padded to four bytes (C706, section 14.3.3.4). */
export function varyingText(text: string): Buffer {
  const characters = Buffer.from(text, 'utf16le')
  const count = Buffer.alloc(12)
  count.writeUInt32LE(text.length)
  count.writeUInt32LE(text.length, 8)
  return Buffer.concat([count, characters, Buffer.alloc((4 - (characters.length % 4)) % 4)])
}

function packet(kind: number, body: Buffer): Buffer {
  const head = hex('0500 00 03 10000000 0000 0000 01000000')
  head.writeUInt8(kind, 2)
  head.writeUInt16LE(head.length + body.length, 8)
  return Buffer.concat([head, body])
}

const response = 2
const stubAt = 24

/** Entries first, then the strings they point to, in the same order (C706, section 14.3.12). */
function readShares(stub: Buffer): readonly ListedShare[] | null {
  if (stub.length < 24) return null
  const count = Math.min(stub.readUInt32LE(12), sharesMax)
  const text = textsFrom(stub, 24 + stub.readUInt32LE(20) * 12)
  return Array.from({ length: count }, (_, index) => {
    const entry = stub.subarray(24 + index * 12)
    const name = text(entry.readUInt32LE(0))
    return { name, isDisk: (entry.readUInt32LE(4) & 0xff) === 0, remark: text(entry.readUInt32LE(8)) }
  })
}

/** Reads strings in order; a null pointer has none. */
export function textsFrom(stub: Buffer, start: number): (pointer: number) => string {
  let at = start
  return (pointer) => {
    if (pointer === 0) return ''
    const length = stub.readUInt32LE(at + 8) * 2
    const read = stub.toString('utf16le', at + 12, at + 12 + length).replace(/\0$/, '')
    at += 12 + length + ((4 - (length % 4)) % 4)
    return read
  }
}
