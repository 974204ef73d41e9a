import { describe, expect, it } from 'vitest'
import { answering, runNativeChecks, tcpPeer } from '#native/testing/examine.ts'
import { software } from '#template/testing/site.ts'

const both = ['vnc-no-password', 'vnc-cleartext']
/** Offers these security types to version 3.8 clients, and the first one to version 3.3 clients. */
const server = (greeting: string, types: readonly number[]) =>
  answering(greeting, (received) =>
    received.startsWith('RFB 003.003') ? Buffer.from([0, 0, 0, types[0] ?? 0]) : Buffer.from([types.length, ...types]),
  )
const number = (value: number) => String.fromCharCode(0, 0, value >> 8, value & 255)
const venCrypt = (subtypes: readonly number[]) => [
  '\0\x02',
  Buffer.from('\0' + String.fromCharCode(subtypes.length) + subtypes.map(number).join(''), 'latin1'),
]
const capability = (code: number) => number(code) + 'TGHTcapacity'
const tightTypes = (codes: readonly number[]) => number(codes.length) + codes.map(capability).join('')

describe('VNC', () => {
  it.each([
    ['RFB 003.008\n', [1]],
    ['RFB 003.003\n', [1]],
    ['RFB 003.889\n', [2, 1]],
  ] as const)('finds an unauthenticated desktop with greeting %j', async (greeting, types) => {
    await using peer = await tcpPeer(server(greeting, types))
    expect((await runNativeChecks(peer, { protocol: 'vnc' })).found).toEqual(both)
  })
  it('finds unencrypted authentication', async () => {
    await using peer = await tcpPeer(server('RFB 003.008\n', [2, 17]))
    const { found, covered } = await runNativeChecks(peer, { protocol: 'vnc' })
    expect([found, covered]).toEqual([['vnc-cleartext'], both])
  })
  it.each([
    ['VeNCrypt with TLSNone', [19], venCrypt([257]), ['vnc-no-password'], both],
    ['VeNCrypt with X509None among others', [2, 19], venCrypt([261, 260]), ['vnc-no-password'], both],
    ['VeNCrypt with None and Plain', [19], venCrypt([1, 256]), both, both],
    ['VeNCrypt with passwords', [19, 2], venCrypt([258, 261]), [], both],
    ['VeNCrypt 0.1', [19], ['\0\x01'], [], ['vnc-cleartext']],
    ['Tight without authentication', [16], ['\0'.repeat(12)], both, both],
    [
      'Tight with a tunnel and authentication',
      [16],
      ['\0\0\0\x01' + capability(0), tightTypes([2])],
      ['vnc-cleartext'],
      both,
    ],
    ['Tight with a tunnel and type None', [16], ['\0\0\0\x01' + capability(0), tightTypes([2, 1])], both, both],
    ['Tight with an incomplete list', [16, 2], ['\0\0\0\0'], ['vnc-cleartext'], ['vnc-cleartext']],
  ] as const)('reads the types of %s', async (_, types, messages, found, covered) => {
    const rest = [Buffer.from([types.length, ...types]), ...messages]
    await using peer = await tcpPeer(answering('RFB 003.008\n', () => rest.shift() ?? ''))
    const result = await runNativeChecks(peer, { protocol: 'vnc' })
    expect([result.found, result.covered]).toEqual([found, covered])
  })
  it.each([[[]], [[0]]])('is inconclusive when the server rejects the connection: types %j', async (types) => {
    await using peer = await tcpPeer(server('RFB 003.008\n', types))
    expect((await runNativeChecks(peer, { protocol: 'vnc' })).seen).toEqual([])
  })
})

describe('VNC over WebSocket', () => {
  const service = { protocol: 'http', technologies: [software('websockify')] }
  const frame = (content: Buffer) => Buffer.concat([Buffer.from([0x82, content.length]), content])
  /** Sends the greeting in the packet of the upgrade, or in one of its own. */
  const desktop = (types: readonly number[], isSeparate = false) =>
    tcpPeer((socket) =>
      socket.on('data', (received: Buffer) => {
        const greeting = frame(Buffer.from('RFB 003.008\n'))
        if (received.includes('GET /websockify')) {
          socket.write(
            Buffer.concat([Buffer.from('HTTP/1.1 101 Switching Protocols\r\n\r\n'), ...(isSeparate ? [] : [greeting])]),
          )
          if (isSeparate) setImmediate(() => socket.write(greeting))
        } else if (received.equals(Buffer.from('828c00000000' + Buffer.from('RFB 003.008\n').toString('hex'), 'hex')))
          socket.write(frame(Buffer.from([types.length, ...types])))
        else socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n')
      }),
    )
  it.each([false, true])('finds an unauthenticated desktop, greeting apart: %s', async (isSeparate) => {
    await using peer = await desktop([1, 2], isSeparate)
    expect((await runNativeChecks(peer, service)).found).toContain('novnc-no-password')
  })
  it('finds nothing where a password is required', async () => {
    await using peer = await desktop([2])
    const { found, covered } = await runNativeChecks(peer, service)
    expect(found).not.toContain('novnc-no-password')
    expect(covered).toContain('novnc-no-password')
  })
})

describe('distcc', () => {
  const service = { protocol: 'distcc' }
  it('finds an unauthenticated server', async () => {
    const done = 'DONE00000001STAT00000000SERR00000000SOUT00000000DOTO00000000'
    const server = answering('', (received) =>
      received.startsWith('DIST00000001ARGC00000005ARGV00000002cc') ? done : '',
    )
    await using peer = await tcpPeer(server)
    expect((await runNativeChecks(peer, service)).found).toEqual(['distcc-open'])
  })
  it('finds nothing when the connection is closed', async () => {
    await using peer = await tcpPeer((socket) => void socket.once('data', () => socket.end()))
    const { found, covered } = await runNativeChecks(peer, service)
    expect([found, covered]).toEqual([[], ['distcc-open']])
  })
})
