import { expect, it } from 'vitest'
import { isNegotiationOnly, negotiateTelnet } from '#fingerprint/telnet.ts'
import type { TcpConnection } from '#net/tcp.ts'

/** A connection that sends one part after each reply. */
function talking(parts: readonly Buffer[]) {
  const sent: string[] = []
  const left = [...parts]
  const read = async () => left.shift() ?? Buffer.alloc(0)
  const write = (bytes: string | Uint8Array) => void sent.push(Buffer.from(bytes).toString('latin1'))
  return { connection: { read, write } as unknown as TcpConnection, sent }
}

it.each([
  ['\xff\xfb\x01\xff\xfb\x03\xff\xfd\x18', true],
  ['\xff\xfd\x18\r\n', true],
  ['\xff\xfb\x01\r\nlogin: ', false],
] as const)('tells commands from a greeting: %j', (text, isOnly) => {
  expect(isNegotiationOnly(Buffer.from(text, 'latin1'))).toBe(isOnly)
})

it('accepts what a server needs to greet, and answers each option once', async () => {
  const { connection, sent } = talking([
    Buffer.from('\xff\xfb\x01\xff\xfd\x00\xff\xfd\x1f\xff\xfd\x18', 'latin1'),
    Buffer.from('\xff\xfa\x18\x01\xff\xf0\xff\xfb\x01', 'latin1'),
    Buffer.from('Debian GNU/Linux 12\r\nlab login: ', 'latin1'),
  ])
  expect(await negotiateTelnet(connection)).toBe('Debian GNU/Linux 12\r\nlab login: ')
  expect(sent).toEqual(['\xff\xfd\x01\xff\xfb\x00\xff\xfc\x1f\xff\xfb\x18', '\xff\xfa\x18\0vt100\xff\xf0'])
})

it('gives up on a server that only negotiates', async () => {
  const { connection } = talking(Array.from({ length: 50 }, (_, at) => Buffer.from([255, 253, at])))
  expect(await negotiateTelnet(connection)).toBe('')
})

it('reads commands that end early', async () => {
  const { connection } = talking([Buffer.from('\xff\xfa\x18\x01', 'latin1'), Buffer.from('\xff', 'latin1')])
  expect(await negotiateTelnet(connection)).toBe('')
})
