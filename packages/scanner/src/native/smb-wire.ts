/** SMB messages (MS-CIFS, MS-SMB2) that checks send and parse. */
import { hex } from '#wire.ts'
import type { TcpConnection } from '#net/tcp.ts'

export const commands = { negotiate: 0, sessionSetup: 1, treeConnect: 3 } as const
/** STATUS_MORE_PROCESSING_REQUIRED: the login needs another message. */
export const moreProcessing = 0xc0000016
/** STATUS_PENDING: the response follows in a separate message. */
const pending = 0x103

/** Header of an SMB 2 response; undefined for anything else. */
export interface Smb2Head {
  readonly status: number
  readonly sessionId: Buffer
  readonly treeId: number
  readonly body: Buffer
}

/** A message in a NetBIOS session service frame (RFC 1002, section 4.3.1). */
export function framed(message: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0, 0, message.length >> 8, message.length & 0xff]), message])
}

/** Whether a complete frame was received. */
export function isFrame(received: Buffer): boolean {
  return received.length >= 4 && received.length >= 4 + received.readUIntBE(1, 3)
}

const readOptions = { firstByteMs: 4000, idleMs: 300, enough: isFrame }

/** SMB 1 negotiation with the only remaining dialect, NT LM 0.12. */
export const smb1Negotiate: Buffer = framed(
  hex('ff534d42 72 00000000 18 53c8 0000 0000000000000000 0000 ffff feff 0000 0000 00 0c00 02 4e54204c4d20302e313200'),
)

/** Anonymous SMB 1 session setup (MS-CIFS 2.2.4.53). */
export const smb1Session: Buffer = framed(
  hex(
    'ff534d42 73 00000000 18 0140 0000 0000000000000000 0000 0000 feff 0000 0000 ' +
      '0d ff 00 0000 ffff 0200 0000 00000000 0100 0000 00000000 40000000 0600 00 00 00 00 00 00',
  ),
)

export function smb2Message(command: number, id: number, sessionId: Buffer, body: Buffer, treeId = 0): Buffer {
  const head = Buffer.alloc(64)
  head.write('\u00feSMB', 'latin1')
  head.writeUInt16LE(64, 4)
  head.writeUInt16LE(1, 6)
  head.writeUInt16LE(command, 12)
  head.writeUInt16LE(31, 14)
  head.writeUInt32LE(id, 24)
  head.writeUInt32LE(treeId, 36)
  sessionId.copy(head, 40)
  return framed(Buffer.concat([head, body]))
}

export function readSmb2(received: Buffer): Smb2Head | undefined {
  if (received.length < 4 + 64 || received.toString('latin1', 4, 8) !== '\u00feSMB') return undefined
  const message = received.subarray(4, 4 + Math.max(64, received.readUIntBE(1, 3)))
  const head = { status: message.readUInt32LE(8), treeId: message.readUInt32LE(36) }
  return { ...head, sessionId: message.subarray(40, 48), body: message.subarray(64) }
}

/** Sends one message and reads its response. */
export async function exchange(connection: TcpConnection, message: Buffer): Promise<Smb2Head | undefined> {
  connection.write(message)
  const received = await connection.read(readOptions)
  const head = readSmb2(received)
  if (head?.status !== pending) return head
  const rest = received.subarray(4 + received.readUIntBE(1, 3))
  return readSmb2(isFrame(rest) ? rest : await connection.read(readOptions))
}

/** Dialects 2.0.2 and 2.1; the client supports signing but doesn't require it. */
export function negotiateBody(): Buffer {
  return Buffer.concat([
    hex('2400 0400 0100 0000 00000000'),
    Buffer.alloc(16, 0x47),
    hex('0000000000000000 0202 1002 0003 0203'),
  ])
}

export function sessionBody(token: Buffer): Buffer {
  const head = hex('1900 00 01 00000000 00000000 5800 0000 0000000000000000')
  head.writeUInt16LE(token.length, 14)
  return Buffer.concat([head, token])
}

export function treeBody(path: string): Buffer {
  const name = Buffer.from(path, 'utf16le')
  const head = hex('0900 0000 4800 0000')
  head.writeUInt16LE(name.length, 6)
  return Buffer.concat([head, name])
}

/** NTLM negotiate message in SPNEGO's NegTokenInit (RFC 4178, MS-NLMP 2.2.1.1). */
export function spnegoInit(): Buffer {
  const ntlm = Buffer.concat([Buffer.from('NTLMSSP\0'), hex('01000000 07020000 0000000000000000 0000000000000000')])
  const mechanisms = der(0xa0, der(0x30, hex('060a2b06010401823702020a')))
  const token = der(0xa2, der(0x04, ntlm))
  const init = der(0xa0, der(0x30, Buffer.concat([mechanisms, token])))
  return der(0x60, Buffer.concat([hex('06062b0601050502'), init]))
}

/** Anonymous NTLM authenticate message: no user, domain, or response (MS-NLMP 2.2.1.3). */
export function spnegoAnonymous(): Buffer {
  const end = 64 + 1
  const field = (length: number, at: number) => {
    const bytes = Buffer.alloc(8)
    bytes.writeUInt16LE(length)
    bytes.writeUInt16LE(length, 2)
    bytes.writeUInt32LE(at, 4)
    return bytes
  }
  const fields = [field(1, 64), field(0, end), field(0, 64), field(0, 64), field(0, 64), field(0, end)]
  const ntlm = Buffer.concat([Buffer.from('NTLMSSP\0'), hex('03000000'), ...fields, hex('050a0000'), Buffer.from([0])])
  return der(0xa1, der(0x30, der(0xa2, der(0x04, ntlm))))
}

function der(tag: number, value: Buffer): Buffer {
  const head = value.length < 128 ? [tag, value.length] : [tag, 0x81, value.length]
  return Buffer.concat([Buffer.from(head), value])
}
