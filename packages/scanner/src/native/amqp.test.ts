import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { describeStart, readStart } from '#native/amqp-wire.ts'
import { broker } from '#native/testing/broker.ts'
import { answering, runNativeChecks, tcpPeer } from '#native/testing/examine.ts'

const amqp = { protocol: 'amqp' }
const guestMayIn = (mechanism: string, response: string) => mechanism === 'PLAIN' && response === '\0guest\0guest'

describe.concurrent('message brokers', () => {
  it('SEC-C5 tries the default login only with permission', async () => {
    await using peer = await tcpPeer(broker({ admits: guestMayIn }))
    expect((await runNativeChecks(peer, amqp)).found).toEqual(['amqp-cleartext-login', 'amqp-default-login'])
    const { covered, seen } = await runNativeChecks(peer, amqp, [])
    expect(covered).toEqual(['amqp-anonymous', 'amqp-cleartext-login'])
    const checks = ['amqp-default-login']
    const skipped = { kind: 'skipped', address: expect.any(String), port: peer.port, permission: 'logins', checks }
    expect(seen).toContainEqual(skipped)
  })
  it('finds a broker that accepts anonymous logins', async () => {
    const settings = { mechanisms: 'ANONYMOUS EXTERNAL', admits: (mechanism: string) => mechanism === 'ANONYMOUS' }
    await using peer = await tcpPeer(broker(settings))
    const { found, covered } = await runNativeChecks(peer, amqp)
    expect([found, covered]).toEqual([
      ['amqp-anonymous'],
      ['amqp-anonymous', 'amqp-cleartext-login', 'amqp-default-login'],
    ])
  })
  it.each([{ refusesSilently: false }, { refusesSilently: true }])(
    'finds nothing when only certificates or other credentials are accepted: %j',
    async (settings) => {
      await using peer = await tcpPeer(broker({ mechanisms: 'EXTERNAL ANONYMOUS', ...settings }))
      const { found, covered } = await runNativeChecks(peer, amqp)
      expect([found, covered]).toEqual([[], ['amqp-anonymous', 'amqp-cleartext-login', 'amqp-default-login']])
    },
  )
  it('finds nothing when the default login is rejected', async () => {
    await using peer = await tcpPeer(broker({ refusesSilently: true }))
    const { found, covered } = await runNativeChecks(peer, amqp)
    expect(found).toEqual(['amqp-cleartext-login'])
    expect(covered).toContain('amqp-default-login')
  })
  it.each([
    'AMQP\0\u0001\0\0',
    'HTTP/1.1 400 Bad Request\r\n\r\n',
    '\u0001\0\0\u00ff\u00ff\u00ff\u00ff\0\u000a\0\u000a',
  ])('is inconclusive without a Connection.Start: %j', async (greeting) => {
    await using peer = await tcpPeer((socket) => void socket.once('data', () => socket.end(greeting, 'latin1')))
    expect((await runNativeChecks(peer, amqp)).seen).toEqual([])
  })
  it('is inconclusive when the broker does not respond', async () => {
    await using peer = await tcpPeer(answering('', () => ''))
    expect((await runNativeChecks(peer, amqp)).seen).toEqual([])
  })
})

describe('Connection.Start', () => {
  it('is never read beyond its bounds', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (rest) => {
        const frame = Buffer.concat([Buffer.from('010000000000c8000a000a', 'hex').subarray(0, 11), Buffer.from(rest)])
        expect(typeof describeStart(frame)).toBe('string')
      }),
    )
    expect(readStart(Buffer.from('AMQP0091'))).toBeUndefined()
  })
})
