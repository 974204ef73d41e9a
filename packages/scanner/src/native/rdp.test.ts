import { describe, expect, it } from 'vitest'
import { readConfirm } from '#native/rdp-wire.ts'
import { desktop } from '#native/testing/desktop.ts'
import { answering, examined, tcpPeer } from '#native/testing/examine.ts'
import { certificateFor } from '#template/testing/certificate.ts'

const rdp = { protocol: 'rdp' }
const certificate = certificateFor({ name: 'desk.lab.test' })
const own = ({ found }: { found: string[] }) => found.filter((id) => id.startsWith('rdp-'))

describe.concurrent('remote desktops', () => {
  it('finds one that shows its log-in screen to everyone', async () => {
    await using peer = await tcpPeer(desktop({ takes: [2, 1], certificate }))
    expect(own(await examined(peer, rdp))).toEqual(['rdp-no-nla'])
  })
  it.each([{ takes: [1, 0] }, { takes: [0] }, { takes: [], isAncient: true }])(
    'finds one that does without TLS: %j',
    async (settings) => {
      await using peer = await tcpPeer(desktop(settings))
      expect(own(await examined(peer, rdp))).toEqual(['rdp-no-nla', 'rdp-no-tls'])
    },
  )
  it('finds nothing on one that wants network level authentication, and says that it looked', async () => {
    await using peer = await tcpPeer(desktop({ takes: [2], certificate }))
    const seen = await examined(peer, rdp)
    expect(seen.found).toEqual([])
    expect(seen.covered).toEqual(expect.arrayContaining(['rdp-no-nla', 'rdp-no-tls']))
  })
  it('looks at the certificate behind the negotiation', async () => {
    const weak = certificateFor({ name: 'desk.lab.test', rsaBits: 1024, days: -2 })
    await using peer = await tcpPeer(desktop({ takes: [2], certificate: weak }))
    expect((await examined(peer, rdp)).found).toEqual(expect.arrayContaining(['starttls-certificate-expired']))
  })
  it.each(['', 'HTTP/1.1 400 Bad Request\r\n\r\n'])('says nothing of what does not negotiate: %j', async (reply) => {
    await using peer = await tcpPeer(answering('', () => reply))
    expect((await examined(peer, rdp)).seen).toEqual([])
  })
  it.each(['0300000b06d0', '030000130ed000001234000400080000000000', '030000130ed00000123400020008'])(
    'reads no choice from %s',
    (packet) => {
      expect(readConfirm(Buffer.from(packet, 'hex'))).toBeUndefined()
    },
  )
})
