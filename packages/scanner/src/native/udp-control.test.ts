import { expect, it } from 'vitest'
import { runNativeChecks, udpPeer } from '#native/testing/examine.ts'

const header = (text: string, length: number) => Buffer.concat([Buffer.from(text, 'hex'), Buffer.alloc(length)])

it.each([
  ['chrony-command', 'chrony-command-open', header('06020000002100050000', 94), header('06020000002100010002', 94)],
  ['rtpengine', 'rtpengine-open', Buffer.from('glacis d6:result4:ponge'), Buffer.from('glacis d6:result5:errore')],
  ['cldap', 'cldap-udp-amplification', header('3084000003e8020101', 1000), header('300c020101650700', 20)],
  [
    'slp',
    'slp-udp-amplification',
    Buffer.from('\u0002\n      GC  en  service:printer'),
    header('020a00001200000000004743', 6),
  ],
  ['nat-pmp', 'nat-pmp-exposed', header('0080000000000001cb007107', 0), header('0080000300000001', 4)],
  [
    'ws-discovery',
    'ws-discovery-exposed',
    Buffer.from('<soap:Envelope><soap:Body><wsd:ProbeMatches></wsd:ProbeMatches></soap:Body></soap:Envelope>'),
    Buffer.from('<soap:Envelope><soap:Body><soap:Fault></soap:Fault></soap:Body></soap:Envelope>'),
  ],
  [
    'rpcbind',
    'rpcbind-udp-amplification',
    header(
      `474c41430000000100000000000000000000000000000000${'00000001000186a000000002000000110000006f'.repeat(4)}`,
      4,
    ),
    header('474c41430000000100000000000000000000000000000000', 4),
  ],
  ['knxnet-ip', 'knxnet-ip-exposed', header('06100204004436010200', 58), header('06100204000802020000', 0)],
] as const)('reports %s only if it accepts commands', async (protocol, check, accepts, refuses) => {
  await using open = await udpPeer(() => accepts)
  expect((await runNativeChecks(open, { protocol, transport: 'udp' })).found).toEqual([check])
  await using closed = await udpPeer(() => refuses)
  const { found, covered } = await runNativeChecks(closed, { protocol, transport: 'udp' })
  expect([found, covered]).toEqual([[], [check]])
})
