import { checkInfo } from '#native/native.ts'
import type { NativePlace, NativeSubject, Proof } from '#native/native.ts'
import { connectionRequest, describeChoice, isPacket, readConfirm, security } from '#native/rdp-wire.ts'
import type { RdpChoice } from '#native/rdp-wire.ts'

const noNla = checkInfo({
  id: 'rdp-no-nla',
  name: 'RDP without network level authentication',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:N/A:L',
  score: 6.5,
  summary: 'The remote desktop shows its log-in screen before anybody has proved who they are.',
  impact: 'Strangers reach the code behind the log-in, where flaws such as CVE-2019-0708 were, and bind its memory.',
  remediation:
    'Require network level authentication (NLA) for remote connections, and reach RDP by a VPN or a gateway.',
  reference:
    'https://learn.microsoft.com/windows-server/remote/remote-desktop-services/clients/remote-desktop-allow-access',
  tags: 'misconfig rdp network',
})
const noTls = checkInfo({
  id: 'rdp-no-tls',
  name: 'RDP without TLS',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 5.9,
  summary: 'The remote desktop agrees to the oldest protection of RDP, in which nothing proves who the server is.',
  impact: 'Someone on the way can pose as the server and read the session, its password included.',
  remediation: 'Set the security layer to SSL (TLS), and require network level authentication.',
  reference: 'https://learn.microsoft.com/openspecs/windows_protocols/ms-rdpbcgr/8e8b2cca-c1fa-456c-8ecb-a82fc60b2322',
  tags: 'misconfig rdp cleartext network',
})

const patience = { firstByteMs: 4000, idleMs: 200, enough: isPacket }

/** Two negotiations that offer less than a server should take; nobody logs in. */
export const rdp: NativeSubject = {
  checks: [noNla, noTls],
  concerns: ({ protocol }) => protocol === 'rdp',
  async examine(place) {
    const weak = await negotiated(place, security.tls)
    const oldest = await negotiated(place, security.rdp)
    const open = [weak, oldest].find((one) => one?.choice.kind === 'chosen')
    return {
      ...((weak ?? oldest) && { [noNla.id]: open ? proofOf(open) : null }),
      ...(oldest && { [noTls.id]: oldest.choice.kind === 'chosen' ? proofOf(oldest) : null }),
    }
  },
}

interface Negotiation {
  readonly asked: number
  readonly choice: RdpChoice
}

async function negotiated(place: NativePlace, asked: number): Promise<Negotiation | undefined> {
  const heard = await place.ask(connectionRequest(asked), patience)
  const choice = heard && readConfirm(heard)
  return choice && { asked, choice }
}

function proofOf({ asked, choice }: Negotiation): Proof {
  const offered = describeChoice({ kind: 'chosen', protocol: asked })
  const taken = describeChoice(choice)
  const request = `X.224 connection request, offering ${offered} alone`
  return { request, answer: `chosen: ${taken}`, highlights: [taken] }
}
