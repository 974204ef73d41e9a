import { describe, expect, it } from 'vitest'
import { answering, runNativeChecks, tcpPeer } from '#native/testing/examine.ts'
import { software } from '#template/testing/site.ts'

const both = ['vnc-no-password', 'vnc-cleartext']
/** Offers these security types to version 3.8 clients, and the first one to version 3.3 clients. */
const server = (greeting: string, types: readonly number[]) =>
  answering(greeting, (received) =>
    received.startsWith('RFB 003.003') ? Buffer.from([0, 0, 0, types[0] ?? 0]) : Buffer.from([types.length, ...types]),
  )

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
    await using peer = await tcpPeer(server('RFB 003.008\n', [2, 16]))
    const { found, covered } = await runNativeChecks(peer, { protocol: 'vnc' })
    expect([found, covered]).toEqual([['vnc-cleartext'], both])
  })
  it('finds nothing when VeNCrypt is offered', async () => {
    await using peer = await tcpPeer(server('RFB 003.008\n', [19, 2]))
    const { found, covered } = await runNativeChecks(peer, { protocol: 'vnc' })
    expect([found, covered]).toEqual([[], both])
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
