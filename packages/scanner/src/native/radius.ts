import { createHash, createHmac } from 'node:crypto'
import { bytes, hex } from '#wire.ts'
import { checkInfo, type NativeCheck } from '#native/native-check.ts'

const secret = 'testing123'
const defaultSecret = checkInfo({
  id: 'radius-default-secret',
  name: 'RADIUS server accepts the default shared secret',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:H/A:N',
  score: 7.4,
  summary: `The RADIUS server accepts the shared secret "${secret}", the default of FreeRADIUS.`,
  impact:
    'An attacker can guess user passwords. An attacker on the network path can also read passwords and forge access decisions.',
  remediation:
    'Generate a long random secret for each client in clients.conf, allow only known clients, and use RADIUS over TLS (RadSec).',
  reference: 'https://www.rfc-editor.org/rfc/rfc2865#section-3',
  tags: 'default-login radius freeradius network udp',
  verifiedOn: 'freeradius',
})

const authenticator = bytes('glacis-radius-16')

/** Status-Server (RFC 5997), signed with the secret. Authenticates no user. */
export const statusRequest: Buffer = signed()

function signed(): Buffer {
  const head = Buffer.concat([hex('0c 47 0026'), authenticator, hex('50 12')])
  const signature = createHmac('md5', secret).update(head).update(Buffer.alloc(16)).digest()
  return Buffer.concat([head, signature])
}

/** Whether the response is signed with the secret (RFC 2865, section 3). */
export function isRadiusAnswer(response: Buffer): boolean {
  if (response.length < 20 || response[1] !== 0x47 || response.readUInt16BE(2) > response.length) return false
  const digest = createHash('md5')
    .update(response.subarray(0, 4))
    .update(authenticator)
    .update(response.subarray(20, response.readUInt16BE(2)))
    .update(secret)
    .digest()
  return digest.equals(response.subarray(4, 20))
}

/** The probe that identified the service, again: only servers with this secret respond to it. */
export const radius: NativeCheck = {
  checks: [defaultSecret],
  appliesTo: ({ protocol, transport }) => protocol === 'radius' && transport === 'udp',
  async run(context) {
    const response = await context.sendDatagram(statusRequest, { waitMs: 1500 })
    if (response.kind !== 'answer') return {}
    const answer = `Code ${response.bytes[0]}, signed with the secret "${secret}"`
    const proof = { request: `Status-Server, signed with the secret "${secret}"`, answer, highlights: [answer] }
    return { [defaultSecret.id]: isRadiusAnswer(response.bytes) ? proof : null }
  },
}
