import { expect, it } from 'vitest'
import { answering, runNativeChecks, tcpPeer } from '#native/testing/examine.ts'
import { hex } from '#wire.ts'

const number = (value: number) => {
  const encoded = Buffer.alloc(4)
  encoded.writeUInt32LE(value)
  return encoded
}
const text = (value: string) => Buffer.concat([number(value.length), Buffer.from(value)])
const none = hex('ffffffff')
const framed = (kind: string, body: Buffer) => Buffer.concat([Buffer.from(kind), number(body.length + 8), body])
const header = (type: number, result = 0) =>
  Buffer.concat([
    hex('0100'),
    number(type).subarray(0, 2),
    Buffer.alloc(12),
    number(result),
    hex('00 00000000 0000 00'),
  ])
const noSecurity = 'http://opcfoundation.org/UA/SecurityPolicy#None'

function endpoint(url: string, tokenType: number): Buffer {
  const application = [none, text('urn:lab'), hex('02'), text('Lab'), number(0), none, none, number(0)]
  const tokens = [number(1), text('policy'), number(tokenType), none, none, none]
  return Buffer.concat([text(url), ...application, none, number(1), text(noSecurity), ...tokens, none, hex('00')])
}

/** A server with one endpoint without encryption and one way to sign in. */
async function server(tokenType: number, activated: number) {
  const respond = (raw: Buffer) => {
    const url = 'opc.tcp://lab.test:4840'
    const kind = raw.toString('latin1', 0, 3)
    if (kind === 'HEL') return framed('ACKF', Buffer.alloc(20))
    if (kind === 'OPN')
      return framed(
        'OPNF',
        Buffer.concat([number(1), none, none, none, Buffer.alloc(8), header(449), number(0), number(1), number(1)]),
      )
    const reply = (body: Buffer) => framed('MSGF', Buffer.concat([Buffer.alloc(16), body]))
    switch (raw.readUInt16LE(26)) {
      case 428:
        return reply(Buffer.concat([header(431), number(1), endpoint(url, tokenType)]))
      case 461:
        return reply(Buffer.concat([header(464), hex('0001'), hex('0002')]))
      case 467:
        return reply(header(470, activated))
      case 631:
        return reply(Buffer.concat([header(634), number(1), hex('01 0c'), text('Lab server')]))
      default:
        return reply(header(476))
    }
  }
  return tcpPeer(answering('', (_, raw) => respond(raw)))
}

it('reports a server that activates an anonymous session', async () => {
  await using peer = await server(0, 0)
  const { found, seen } = await runNativeChecks(peer, { protocol: 'opcua' })
  expect(found).toEqual(['opcua-open'])
  expect(JSON.stringify(seen)).toContain('Lab server')
})

it.each([
  ['offers only passwords', 1, 0],
  ['rejects the anonymous session', 0, 0x80200000],
] as const)('does not report a server that %s', async (_, tokenType, activated) => {
  await using peer = await server(tokenType, activated)
  const { found, covered } = await runNativeChecks(peer, { protocol: 'opcua' })
  expect([found, covered]).toEqual([[], ['opcua-open']])
})

it('decides nothing about a truncated response', async () => {
  await using peer = await tcpPeer(answering('', () => framed('ACKF', Buffer.alloc(20))))
  expect((await runNativeChecks(peer, { protocol: 'opcua' })).covered).toEqual([])
})
