import { bytes } from '#wire.ts'
import { checkInfo, type NativeContext, type NativeCheck, type Proof, type CheckResults } from '#native/native-check.ts'
import { offersGroupExchange, openSession, smallestGroupBits, type SshSession } from '#native/ssh-session.ts'
import { terrapin, terrapinProof } from '#native/ssh-terrapin.ts'
import { packetsIn, readLists, rsaBitsOf, type KexLists } from '#native/ssh-wire.ts'

/**
 * Key exchanges, ciphers, MACs, and host keys deprecated by RFC 9142, RFC 8758, and OpenSSH's
 * defaults.
 */
const weakPatterns = {
  kex: /^(diffie-hellman-group1-sha1|diffie-hellman-group-exchange-sha1|rsa1024-sha1)$/,
  cipher: /(-cbc(@|$)|^arcfour|^3des|^blowfish|^cast128|^des-|^none$)/,
  mac: /(md5|sha1-96|^none$|ripemd)/,
  hostKey: /^ssh-dss/,
}
const remediationFor = (setting: string) =>
  `Remove the weak algorithms from \`${setting}\` in sshd_config, or delete the line: the defaults of a current OpenSSH release are secure. For other SSH servers, update the software or firmware.`

const weakKex = checkInfo({
  id: 'ssh-kex-weak',
  name: 'Weak SSH key exchange algorithms enabled',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 5.9,
  summary: 'The SSH server supports a key exchange that relies on SHA-1 or a 1024-bit group.',
  impact: 'An attacker who records a session that uses one of these algorithms may be able to decrypt it later.',
  remediation: remediationFor('KexAlgorithms'),
  reference: 'https://www.rfc-editor.org/rfc/rfc9142',
  tags: 'misconfig ssh crypto network',
  verifiedOn: 'asyncssh asyncssh-group-exchange openssh proftpd-sftp ssh2-server',
})
const weakCipher = checkInfo({
  id: 'ssh-cipher-weak',
  name: 'Weak SSH ciphers enabled (CBC, RC4)',
  severity: 'low',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:L/I:N/A:N',
  score: 3.7,
  summary: 'The SSH server supports obsolete ciphers such as CBC mode or RC4 (arcfour).',
  impact: "An attacker on the network path may be able to recover parts of a session's plaintext.",
  remediation: remediationFor('Ciphers'),
  reference: 'https://www.rfc-editor.org/rfc/rfc8758',
  tags: 'misconfig ssh crypto network',
  verifiedOn: 'asyncssh openssh proftpd-sftp ssh2-server',
})
const weakMac = checkInfo({
  id: 'ssh-mac-weak',
  name: 'Weak SSH MAC algorithms enabled',
  severity: 'low',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:N/I:L/A:N',
  score: 3.7,
  summary:
    'The SSH server supports message authentication codes that are based on MD5 or RIPEMD-160 or use a truncated hash.',
  impact: 'An attacker on the network path may be able to modify a session without being detected.',
  remediation: remediationFor('MACs'),
  reference: 'https://www.rfc-editor.org/rfc/rfc6151',
  tags: 'misconfig ssh crypto network',
  verifiedOn: 'asyncssh openssh proftpd-sftp ssh2-server',
})
const weakHostKey = checkInfo({
  id: 'ssh-host-key-weak',
  name: 'Weak SSH host key (DSA, or RSA shorter than 2048 bits)',
  severity: 'low',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:L/I:N/A:N',
  score: 3.7,
  summary:
    'The SSH server offers a DSA host key, which is limited to 1024 bits and SHA-1, or an RSA host key shorter than 2048 bits.',
  impact: 'An attacker may be able to break the key and impersonate the server.',
  remediation:
    'Remove the `HostKey` line of the weak key from sshd_config and use Ed25519 host keys, or RSA host keys of at least 3072 bits.',
  reference: 'https://www.openssh.com/releasenotes.html',
  tags: 'misconfig ssh crypto network',
  verifiedOn: 'ssh2-server',
})
const passwords = checkInfo({
  id: 'ssh-password-login',
  name: 'SSH password authentication enabled',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:L/I:L/A:N',
  score: 4.8,
  summary: 'The SSH server offers password authentication, including for the user `root`.',
  impact: 'An attacker can guess passwords or try leaked ones. Exposed SSH servers are attacked this way constantly.',
  remediation:
    'Use keys, and set `PasswordAuthentication no`, `KbdInteractiveAuthentication no`, and `PermitRootLogin prohibit-password` in sshd_config.',
  reference: 'https://man.openbsd.org/sshd_config#PasswordAuthentication',
  tags: 'misconfig ssh auth network',
  verifiedOn: 'asyncssh dropbear openssh sftpgo',
})
const noAuthentication = checkInfo({
  id: 'ssh-no-authentication',
  name: 'SSH exposed without authentication',
  severity: 'critical',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
  score: 9.8,
  summary:
    'The SSH server accepts the user `root` without a password or key (method `none`). The check opened no shell and ran no command.',
  impact: 'An attacker can log in and use what the server offers, such as a shell or port forwarding.',
  remediation:
    'Require keys or passwords for all users. In servers built with a library, reject the method `none`. OpenSSH only accepts it for users with an empty password: set `PermitEmptyPasswords no`.',
  reference: 'https://www.rfc-editor.org/rfc/rfc4252#section-5.2',
  tags: 'misconfig ssh auth unauth network',
  verifiedOn: 'ssh2-server',
})
const oldProtocol = checkInfo({
  id: 'ssh-protocol-1',
  name: 'SSH protocol version 1 supported',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:H/A:N',
  score: 7.4,
  summary: 'The SSH server supports version 1 of the SSH protocol, which SSH 2 replaced because of design flaws.',
  impact: 'An attacker on the network path can read and modify sessions that use version 1.',
  remediation:
    'Allow only version 2 (`Protocol 2` in older OpenSSH versions, `ip ssh version 2` in Cisco IOS), or replace the device.',
  reference: 'https://www.rfc-editor.org/rfc/rfc4251',
  tags: 'misconfig ssh crypto network',
})

