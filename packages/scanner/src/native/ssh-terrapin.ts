/** The Terrapin attack on the integrity of SSH handshakes (CVE-2023-48795). */
import { checkInfo, type Proof } from '#native/native-check.ts'
import type { KexLists } from '#native/ssh-wire.ts'

export const terrapin = checkInfo({
  id: 'CVE-2023-48795',
  name: 'SSH: prefix truncation attack (Terrapin)',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:N/I:H/A:N',
  score: 5.9,
  summary:
    'The SSH server offers ChaCha20-Poly1305, or CBC mode with an encrypt-then-MAC algorithm, without strict key exchange. The check compared the offered algorithms only.',
  impact:
    'An attacker on the network path can delete messages at the start of a session without detection, which turns off security extensions such as protection against keystroke timing.',
  remediation:
    'Update the SSH server to a release that supports strict key exchange (OpenSSH 9.6, Dropbear 2024.84, libssh 0.10.6, AsyncSSH 2.14.2, ssh2 1.15, or later). Otherwise, disable chacha20-poly1305@openssh.com and all -etm@openssh.com MACs.',
  reference: 'https://terrapin-attack.com/',
  tags: 'cve cve2023 ssh crypto network',
  verifiedOn: 'asyncssh-terrapin',
})

const strictMarker = 'kex-strict-s-v00@openssh.com'
const streamCipher = 'chacha20-poly1305@openssh.com'

/**
 * Compares what the server offers with the conditions of the attack. Strict key exchange, which the server announces
 * among its key exchanges, prevents it.
 */
export function terrapinProof({ kex, ciphersIn, ciphersOut, macsIn, macsOut }: KexLists, answer: string): Proof | null {
  if (kex.includes(strictMarker)) return null
  const affected = [...affectedIn(ciphersIn, macsIn), ...affectedIn(ciphersOut, macsOut)]
  return affected.length > 0 ? { request: 'SSH-2.0-Glacis', answer, highlights: [...new Set(affected)] } : null
}

/** Algorithms of one direction that the attack works with. */
function affectedIn(ciphers: readonly string[], macs: readonly string[]): string[] {
  const chained = ciphers.filter((name) => name.endsWith('-cbc'))
  const encryptThenMac = macs.filter((name) => name.endsWith('-etm@openssh.com'))
  const isChained = chained.length > 0 && encryptThenMac.length > 0
  return [...ciphers.filter((name) => name === streamCipher), ...(isChained ? [...chained, ...encryptThenMac] : [])]
}
