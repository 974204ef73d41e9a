import { expect, it } from 'vitest'
import { runNativeChecks, udpPeer } from '#native/testing/examine.ts'

/** Responses of the OpenIPMI simulator. */
const capabilities = (status: string) => `0600ff0700000000000000000010811c63200038000197${status}03000000001c`
const opened =
  '0600ff0706110000000000000000240000000000474c41430200000000000008000000000100000800000000 0200000800000000'
/** Invalid authentication algorithm. */
const refused = '0600ff07061100000000000000000800 00040000474c4143'
const checks = ['ipmi-anonymous-login', 'ipmi-cipher-zero']

/** Responds to the query of capabilities, and to the request of a session. */
async function asked(first: string, second: string) {
  const bytes = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')
  await using peer = await udpPeer((received) => {
    if (received[5] === 0x10) return bytes(second)
    // The other message is a presence ping.
    return bytes(received.length === 23 ? first : '0600ff06')
  })
  const { found, covered } = await runNativeChecks(peer, { protocol: 'ipmi', transport: 'udp' })
  return [found, covered.filter((check) => checks.includes(check))]
}

it('reports anonymous login and cipher suite 0', async () => {
  expect(await asked(capabilities('05'), opened)).toEqual([checks, checks])
})

it('reports neither when a controller refuses both', async () => {
  expect(await asked(capabilities('04'), refused)).toEqual([[], checks])
})

it('reports no session with an algorithm other than the requested one', async () => {
  expect(await asked(capabilities('04'), opened.replace('0000000800000000', '0000000801000000'))).toEqual([[], checks])
})

it('is inconclusive without a valid response', async () => {
  expect(await asked('0600ff07', '0600ff07')).toEqual([[], []])
})