/** Reads the offered algorithms and authentication methods. Sends no key or password. */
export const ssh: NativeCheck = {
  checks: [weakKex, weakCipher, weakMac, weakHostKey, passwords, noAuthentication, oldProtocol, terrapin],
  appliesTo: ({ protocol }) => protocol === 'ssh',
  async run(context) {
    const greeting = await greetingOf(context)
    if (!greeting) return {}
    const [, version = ''] = /^SSH-(\d\.\d+)-/.exec(greeting.text) ?? []
    const isOld = version.startsWith('1.')
    const old = isOld ? { request: 'SSH-2.0-Glacis', answer: greeting.text, highlights: [`SSH-${version}`] } : null
    const lists = greeting.lists
    if (!lists) return isOld ? { [oldProtocol.id]: old } : {}
    const session = await context.withConnection((connection) => openSession(connection, 'root'))
    const offered = algorithmResults(lists, greeting.text)
    return {
      [oldProtocol.id]: old,
      ...offered,
      ...(await groupResult(context, offered, lists)),
      ...hostKeyResult(offered, session),
      ...login(session),
    }
  },
}

function algorithmResults(lists: KexLists, greeting: string): CheckResults {
  const listed = Object.entries(lists).map(([name, list]) => `${name}: ${list.join(',')}`)
  const response = [greeting.trim(), ...listed].join('\n')
  const verdict = (offered: readonly string[], pattern: RegExp): Proof | null => {
    const weakNames = [...new Set(offered.filter((name) => pattern.test(name)))]
    return weakNames.length > 0 ? { request: 'SSH-2.0-Glacis', answer: response, highlights: weakNames } : null
  }
  return {
    [weakKex.id]: verdict(lists.kex, weakPatterns.kex),
    [weakCipher.id]: verdict([...lists.ciphersIn, ...lists.ciphersOut], weakPatterns.cipher),
    [weakMac.id]: verdict([...lists.macsIn, ...lists.macsOut], weakPatterns.mac),
    [weakHostKey.id]: verdict(lists.hostKeys, weakPatterns.hostKey),
    [terrapin.id]: terrapinProof(lists, response),
  }
}

const groupBitsMin = 2048

/** The size of a negotiated group is only known once the server has chosen it. */
async function groupResult(context: NativeContext, offered: CheckResults, { kex }: KexLists): Promise<CheckResults> {
  if (offered[weakKex.id] || !offersGroupExchange(kex)) return {}
  const bits = await context.withConnection(smallestGroupBits)
  if (bits === undefined || bits >= groupBitsMin) return {}
  const answer = `SSH_MSG_KEX_DH_GEX_GROUP: prime of ${bits} bits`
  return { [weakKex.id]: { request: 'SSH_MSG_KEX_DH_GEX_REQUEST for 1024 bits', answer, highlights: [`${bits} bits`] } }
}

async function greetingOf(context: NativeContext): Promise<{ text: string; lists: KexLists | null } | undefined> {
  return context.withConnection(async (connection) => {
    connection.write(bytes('SSH-2.0-Glacis\r\n'))
    const isWhole = (all: Buffer) => packetsIn(afterGreeting(all)).length > 0
    const received = await connection.read({ firstByteMs: 4000, idleMs: 1000, totalMs: 6000, enough: isWhole })
    const text = received.subarray(0, received.length - afterGreeting(received).length).toString('latin1')
    if (!/^SSH-/m.test(text)) return undefined
    const [first] = packetsIn(afterGreeting(received))
    return { text: text.slice(text.indexOf('SSH-')), lists: first ? readLists(first) : null }
  })
}

/** Some servers send other lines before their version (RFC 4253, section 4.2). */
function afterGreeting(received: Buffer): Buffer {
  const [greeting = ''] = /^(?:(?!SSH-)[^\n]{0,500}\n){0,20}SSH-[^\n]{0,500}\n/.exec(received.toString('latin1')) ?? []
  return greeting === '' ? Buffer.alloc(0) : received.subarray(greeting.length)
}

const rsaBitsMin = 2048

/** The offered names show DSA; the size of an RSA key is only known once the server has sent it. */
function hostKeyResult(offered: CheckResults, session: SshSession | undefined): CheckResults {
  const bits = session && rsaBitsOf(session.hostKey)
  if (offered[weakHostKey.id] || bits === undefined || bits >= rsaBitsMin) return {}
  const answer = `ssh-rsa host key of ${bits} bits`
  return { [weakHostKey.id]: { request: 'SSH_MSG_KEXINIT', answer, highlights: [`${bits} bits`] } }
}

function login(session: SshSession | undefined): CheckResults {
  if (!session) return {}
  const { methods } = session
  const request = 'SSH_MSG_USERAUTH_REQUEST user=root service=ssh-connection method=none'
  if (!methods) {
    const success = 'SSH_MSG_USERAUTH_SUCCESS'
    return { [noAuthentication.id]: { request, answer: success, highlights: [success] }, [passwords.id]: null }
  }
  const answer = `SSH_MSG_USERAUTH_FAILURE, authentications that can continue: ${methods.join(',')}`
  const isOffered = methods.includes('password')
  return {
    [noAuthentication.id]: null,
    [passwords.id]: isOffered ? { request, answer, highlights: ['password'] } : null,
  }
}
