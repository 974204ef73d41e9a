import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { readServerHello } from '#native/tls-hello.ts'
import { answering, runNativeChecks, tcpPeer } from '#native/testing/examine.ts'
import { certificateFor } from '#template/testing/certificate.ts'

const all = ['tls-cipher-weak', 'tls-cipher-small-block', 'tls-ssl2-enabled', 'tls-ssl3-enabled', 'tls-curve-weak']
const own = (ids: readonly string[]) => ids.filter((id) => all.includes(id))
const alert = Buffer.from('15030300020228', 'hex')

/** ServerHello with this suite, of TLS 1.2 by default. */
function serverHello(suite: number, version = 3): Buffer {
  const body = Buffer.concat([
    Buffer.from([3, version]),
    Buffer.alloc(32, 9),
    Buffer.from([0, suite >> 8, suite & 255, 0]),
  ])
  return Buffer.concat([Buffer.from([22, 3, version, 0, body.length + 4, 2, 0, 0, body.length]), body])
}

/** ServerHello, ServerKeyExchange with secp192r1, and ServerHelloDone. */
const weakCurveReply = Buffer.concat([
  serverHello(0xc02f),
  Buffer.from('1603030009 0c000005 0300130047 1603030004 0e000000'.replaceAll(' ', ''), 'hex'),
])

/** Chooses the first known suite of a hello; supports all old versions and curves if enabled. Ends the connection with its reply. */
function old(knows: readonly number[], isOutdated: boolean) {
  const ssl2 = Buffer.concat([Buffer.from('801b040001000200000003000001008047', 'hex'), Buffer.alloc(12)])
  const replyTo = (raw: Buffer) => {
    if (raw[0] !== 22) return isOutdated ? ssl2 : alert
    if (raw[10] === 0) return isOutdated ? serverHello(0x002f, 0) : alert
    if (raw.includes(Buffer.from([0, 0x12, 0, 0x13]))) return isOutdated ? weakCurveReply : alert
    const at = 44 + (raw[43] ?? 0)
    const offered = Array.from({ length: raw.readUInt16BE(at) / 2 }, (_, index) => raw.readUInt16BE(at + 2 + index * 2))
    const suite = offered.find((one) => knows.includes(one))
    return suite === undefined ? alert : serverHello(suite)
  }
  return (socket: Socket) => void socket.once('data', (raw: Buffer) => void socket.end(replyTo(raw)))
}

/** Protocol version 10, with support for TLS (0x0800 in the capabilities). */
const mysqlGreeting = `;\0\0\0\n8.0.1\0${'\u0001'.repeat(12)}\0\0\u000a${'\0'.repeat(24)}mysql_native\0`

describe('tlsWeak', () => {
  it.each([
    [[0x0005], false, ['tls-cipher-weak']],
    [[0x000a], false, ['tls-cipher-small-block']],
    [[0x0034, 0xc012], true, all],
    [[0xc02f], false, []],
  ] as const)('reports the weak ciphers of a server that supports %j', async (knows, speaksSsl2, expected) => {
    await using peer = await tcpPeer(old(knows, speaksSsl2))
    const { found, covered } = await runNativeChecks(peer, { protocol: 'http', tls: true })
    expect(own(found)).toEqual(expected)
    expect(own(covered)).toEqual(all)
  })
  it('finds nothing on a modern server', async () => {
    const certificate = certificateFor({ name: 'lab.test' })
    await using peer = await tcpPeer((socket) => {
      const encrypted = new TLSSocket(socket, { isServer: true, ...certificate, minVersion: 'TLSv1.2' })
      encrypted.on('error', () => undefined)
      encrypted.on('data', () => encrypted.write('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n'))
    })
    const { found, covered } = await runNativeChecks(peer, { protocol: 'http', tls: true })
    expect(own(found)).toEqual([])
    expect(own(covered)).toEqual(all)
  })
  it('checks TLS after STARTTLS', async () => {
    await using peer = await tcpPeer((socket) => {
      socket.write('220 mx ESMTP\r\n')
      socket.on('data', (received: Buffer) => {
        if (received.includes('EHLO')) socket.write('250-mx\r\n250 STARTTLS\r\n')
        else if (received.includes('STARTTLS')) socket.write('220 go ahead\r\n')
        else socket.write(received[0] === 22 && received.includes(Buffer.from([0, 5])) ? serverHello(0x0005) : alert)
      })
    })
    expect(own((await runNativeChecks(peer, { protocol: 'smtp' })).found)).toEqual(['tls-cipher-weak'])
  })
  it.each([
    ['mysql', '', mysqlGreeting, /^ [\s\S]{35}/, ''],
    ['xmpp', '<stream:stream', "<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>", /^<starttls/, '<proceed/>'],
    ['managesieve', '', '"SASL" ""\r\n"STARTTLS"\r\nOK\r\n', /^STARTTLS/, 'OK\r\n'],
    ['nntp', '', '200 news ready\r\n', /^STARTTLS/, '382 go ahead\r\n'],
  ])('upgrades %s to TLS', async (protocol, opening, greeting, request, consent) => {
    await using peer = await tcpPeer((socket) => {
      if (opening === '') socket.write(greeting, 'latin1')
      socket.on('data', (received: Buffer) => {
        const text = received.toString('latin1')
        // MySQL's request and the hello may arrive together.
        const hello = received.subarray(request.test(text) && received[0] === 0x20 ? 36 : 0)
        if (hello[0] === 22) socket.write(hello.includes(Buffer.from([0, 5])) ? serverHello(0x0005) : alert)
        else if (hello[0] === 0x80) socket.write(alert)
        else if (request.test(text)) socket.write(consent)
        else if (opening !== '' && text.includes(opening)) socket.write(greeting)
      })
    })
    expect(own((await runNativeChecks(peer, { protocol })).found)).toContain('tls-cipher-weak')
  })
  it('is inconclusive for another protocol', async () => {
    await using peer = await tcpPeer(answering('', () => 'HTTP/1.1 400 Bad Request\r\n\r\n'))
    const { found, covered } = await runNativeChecks(peer, { protocol: 'http', tls: true })
    expect([own(found), own(covered)]).toEqual([[], []])
  })
  it.each(['', '16030300', '160303003a020000'])('returns no suite for %j', (bytes) => {
    expect(readServerHello(Buffer.from(bytes, 'hex'))).toBeUndefined()
  })
})
