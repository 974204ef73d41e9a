import { bytes, checkInfo } from '#native/native.ts'
import type { NativePlace, NativeSubject, Proof, Verdicts } from '#native/native.ts'
import { loginMethods } from '#native/ssh-session.ts'
import { packetsIn, readLists, type KexLists } from '#native/ssh-wire.ts'

/** Key exchanges, ciphers, MACs and host keys that RFC 9142, RFC 8758 and OpenSSH's own defaults have left behind. */
const weak = {
  kex: /^(diffie-hellman-group1-sha1|diffie-hellman-group-exchange-sha1|rsa1024-sha1)$/,
  cipher: /(-cbc(@.*)?$|^arcfour|^3des|^blowfish|^cast128|^des-|^none$)/,
  mac: /(md5|sha1-96|^none$|ripemd)/,
  hostKey: /^ssh-dss/,
}
const remedy = (setting: string) =>
  `Name only what is sound in ${setting} of sshd_config, or leave the setting out: the defaults of a current server are good.`

const weakKex = checkInfo({
  id: 'ssh-kex-weak',
  name: 'SSH offers a weak key exchange',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 5.9,
  summary: 'The server still offers a key exchange with a group of 1,024 bits or with SHA-1.',
  impact: 'Whoever records a session that was agreed upon that way may be able to read it later.',
  remediation: remedy('KexAlgorithms'),
  reference: 'https://www.rfc-editor.org/rfc/rfc9142',
  tags: 'misconfig ssh crypto network',
})
const weakCipher = checkInfo({
  id: 'ssh-cipher-weak',
  name: 'SSH offers weak ciphers',
  severity: 'low',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:L/I:N/A:N',
  score: 3.7,
  summary: 'The server offers ciphers in CBC mode, RC4 or others that are out of use.',
  impact: 'An attacker in the path may recover parts of a session.',
  remediation: remedy('Ciphers'),
  reference: 'https://www.rfc-editor.org/rfc/rfc8758',
  tags: 'misconfig ssh crypto network',
})
const weakMac = checkInfo({
  id: 'ssh-mac-weak',
  name: 'SSH offers weak integrity checks',
  severity: 'low',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:N/I:L/A:N',
  score: 3.7,
  summary: 'The server offers message authentication with MD5 or with a shortened hash.',
  impact: 'The integrity of a session rests on a hash that no longer deserves trust.',
  remediation: remedy('MACs'),
  reference: 'https://www.rfc-editor.org/rfc/rfc6151',
  tags: 'misconfig ssh crypto network',
})
const weakHostKey = checkInfo({
  id: 'ssh-host-key-weak',
  name: 'SSH host key of type DSA',
  severity: 'low',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:L/I:N/A:N',
  score: 3.7,
  summary: 'The server proves itself with a DSA key, which has 1,024 bits and SHA-1.',
  impact: 'The key may be broken and the server impersonated.',
  remediation: 'Remove the DSA host key and keep an Ed25519 and an RSA key.',
  reference: 'https://www.openssh.com/releasenotes.html',
  tags: 'misconfig ssh crypto network',
})
const passwords = checkInfo({
  id: 'ssh-password-login',
  name: 'SSH accepts passwords',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:L/I:L/A:N',
  score: 4.8,
  summary: 'The server lets people log in with a password; asked for user root it offers that way, too.',
  impact: 'Passwords can be guessed or reused, and machines try all day long.',
  remediation: 'Set PasswordAuthentication no and PermitRootLogin no (or prohibit-password), and use keys.',
  reference: 'https://man.openbsd.org/sshd_config#PasswordAuthentication',
  tags: 'misconfig ssh auth network',
})
const oldProtocol = checkInfo({
  id: 'ssh-protocol-1',
  name: 'SSH protocol version 1',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:H/A:N',
  score: 7.4,
  summary: 'The server still speaks version 1 of the SSH protocol.',
  impact: 'Sessions of that version can be read and changed by whoever stands in between.',
  remediation: 'Allow version 2 only, or replace the device.',
  reference: 'https://www.rfc-editor.org/rfc/rfc4251',
  tags: 'misconfig ssh crypto network',
})

/** What the key exchange offers, and how a person may log in. No key and no password is sent. */
export const ssh: NativeSubject = {
  checks: [weakKex, weakCipher, weakMac, weakHostKey, passwords, oldProtocol],
  concerns: ({ protocol }) => protocol === 'ssh',
  async examine(place) {
    const greeting = await greetingOf(place)
    if (!greeting) return {}
    const [, version = ''] = /^SSH-(\d\.\d+)-/.exec(greeting.text) ?? []
    const isOld = version.startsWith('1.')
    const old = isOld ? { request: '(listened)', answer: greeting.text, highlights: [`SSH-${version}`] } : null
    const lists = greeting.lists
    if (!lists) return isOld ? { [oldProtocol.id]: old } : {}
    return { [oldProtocol.id]: old, ...judged(lists, greeting.text), ...(await login(place)) }
  },
}

function judged(lists: KexLists, greeting: string): Verdicts {
  const told = Object.entries(lists).map(([name, list]) => `${name}: ${list.join(',')}`)
  const answer = [greeting.trim(), ...told].join('\n')
  const verdict = (offered: readonly string[], pattern: RegExp): Proof | null => {
    const bad = [...new Set(offered.filter((name) => pattern.test(name)))]
    return bad.length > 0 ? { request: 'SSH_MSG_KEXINIT (listened)', answer, highlights: bad } : null
  }
  return {
    [weakKex.id]: verdict(lists.kex, weak.kex),
    [weakCipher.id]: verdict([...lists.ciphersIn, ...lists.ciphersOut], weak.cipher),
    [weakMac.id]: verdict([...lists.macsIn, ...lists.macsOut], weak.mac),
    [weakHostKey.id]: verdict(lists.hostKeys, weak.hostKey),
  }
}

async function greetingOf(place: NativePlace): Promise<{ text: string; lists: KexLists | null } | undefined> {
  return place.speak(async (line) => {
    line.write(bytes('SSH-2.0-Glacis\r\n'))
    const isWhole = (all: Buffer) => packetsIn(afterGreeting(all)).length > 0
    const heard = await line.read({ firstByteMs: 4000, idleMs: 1000, totalMs: 6000, enough: isWhole })
    const text = heard.subarray(0, heard.length - afterGreeting(heard).length).toString('latin1')
    if (!/^SSH-/m.test(text)) return undefined
    const [first] = packetsIn(afterGreeting(heard))
    return { text: text.replace(/^[\s\S]*?(?=SSH-)/, ''), lists: first ? readLists(first) : null }
  })
}

/** Some servers say other lines before their version (RFC 4253, 4.2). */
function afterGreeting(heard: Buffer): Buffer {
  const [greeting = ''] = /^(?:(?!SSH-)[^\n]{0,500}\n){0,20}SSH-[^\n]{0,500}\n/.exec(heard.toString('latin1')) ?? []
  return greeting === '' ? Buffer.alloc(0) : heard.subarray(greeting.length)
}

async function login(place: NativePlace): Promise<Verdicts> {
  const methods = await place.speak((line) => loginMethods(line, 'root'))
  if (!methods) return {}
  const answer = `SSH_MSG_USERAUTH_FAILURE, ways that can continue: ${methods.join(',')}`
  const isOffered = methods.includes('password')
  const request = 'SSH_MSG_USERAUTH_REQUEST user=root service=ssh-connection method=none'
  return { [passwords.id]: isOffered ? { request, answer, highlights: ['password'] } : null }
}
