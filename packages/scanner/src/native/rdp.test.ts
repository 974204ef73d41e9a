import { describe, expect, it } from 'vitest'
import { readConfirm } from '#native/rdp-wire.ts'
import { desktop } from '#native/testing/desktop.ts'
import { answering, runNativeChecks, tcpPeer } from '#native/testing/examine.ts'
import { certificateFor } from '#template/testing/certificate.ts'

const rdp = { protocol: 'rdp' }
const certificate = certificateFor({ name: 'desk.lab.test' })
const own = ({ found }: { found: string[] }) => found.filter((id) => id.startsWith('rdp-'))

describe.concurrent('remote desktops', () => {
  it('finds a server without Network Level Authentication', async () => {
    await using peer = await tcpPeer(desktop({ accepts: [2, 1], certificate }))
    expect(own(await runNativeChecks(peer, rdp))).toEqual(['rdp-no-nla'])
  })
  it.each([{ accepts: [1, 0] }, { accepts: [0] }, { accepts: [], lacksNegotiation: true }])(
    'finds a server without TLS: %j',
    async (settings) => {
      await using peer = await tcpPeer(desktop(settings))
      expect(own(await runNativeChecks(peer, rdp))).toEqual(['rdp-no-nla', 'rdp-no-tls'])
    },
  )
  it('finds nothing when Network Level Authentication is required, and reports coverage', async () => {
    await using peer = await tcpPeer(desktop({ accepts: [2], certificate }))
    const result = await runNativeChecks(peer, rdp)
    expect(own(result)).toEqual([])
    expect(result.covered).toEqual(expect.arrayContaining(['rdp-no-nla', 'rdp-no-tls']))
  })
  it('checks the certificate after the negotiation', async () => {
    const weak = certificateFor({ name: 'desk.lab.test', rsaBits: 1024, days: -2 })
    await using peer = await tcpPeer(desktop({ accepts: [2], certificate: weak }))
    expect((await runNativeChecks(peer, rdp)).found).toEqual(expect.arrayContaining(['starttls-certificate-expired']))
  })
  it.each(['', 'HTTP/1.1 400 Bad Request\r\n\r\n'])('is inconclusive without a negotiation: %j', async (reply) => {
    await using peer = await tcpPeer(answering('', () => reply))
    expect((await runNativeChecks(peer, rdp)).seen).toEqual([])
  })
  it.each(['0300000b06d0', '030000130ed000001234000400080000000000', '030000130ed00000123400020008'])(
    'returns undefined for %s',
    (packet) => {
      expect(readConfirm(Buffer.from(packet, 'hex'))).toBeUndefined()
    },
  )
})
