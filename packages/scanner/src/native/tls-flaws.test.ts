import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { answering, runNativeChecks, tcpPeer } from '#native/testing/examine.ts'

const hex = (text: string) => Buffer.from(text.replaceAll(/\s/g, ''), 'hex')
const record = (type: number, body: Buffer) =>
  Buffer.concat([Buffer.from([type, 3, 3, body.length >> 8, body.length & 255]), body])
/** ServerHello with an empty session ID and TLS_RSA_WITH_AES_128_CBC_SHA, then ServerHelloDone. */
const hello = (compression: number, extensions: Buffer) => {
  const body = Buffer.concat([
    hex('0303'),
    Buffer.alloc(32, 7),
    Buffer.from([0, 0, 0x2f, compression, extensions.length >> 8, extensions.length & 255]),
    extensions,
  ])
  return record(22, Buffer.concat([Buffer.from([2, 0, 0, body.length]), body, hex('0e000000')]))
}
const secure = hex('ff01 0001 00')
const heartbeat = hex('000f 0001 01')
const serve = (first: Buffer, onHeartbeat: Buffer): ((socket: Socket) => void) =>
  answering('', (_, raw) => (raw[0] === 0x18 ? onHeartbeat : raw[0] === 22 ? first : hex('15 0303 0002 0228')))

describe.concurrent('TLS flaws', () => {
  it.each([
    ['compression', hello(1, secure), hex(''), ['tls-compression']],
    ['an old renegotiation', hello(0, hex('')), hex(''), ['tls-renegotiation-insecure']],
    [
      'Heartbleed',
      hello(0, Buffer.concat([secure, heartbeat])),
      record(24, hex(`02 0001 41 ${'00'.repeat(16)}`)),
      ['CVE-2014-0160'],
    ],
    [
      'nothing if heartbeats of a wrong length are discarded',
      hello(0, Buffer.concat([secure, heartbeat])),
      hex(''),
      [],
    ],
    ['nothing if the server alerts', hello(0, Buffer.concat([secure, heartbeat])), hex('15 0303 0002 020a'), []],
  ])('finds %s', async (_, first, onHeartbeat, expected) => {
    await using peer = await tcpPeer(serve(first, onHeartbeat))
    const { found, covered } = await runNativeChecks(peer, { protocol: 'imap', tls: true })
    expect(found).toEqual(expected)
    expect(covered).toContain('CVE-2014-0160')
  })
})
