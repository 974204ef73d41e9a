import { expect, it } from 'vitest'
import { answering, runNativeChecks, tcpPeer } from '#native/testing/examine.ts'

const packet = (encoding: number, payload: string) =>
  Buffer.concat([Buffer.from([0x50, encoding, 0, 0, 0, 0, 0, payload.length]), Buffer.from(payload, 'latin1')])

it.each([0x01, 0x10])('reports a server that accepts a test connection in encoding %i', async (encoding) => {
  const accepted = packet(encoding, '\u00c2\u0085hellog\u0095connect_test_response\u0084True')
  await using peer = await tcpPeer(answering('', (_, raw) => (raw[1] === encoding ? accepted : 'disconnect: error\n')))
  expect((await runNativeChecks(peer, { protocol: 'xpra' })).found).toEqual(['xpra-open'])
})

it('does not report a server that requires a password', async () => {
  const challenge = packet(1, "\u00c2\u008adisconnect\u00a3insecure salt digest 'xor' rejected")
  await using peer = await tcpPeer(answering('', () => challenge))
  const { found, covered } = await runNativeChecks(peer, { protocol: 'xpra' })
  expect([found, covered]).toEqual([[], ['xpra-open']])
})
