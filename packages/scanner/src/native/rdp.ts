import { checkInfo, type NativeContext, type NativeCheck, type Proof } from '#native/native-check.ts'
import {
  connectionRequest,
  describeChoice,
  isPacket,
  readConfirm,
  security,
  type RdpNegotiationResult,
} from '#native/rdp-wire.ts'

const noNla = checkInfo({
  id: 'rdp-no-nla',
  name: 'RDP without Network Level Authentication (NLA)',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:N/A:L',
  score: 6.5,
  summary:
    'The Remote Desktop server accepts connections without Network Level Authentication and shows its login screen to unauthenticated clients.',
  impact:
    'An attacker can reach code that Network Level Authentication would protect, and that has had vulnerabilities such as BlueKeep (CVE-2019-0708), and can exhaust memory by opening sessions.',
  remediation:
    'Require NLA in the system settings or by group policy ("Require user authentication for remote connections by using Network Level Authentication"), and allow RDP only through a VPN or an RD Gateway.',
  reference:
    'https://learn.microsoft.com/windows-server/remote/remote-desktop-services/clients/remote-desktop-allow-access',
  tags: 'misconfig rdp network',
})
const noTls = checkInfo({
  id: 'rdp-no-tls',
  name: 'RDP without TLS encryption',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 5.9,
  summary: 'The Remote Desktop server accepts standard RDP security, which does not authenticate the server.',
  impact: 'An attacker on the network path can impersonate the server, and read the session, including the password.',
  remediation:
    'Set the group policy "Require use of specific security layer for remote (RDP) connections" to SSL, and require Network Level Authentication. In xrdp, set `security_layer=tls`.',
  reference: 'https://learn.microsoft.com/openspecs/windows_protocols/ms-rdpbcgr/8e8b2cca-c1fa-456c-8ecb-a82fc60b2322',
  tags: 'misconfig rdp cleartext network',
  verifiedOn: 'xrdp',
})

const readOptions = { firstByteMs: 4000, idleMs: 200, enough: isPacket }

/** Two negotiations that offer weak security only; no login. */
export const rdp: NativeCheck = {
  checks: [noNla, noTls],
  appliesTo: ({ protocol }) => protocol === 'rdp',
  async run(context) {
    const weak = await negotiate(context, security.tls)
    const oldest = await negotiate(context, security.rdp)
    const open = [weak, oldest].find((attempt) => attempt?.choice.kind === 'chosen')
    return {
      ...((weak ?? oldest) && { [noNla.id]: open ? proofOf(open) : null }),
      ...(oldest && { [noTls.id]: oldest.choice.kind === 'chosen' ? proofOf(oldest) : null }),
    }
  },
}

interface Negotiation {
  readonly offeredProtocol: number
  readonly choice: RdpNegotiationResult
}

async function negotiate(context: NativeContext, offeredProtocol: number): Promise<Negotiation | undefined> {
  const received = await context.exchange(connectionRequest(offeredProtocol), readOptions)
  const choice = received && readConfirm(received)
  return choice && { offeredProtocol, choice }
}

function proofOf({ offeredProtocol, choice }: Negotiation): Proof {
  const offered = describeChoice({ kind: 'chosen', protocol: offeredProtocol })
  const taken = describeChoice(choice)
  const request = `X.224 connection request offering only ${offered}`
  return { request, answer: `selected: ${taken}`, highlights: [taken] }
}
