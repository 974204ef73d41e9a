/** SSH servers that open a channel before the client has authenticated. */
import { randomBytes } from 'node:crypto'
import { checkInfo, type NativeCheck, type NativeContext, type Proof } from '#native/native-check.ts'
import { encrypt, type EncryptedConnection } from '#native/ssh-session.ts'
import { string } from '#native/ssh-wire.ts'

const bypass = checkInfo({
  id: 'ssh-authentication-bypass',
  name: 'SSH authentication bypass',
  severity: 'critical',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
  score: 9.8,
  summary:
    'The SSH server opened a session channel for an unauthenticated client, as vulnerable versions of Erlang/OTP (CVE-2025-32433), libssh (CVE-2018-10933), Paramiko (CVE-2018-7750), and AsyncSSH (CVE-2018-7749) do. The check closed the channel without using it.',
  impact:
    'An unauthenticated attacker can do anything that an authenticated user can, which often includes running commands. Exploited in the wild.',
  remediation:
    'Update the library of the SSH server: Erlang/OTP 27.3.3, 26.2.5.11, or 25.3.2.20; libssh 0.8.4 or 0.7.6; Paramiko 2.4.1, 2.3.2, 2.2.3, 2.1.5, or 2.0.8; AsyncSSH 1.12.1; or later.',
  reference: 'https://nvd.nist.gov/vuln/detail/CVE-2025-32433',
  tags: 'cve kev ssh auth-bypass network',
  verifiedOn: 'paramiko',
})

const channelOpen = 90
const channelConfirmation = 91
const channelFailure = 92
const channelClose = 97
const authenticated = 52
const disconnect = 1
/** SSH_MSG_IGNORE, SSH_MSG_DEBUG, SSH_MSG_EXT_INFO, and requests about host keys may come first. */
const packetsMax = 5
const windowBytes = 32_768

/** Opens a channel directly and, for libssh, after a message that only servers send. */
export const sshChannel: NativeCheck = {
  checks: [bypass],
  appliesTo: ({ protocol }) => protocol === 'ssh',
  async run(context) {
    const direct = await opened(context, [])
    if (direct) return { [bypass.id]: direct }
    const announced = await opened(context, [Buffer.from([authenticated])])
    if (announced) return { [bypass.id]: announced }
    return direct === undefined && announced === undefined ? {} : { [bypass.id]: null }
  },
}

/** Undefined when the algorithms have nothing in common or the connection failed. */
async function opened(context: NativeContext, before: readonly Buffer[]): Promise<Proof | null | undefined> {
  return context.withConnection(async (connection) => {
    const { secure } = (await encrypt(connection)) ?? {}
    if (!secure) return undefined
    const channel = randomBytes(4)
    for (const payload of before) secure.write(payload)
    secure.write(openRequest(channel))
    const remote = await confirmation(secure, channel)
    if (!remote) return null
    secure.write(Buffer.concat([Buffer.from([channelClose]), remote]))
    secure.write(Buffer.concat([Buffer.from([disconnect, 0, 0, 0, 11]), string(''), string('')]))
    const first = before.length > 0 ? 'SSH_MSG_USERAUTH_SUCCESS, ' : ''
    const answer = 'SSH_MSG_CHANNEL_OPEN_CONFIRMATION before authentication'
    return {
      request: `${first}SSH_MSG_CHANNEL_OPEN type=session`,
      answer,
      highlights: ['SSH_MSG_CHANNEL_OPEN_CONFIRMATION'],
    }
  })
}

function openRequest(channel: Buffer): Buffer {
  const sizes = Buffer.alloc(8)
  sizes.writeUInt32BE(windowBytes)
  sizes.writeUInt32BE(windowBytes, 4)
  return Buffer.concat([Buffer.from([channelOpen]), string('session'), channel, sizes])
}

/** The server's number for the channel. Our random number in the response shows that the server decrypted the request. */
async function confirmation(secure: EncryptedConnection, channel: Buffer): Promise<Buffer | undefined> {
  for (let index = 0; index < packetsMax; index++) {
    const payload = await secure.next()
    if (!payload || payload[0] === channelFailure || payload[0] === disconnect) return undefined
    const isConfirmation = payload[0] === channelConfirmation && payload.subarray(1, 5).equals(channel)
    if (isConfirmation) return payload.subarray(5, 9)
  }
  return undefined
}
