import { describe, expect, it } from 'vitest'
import {
  contentOf,
  frameOf,
  framesAfterHandshake,
  hasMessage,
  isClosing,
  textFrameOf,
  upgradeRequest,
} from '#net/web-socket.ts'

const switched = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n'

/** A frame of a server, which isn't masked. */
function frame(opcode: number, content: Buffer): Buffer {
  const length = content.length < 126 ? [content.length] : [126, content.length >> 8, content.length & 0xff]
  return Buffer.concat([Buffer.from([0x80 | opcode, ...length]), content])
}

describe('upgradeRequest', () => {
  it('asks for WebSocket with a new key of 16 bytes and the given headers', () => {
    const request = upgradeRequest('lab.test:8080', '/ws', ['Sec-WebSocket-Protocol: binary'])
    const [, key = ''] = /^Sec-WebSocket-Key: (\S+)\r$/m.exec(request) ?? []
    expect(request).toMatch(/^GET \/ws HTTP\/1\.1\r\nHost: lab\.test:8080\r\n/)
    expect(request).toContain('\r\nSec-WebSocket-Protocol: binary\r\n')
    expect(Buffer.from(key, 'base64')).toHaveLength(16)
    expect(upgradeRequest('lab.test:8080', '/ws')).not.toContain(key)
  })
})

describe('framesAfterHandshake', () => {
  it('returns what follows the handshake', () => {
    expect(framesAfterHandshake(Buffer.from(`${switched}rest`))?.toString()).toBe('rest')
  })

  it.each(['HTTP/1.1 400 Bad Request\r\n\r\n', switched.slice(0, -2), ''])('rejects %j', (received) => {
    expect(framesAfterHandshake(Buffer.from(received))).toBeUndefined()
  })
})

describe('contentOf', () => {
  it('joins messages of all lengths and skips control frames', () => {
    const long = Buffer.alloc(300, 'a')
    const frames = Buffer.concat([frame(1, Buffer.from('INFO ')), frame(9, Buffer.from('ping')), frame(2, long)])
    expect(contentOf(frames).toString()).toBe(`INFO ${long.toString()}`)
  })

  it('returns the part of a message that has arrived', () => {
    const frames = frame(1, Buffer.alloc(300, 'a'))
    expect(contentOf(frames.subarray(0, 104)).toString()).toBe('a'.repeat(100))
    expect(contentOf(frames.subarray(0, 3))).toHaveLength(0)
    expect(contentOf(Buffer.from([0x82, 127, 0, 0, 0, 0]))).toHaveLength(0)
  })
})

describe('frameOf', () => {
  it('masks a short binary frame with zeros', () => {
    expect([...frameOf(Buffer.from('PING'))]).toEqual([0x82, 0x84, 0, 0, 0, 0, ...Buffer.from('PING')])
  })
})

describe('hasMessage', () => {
  it.each([
    [switched, false],
    [`${switched}\x81\x02hi`, true],
    ['HTTP/1.1 404 Not Found\r\n\r\n', true],
    ['HTTP/1.1 101 Sw', false],
  ])('%j: %s', (received, expected) => {
    expect(hasMessage(Buffer.from(received, 'latin1'))).toBe(expected)
  })
})

it.each([
  [
    'a close frame after a message',
    Buffer.concat([frame(1, Buffer.from('a')), frame(8, Buffer.from([3, 0xf0]))]),
    true,
  ],
  ['a message that starts like a close frame', frame(1, Buffer.from([0x88, 0])), false],
])('recognizes %s', (_, frames, expected) => {
  expect(isClosing(frames)).toBe(expected)
})

it.each([5, 200])('writes a text frame of %s bytes', (length) => {
  const text = 'a'.repeat(length)
  const written = textFrameOf(text)
  expect(written[0]).toBe(0x81)
  expect((written[1] ?? 0) & 0x80).toBe(0x80)
  expect(written.subarray(-length).toString()).toBe(text)
  expect(written).toHaveLength(length + (length < 126 ? 6 : 8))
})
