/** Authentication of IPMI management controllers over LAN. No session is established. */
import { hex } from '#wire.ts'
import { checkInfo, type NativeCheck, type NativeContext, type Proof } from '#native/native-check.ts'

const controls = { cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H', score: 9.8, severity: 'critical' } as const
const anonymous = checkInfo({
  id: 'ipmi-anonymous-login',
  name: 'IPMI anonymous login enabled',
  ...controls,
  summary:
    'The management controller reports that it accepts an empty username with an empty password. The check did not log in.',
  impact:
    'An attacker can read sensors and logs, turn off the server, or take it over, depending on the privileges of that user.',
  remediation:
    'Disable the unnamed user with `ipmitool user disable 1`, or give it a strong password. Connect management controllers to an isolated network only.',
  reference:
    'https://www.cisa.gov/news-events/alerts/2013/07/26/risks-using-intelligent-platform-management-interface-ipmi',
  tags: 'default-login misconfig ipmi unauth network udp',
  verifiedOn: 'ipmi',
})
const cipherZero = checkInfo({
  id: 'ipmi-cipher-zero',
  name: 'IPMI cipher suite zero authentication bypass',
  ...controls,
  summary:
    'The management controller accepts sessions with cipher suite 0, which has no authentication, integrity, or encryption. The check did not complete the session.',
  impact: 'An attacker who knows a username can log in with any password and take control of the server.',
  remediation:
    'Disable cipher suite 0: `ipmitool lan set 1 cipher_privs Xaaaaaaaaaaaaaa`. Connect management controllers to an isolated network only.',
  reference:
    'https://www.cisa.gov/news-events/alerts/2013/07/26/risks-using-intelligent-platform-management-interface-ipmi',
  tags: 'misconfig ipmi auth-bypass unauth network udp',
})

/** Get Channel Authentication Capabilities of this channel for administrators (IPMI 2.0, section 22.13). */
const capabilitiesQuery = hex('0600ff07 00 00000000 00000000 09 2018c8 8100388e04b5')
/**
 * RMCP+ Open Session Request for the highest privilege level, with session ID 474c4143 and the algorithms "none" for
 * authentication, integrity, and confidentiality (IPMI 2.0, section 13.17).
 */
const openSession = hex(
  '0600ff07 06 10 00000000 00000000 2000 00000000 474c4143 0000000800000000 0100000800000000 0200000800000000',
)
const waitMs = 1500

export const ipmi: NativeCheck = {
  checks: [anonymous, cipherZero],
  appliesTo: ({ protocol, transport }) => protocol === 'ipmi' && transport === 'udp',
  async run(context) {
    const isAnonymous = await readAnonymous(context)
    const isZero = await readCipherZero(context)
    return {
      ...(isAnonymous !== undefined && { [anonymous.id]: isAnonymous }),
      ...(isZero !== undefined && { [cipherZero.id]: isZero }),
    }
  },
}

async function readAnonymous(context: NativeContext): Promise<Proof | null | undefined> {
  const response = await context.sendDatagram(capabilitiesQuery, { waitMs })
  if (response.kind !== 'answer') return undefined
  const message = response.bytes.subarray(14)
  // Network function App (response), the command, and completion code 0.
  if (message.length < 10 || message[1] !== 0x1c || message[5] !== 0x38 || message[6] !== 0) return undefined
  const status = message[9] ?? 0
  if ((status & 1) === 0) return null
  const answer = `Authentication status ${status.toString(16).padStart(2, '0')}h: anonymous login enabled`
  return {
    request: 'Get Channel Authentication Capabilities',
    answer,
    highlights: ['anonymous login enabled'],
    quality: 95,
  }
}

async function readCipherZero(context: NativeContext): Promise<Proof | null | undefined> {
  const response = await context.sendDatagram(openSession, { waitMs })
  if (response.kind !== 'answer') return undefined
  const { bytes } = response
  // RMCP+ with payload type Open Session Response.
  if (bytes[4] !== 6 || bytes[5] !== 0x11 || bytes.length < 24) return undefined
  if (bytes[17] !== 0) return null
  const isAccepted = bytes.length >= 52 && bytes.toString('latin1', 20, 24) === 'GLAC'
  const isNone = [32, 40, 48].every((at) => ((bytes[at] ?? 1) & 0x3f) === 0)
  if (!isAccepted || !isNone) return null
  const answer = 'RMCP+ Open Session Response: no errors, algorithms none, none, none'
  return { request: 'RMCP+ Open Session Request, cipher suite 0', answer, highlights: ['no errors'] }
}
