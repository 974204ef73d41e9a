import { bytes } from '#wire.ts'
import { checkInfo } from '#native/native-check.ts'
import type { NativeCheck, Proof } from '#native/native-check.ts'
import type { TcpConnection } from '#net/tcp.ts'

const noPassword = checkInfo({
  id: 'vnc-no-password',
  name: 'VNC exposed without authentication',
  severity: 'critical',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
  score: 9.8,
  summary: 'The VNC server accepts connections without a password (security type None).',
  impact: 'An attacker can see and control the desktop.',
  remediation:
    'Set a password, bind the server to localhost (`-localhost` in TigerVNC), and use an SSH tunnel or VPN for remote access.',
  reference: 'https://www.rfc-editor.org/rfc/rfc6143#section-7.2.1',
  tags: 'misconfig vnc unauth network',
})
const cleartext = checkInfo({
  id: 'vnc-cleartext',
  name: 'VNC without encryption',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 5.9,
  summary: 'None of the security types that the VNC server offers encrypts the session.',
  impact:
    'An attacker on the network path can read screen contents and keystrokes, and crack the password from its challenge-response exchange.',
  remediation:
    'Offer only encrypted security types (TigerVNC: `-SecurityTypes X509Vnc,TLSVnc`), or tunnel VNC through SSH or a VPN.',
  reference: 'https://www.rfc-editor.org/rfc/rfc6143#section-9',
  tags: 'misconfig vnc cleartext network',
})

/** Names of security types (RFC 6143, section 7.2, and IANA's registry). */
const typeNames: Readonly<Record<number, string>> = {
  1: 'None',
  2: 'VNC Authentication',
  5: 'RA2',
  6: 'RA2ne',
  16: 'Tight',
  17: 'Ultra',
  18: 'TLS',
  19: 'VeNCrypt',
  20: 'SASL',
  30: 'Apple',
  33: 'Apple',
  35: 'Apple',
  129: 'RA256',
}
const none = 1
const unencrypted: ReadonlySet<number> = new Set([none, 2, 16, 17])
const readOptions = { firstByteMs: 4000, idleMs: 200, totalMs: 6000 }

/**
 * Reads the security types on a single connection, because servers block clients that connect
 * repeatedly without logging in. Selects no type.
 */
export const vnc: NativeCheck = {
  checks: [noPassword, cleartext],
  appliesTo: ({ protocol }) => protocol === 'vnc',
  async run(context) {
    const types = await context.withConnection(offeredTypes)
    if (!types) return {}
    const answer = `security types: ${types.map((type) => `${type} ${typeNames[type] ?? ''}`.trim()).join(', ')}`
    const proof = (highlight: string): Proof => ({
      request: 'RFB handshake',
      answer,
      highlights: [highlight],
    })
    const isClear = types.every((type) => unencrypted.has(type))
    return {
      [noPassword.id]: types.includes(none) ? proof('1 None') : null,
      [cleartext.id]: isClear ? proof(answer) : null,
    }
  },
}

export type RfbConnection = Pick<TcpConnection, 'read' | 'write'>

/** The offered security types; undefined when the server rejects the connection by offering none. */
export async function offeredTypes(connection: RfbConnection): Promise<readonly number[] | undefined> {
  const greeting = (await connection.read({ ...readOptions, enough: (all) => all.length >= 12 })).toString('latin1')
  const [, major = '', minor = ''] = /^RFB (\d{3})\.(\d{3})/.exec(greeting) ?? []
  if (major === '') return undefined
  const isOld = Number(major) < 4 && Number(minor) < 7
  connection.write(bytes(isOld ? 'RFB 003.003\n' : 'RFB 003.008\n'))
  const received = await connection.read({
    ...readOptions,
    enough: (all) => all.length >= (isOld ? 4 : 1 + (all[0] ?? 0)),
  })
  // Version 3.3 servers select the type and send it in four bytes; later versions send a list.
  const types = isOld ? [...received.subarray(3, 4)] : [...received.subarray(1, 1 + (received[0] ?? 0))]
  const isWhole = isOld ? received.length === 4 && received.readUIntBE(0, 3) === 0 : types.length === received[0]
  return isWhole && types.length > 0 && !types.includes(0) ? types : undefined
}
