import { constants, createPublicKey, publicEncrypt } from 'node:crypto'
import { checkInfo, type NativeCheck } from '#native/native-check.ts'
import type { TcpConnection } from '#net/tcp.ts'
import { bytes, hex } from '#wire.ts'

const noPassword = checkInfo({
  id: 'spice-no-password',
  name: 'SPICE exposed without authentication',
  severity: 'critical',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
  score: 9.8,
  summary: 'The SPICE server accepts connections to the desktop of a virtual machine without a password.',
  impact:
    'An attacker can see and control the desktop of the virtual machine, and restart the machine from its console.',
  remediation:
    "Set a password (QEMU: `-object secret,id=spice,file=PATH -spice …,password-secret=spice`; libvirt: `<graphics type='spice' passwd='…'/>`), and bind the server to localhost.",
  reference: 'https://www.qemu.org/docs/master/system/invocation.html',
  tags: 'misconfig spice qemu unauth network',
  verifiedOn: 'qemu-spice',
})

/**
 * A link to an inputs channel of a session that doesn't exist, by a client that selects its authentication. A link to
 * the main channel would disconnect a user.
 */
export const spiceLink: Buffer = Buffer.concat([
  bytes('REDQ'),
  hex('02000000 02000000 16000000'), // version 2.2, 22 bytes
  hex('ffffff7f 03 00 01000000 00000000 12000000'), // session, inputs channel 0, one word of capabilities at 18
  hex('03000000'), // authentication is selected; passwords are supported
])
const passwordAuthentication: Buffer = hex('01000000')

const headerLength = 16
const keyLength = 162
/** Results of a link (`SpiceLinkErr` in spice-protocol). */
const result = { ok: 0, permissionDenied: 7, unknownSession: 8 } as const
const readOptions = { firstByteMs: 4000, idleMs: 500, totalMs: 6000 }

/** Sends an empty password. The session is only looked up once the password is accepted. */
export const spice: NativeCheck = {
  checks: [noPassword],
  appliesTo: ({ protocol }) => protocol === 'spice',
  async run(context) {
    const outcome = await context.withConnection(linkWithoutPassword)
    if (outcome === result.permissionDenied) return { [noPassword.id]: null }
    if (outcome !== result.ok && outcome !== result.unknownSession) return {}
    const answer = outcome === result.ok ? 'link accepted' : 'password accepted, unknown session'
    const request = 'link to a session that does not exist, with an empty password'
    return { [noPassword.id]: { request, answer, highlights: [answer] } }
  },
}

/** @returns undefined if the server requires TLS, SASL, or another version */
async function linkWithoutPassword(connection: Pick<TcpConnection, 'read' | 'write'>): Promise<number | undefined> {
  connection.write(spiceLink)
  const reply = await connection.read({
    ...readOptions,
    enough: (all) => all.length >= headerLength && all.length >= headerLength + all.readUInt32LE(12),
  })
  if (reply.length < headerLength + 4 + keyLength || reply.readUInt32LE(headerLength) !== result.ok) return undefined
  const key = publicKeyOf(reply.subarray(headerLength + 4, headerLength + 4 + keyLength))
  if (!key) return undefined
  const password = publicEncrypt({ key, padding: constants.RSA_PKCS1_OAEP_PADDING }, Buffer.alloc(1))
  connection.write(Buffer.concat([passwordAuthentication, password]))
  const outcome = await connection.read({ ...readOptions, enough: (all) => all.length >= 4 })
  return outcome.length < 4 ? undefined : outcome.readUInt32LE(0)
}

function publicKeyOf(der: Buffer): ReturnType<typeof createPublicKey> | undefined {
  try {
    return createPublicKey({ key: der, format: 'der', type: 'spki' })
  } catch {
    return undefined
  }
}
