import { expect, it } from 'vitest'
import { runNativeChecks, udpPeer } from '#native/testing/examine.ts'
import { hex } from '#wire.ts'

/** A response in aggressive mode with one payload. */
function answerWith(type: number, received: Buffer): Buffer {
  const payload = Buffer.concat([hex('00 00 0018'), Buffer.alloc(20, 1)])
  const rest = Buffer.concat([Buffer.alloc(8, 2), Buffer.from([type]), hex('10 04 00 00000000 00000034')])
  return Buffer.concat([received.subarray(0, 8), rest, payload])
}

it.each([
  ['sends a hash of its pre-shared key', 8, ['ike-aggressive-mode']],
  ['rejects aggressive mode', 11, []],
] as const)('examines a gateway that %s', async (_, type, expected) => {
  await using peer = await udpPeer((received) => answerWith(type, received))
  const { found, covered } = await runNativeChecks(peer, { protocol: 'ike', transport: 'udp' })
  expect([found, covered]).toEqual([expected, ['ike-aggressive-mode']])
})
