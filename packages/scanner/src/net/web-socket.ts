/** The opening handshake and frames of WebSocket (RFC 6455). */
import { randomBytes } from 'node:crypto'
import type { TcpConnection } from '#net/tcp.ts'

const endOfHead = '\r\n\r\n'

export function upgradeRequest(host: string, path: string, more: readonly string[] = []): string {
  const lines = [
    `GET ${path} HTTP/1.1`,
    `Host: ${host}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
    ...more,
  ]
  return `${lines.join('\r\n')}${endOfHead}`
}

/**
 * Closes the connection without a reset. A server in Node.js whose handler ignores the path of a handshake has no handler
 * for errors of the connection either, so a reset would end the server.
 */
export function endHandshake({ socket }: Pick<TcpConnection, 'socket'>): void {
  socket.destroy()
}

/** The start of the frames in the response to a handshake; undefined if the server rejected it or hasn't finished it. */
export function framesAfterHandshake(received: Buffer): Buffer | undefined {
  const end = received.indexOf(endOfHead)
  if (end < 0 || !received.toString('latin1', 0, end).startsWith('HTTP/1.1 101 ')) return undefined
  return received.subarray(end + endOfHead.length)
}

export function isHandshakeAnswered(received: Buffer): boolean {
  return received.includes(endOfHead)
}

/** A short binary frame, masked with zeros (section 5.2). */
export function frameOf(content: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([0x82, 0x80 | content.length, 0, 0, 0, 0]), content])
}

/** A text frame of at most 65,535 bytes, masked with zeros. */
export function textFrameOf(text: string): Buffer {
  const content = Buffer.from(text)
  const length = content.length < 126 ? [0x80 | content.length] : [0xfe, content.length >> 8, content.length & 0xff]
  return Buffer.concat([Buffer.from([0x81, ...length, 0, 0, 0, 0]), content])
}

/** The content of a server's frames, as far as it has arrived. */
export function contentOf(frames: Buffer): Buffer {
  return Buffer.concat(messagesOf(frames))
}

/** The same, frame by frame. */
export function messagesOf(frames: Buffer): readonly Buffer[] {
  return framesIn(frames).flatMap(({ opcode, content }) => ((opcode & controlBit) === 0 ? content : []))
}

/** Whether the server has sent a close frame. */
export function isClosing(frames: Buffer): boolean {
  return framesIn(frames).some(({ opcode }) => opcode === closeOpcode)
}

const controlBit = 0x08
const closeOpcode = 0x08

function framesIn(frames: Buffer): readonly { readonly opcode: number; readonly content: Buffer }[] {
  const found: { readonly opcode: number; readonly content: Buffer }[] = []
  for (let at = 0; at + 2 <= frames.length;) {
    const short = (frames[at + 1] ?? 0) & 0x7f
    const start = at + (short === 126 ? 4 : short === 127 ? 10 : 2)
    if (start > frames.length) break
    const length = short === 126 ? frames.readUInt16BE(at + 2) : short === 127 ? frames.readUInt32BE(at + 6) : short
    found.push({ opcode: (frames[at] ?? 0) & 0x0f, content: frames.subarray(start, start + length) })
    at = start + length
  }
  return found
}

/** Whether a message of the server has started to arrive, or the handshake was rejected. */
export function hasMessage(received: Buffer): boolean {
  const frames = framesAfterHandshake(received)
  return frames ? contentOf(frames).length > 0 : isHandshakeAnswered(received)
}
