import { expect, it } from 'vitest'
import { runNativeChecks, udpPeer } from '#native/testing/examine.ts'
import { bytes, hex, tlv } from '#wire.ts'

type Variable = readonly [name: string, value: string]

/** A Response-PDU of version 2c for the community `public`. */
function answerWith(variables: readonly Variable[]): Buffer {
  const bound = variables.map(([name, value]) =>
    tlv(0x30, Buffer.concat([tlv(0x06, hex(name)), tlv(0x04, bytes(value))])),
  )
  const pdu = tlv(0xa2, Buffer.concat([hex('0204474c4143 020100 020100'), tlv(0x30, Buffer.concat(bound))]))
  return tlv(0x30, Buffer.concat([hex('020101'), tlv(0x04, bytes('public')), pdu]))
}

const description: Variable = ['2b06010201010100', 'Linux lab 6.1']
const entry = '2b06010401bf080103020201'
const index = '066261636b7570'

it.each<[string, readonly Variable[], boolean]>([
  [
    'lists commands',
    [
      [`${entry}02${index}`, '/usr/bin/backup'],
      [`${entry}03${index}`, '--target vault'],
    ],
    true,
  ],
  ['continues with other objects', [['2b06010401bf080103020300', '1']], false],
  ['has an input only', [[`${entry}04${index}`, 'yes']], false],
])('evaluates an agent that %s', async (_, variables, expected) => {
  await using peer = await udpPeer((received) =>
    received.includes('public') ? answerWith(received.includes(0xa5) ? variables : [description]) : null,
  )
  const { found, seen } = await runNativeChecks(peer, { protocol: 'snmp', transport: 'udp' })
  expect(found.includes('snmp-extend-exposed')).toBe(expected)
  expect(JSON.stringify(seen).includes(String.raw`nsExtendArgs.\"backup\" = --target vault`)).toBe(expected)
})
