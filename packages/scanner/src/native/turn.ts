import { hex } from '#wire.ts'
import { checkInfo, type NativeCheck } from '#native/native-check.ts'

const openRelay = checkInfo({
  id: 'turn-open',
  name: 'TURN server exposed without authentication',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:L/I:L/A:N',
  score: 7.2,
  summary: 'The TURN server allocates relay addresses for unauthenticated clients. The check relayed no traffic.',
  impact: "An attacker can relay traffic from the server's address, and reach hosts on its internal network.",
  remediation:
    'Require credentials (`lt-cred-mech` or `use-auth-secret` in turnserver.conf), remove `no-auth`, and list internal networks in `denied-peer-ip`.',
  reference: 'https://www.rfc-editor.org/rfc/rfc8656#section-21',
  tags: 'misconfig turn stun coturn unauth network',
  verifiedOn: 'coturn',
})
const readOptions = { firstByteMs: 3000, idleMs: 200 }
const transaction = '2112a442 676c616369732d7475726e21'
/** Allocate with UDP as the transport, and Refresh with a lifetime of zero (RFC 8656, sections 7 and 8). */
const allocate = hex(`0003 0008 ${transaction} 0019 0004 11000000`)
const release = hex(`0004 0008 ${transaction} 000d 0004 00000000`)
const allocated = 0x0103
const refused = 0x0113

/** Allocates a relay address over TCP and releases it. */
export const turn: NativeCheck = {
  checks: [openRelay],
  appliesTo: ({ protocol, transport }) => protocol === 'stun' && transport === 'tcp',
  async run(context) {
    const response = await context.withConnection(async (connection) => {
      connection.write(allocate)
      const received = await connection.read(readOptions)
      if (received.length >= 20 && received.readUInt16BE(0) === allocated) {
        connection.write(release)
        await connection.read(readOptions)
      }
      return received
    })
    if (!response || response.length < 20) return {}
    const type = response.readUInt16BE(0)
    if (type !== allocated) return type === refused ? { [openRelay.id]: null } : {}
    const answer = `Allocate success response (0x0103) for relay port ${relayPort(response) ?? 'unknown'}`
    return { [openRelay.id]: { request: 'TURN Allocate without credentials', answer, highlights: [answer] } }
  },
}

/** The port in XOR-RELAYED-ADDRESS (RFC 8656, section 18.5). */
function relayPort(response: Buffer): number | undefined {
  const at = response.indexOf(hex('0016 0008 0001'))
  return at < 0 ? undefined : response.readUInt16BE(at + 6) ^ 0x2112
}
