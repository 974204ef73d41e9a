/** Passwords in files of a TFTP server: boot menus, the answers for installers that they name, and device configurations. */
import { bytes, hex } from '#wire.ts'
import { checkInfo, type NativeContext, type Proof } from '#native/native-check.ts'

export const tftpSecrets = checkInfo({
  id: 'tftp-secrets-readable',
  name: 'Passwords exposed in TFTP files',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 7.5,
  summary:
    'The TFTP server returns a file with a password or its hash to any client: a device configuration, a boot menu, or the answers for an unattended installation that the menu refers to.',
  impact: 'An attacker can sign in to the devices and computers that were set up with the file.',
  remediation:
    'Change the passwords. Serve such files only over HTTPS with authentication or in a separate installation network, and let installers set a random password or an SSH key.',
  reference: 'https://cwe.mitre.org/data/definitions/260.html',
  tags: 'exposure tftp secrets unauth network udp',
  verifiedOn: 'tftpd-hpa-installation',
})

const menus = 'pxelinux.cfg/default grub/grub.cfg boot/grub/grub.cfg grub.cfg boot.ipxe'.split(' ')
const namedMax = 3
const blockBytes = 512
const blocksMax = 64
const linesAround = 20
const mask = '******'
/** A path on this server, such as `url=tftp://192.0.2.1/ks/preseed.cfg` or `inst.ks=ks.cfg`. */
const named =
  /(?:^|[\s=;,])(?:tftp:\/\/[\w.:[\]-]{1,100}\/|file:\/\/)?\/{0,2}(\w[\w./-]{0,150}\.(?:cfg|ks|ya?ml|ipxe|txt|xml|conf))(?=[\s;,"']|$)/gim
const placeholder = String.raw`(?![<[*%]|\$\{|\{\{|x{3}|change|your|example|placeholder|redacted)`
const value = String.raw`["']?(${placeholder}[^\s"'<>,;]{6,200})`
/** Words without digits and special characters are often settings. */
const unusual = String.raw`(?=["']?[^\s"'<>/][^\s"'<>]{0,60}[\d!@#$%^&*+_./-])`
/** The group at the end is the password. */
const secrets: readonly RegExp[] = [
  // The answers of Debian, Red Hat, and SUSE
  new RegExp(
    String.raw`^[ \t]{0,9}d-i[ \t]{1,9}[\w/-]{0,40}(?:password|wpa|wep)[\w-]{0,30}[ \t]{1,9}(?:password|string)[ \t]{1,9}${value}`,
    'gim',
  ),
  new RegExp(String.raw`^[ \t]{0,9}rootpw[ \t]{1,9}(?:--(?:iscrypted|plaintext)[ \t]{1,9})?(?!--)${value}`, 'gim'),
  new RegExp(String.raw`[ \t]--password[= ]${value}`, 'gi'),
  new RegExp(String.raw`<user_password>${value}`, 'gi'),
  // Network devices
  new RegExp(
    String.raw`^[ \t]{0,9}(?:enable|username [\w.-]{1,60}(?: privilege \d{1,2})?) (?:secret|password) (?:\d )?${value}`,
    'gim',
  ),
  new RegExp(
    String.raw`^(?![ \t]{0,9}[#;!])[^\r\n]{0,200}?(?:password|passwd|passphrase|psk|secret)["']?[ \t]{0,9}[:=][ \t]{0,9}${unusual}${value}`,
    'gim',
  ),
  /^(?![ \t]{0,9}[#;!])[^\r\n]{0,200}?(\$(?:[156]|2[aby]|y|argon2id?)\$[\w./$=,+-]{20,200})/gm,
]

/** The first password in a file, the boot menus, and the files that they name. */
export async function secretInFiles(context: NativeContext, first: string): Promise<Proof | null> {
  const others = new Set<string>()
  for (const name of new Set([first, ...menus])) {
    const content = (await readFile(context, name)) ?? ''
    const proof = secretIn(name, content)
    if (proof) return proof
    const isMenu = menus.includes(name)
    for (const [, path = ''] of isMenu ? content.matchAll(named) : []) if (!path.includes('..')) others.add(path)
  }
  for (const name of [...others].filter((path) => path !== first && !menus.includes(path)).slice(0, namedMax)) {
    const proof = secretIn(name, (await readFile(context, name)) ?? '')
    if (proof) return proof
  }
  return null
}

function secretIn(name: string, content: string): Proof | null {
  if (content.includes('\0') || !secrets.some((pattern) => content.search(pattern) >= 0)) return null
  const masked = secrets.reduce(
    (text, pattern) => text.replace(pattern, (whole, secret: string) => whole.slice(0, -secret.length) + mask),
    content,
  )
  const originals = content.split('\n')
  const lines = masked.split('\n')
  const found = lines.findIndex((line, at) => line !== originals[at])
  const excerpt = lines.slice(Math.max(0, found - linesAround), found + linesAround).join('\n')
  return { request: `RRQ ${name} octet`, answer: excerpt, highlights: [lines[found]?.trim() ?? name] }
}

/** The start of a file; each block is acknowledged (RFC 1350), and the last one that fits ends the transfer. */
async function readFile(context: NativeContext, name: string): Promise<string | undefined> {
  const question = Buffer.concat([hex('0001'), bytes(`${name}\0octet\0`)])
  const collectBytesMax = (blocksMax + 1) * (blockBytes + 4)
  const response = await context.sendDatagram(question, { waitMs: 700, fromAnyPort: true, collectBytesMax, replyTo })
  if (response.kind !== 'answer' || !isData(response.bytes)) return undefined
  const blocks: string[] = []
  for (let at = 0; at < response.bytes.length; at += blockBytes + 4) {
    const packet = response.bytes.subarray(at, at + blockBytes + 4)
    if (isData(packet)) blocks[packet.readUInt16BE(2) - 1] = packet.toString('latin1', 4)
  }
  return blocks.join('')
}

function replyTo(packet: Buffer): Uint8Array | undefined {
  if (!isData(packet)) return undefined
  const isLast = packet.length === blockBytes + 4 && packet.readUInt16BE(2) >= blocksMax
  return isLast
    ? Buffer.concat([hex('0005 0000'), bytes('enough\0')])
    : Buffer.concat([hex('0004'), packet.subarray(2, 4)])
}

function isData(packet: Buffer): boolean {
  return packet.length >= 4 && packet.readUInt16BE(0) === 3
}
