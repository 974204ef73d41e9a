/** Native checks for UDP services: TFTP, NTP, Memcached, mDNS. */
import { bytes, hex } from '#wire.ts'
import { checkInfo, type NativeCheck } from '#native/native-check.ts'
import { secretInFiles, tftpSecrets } from '#native/tftp-files.ts'

const tftpReadable = checkInfo({
  id: 'tftp-readable',
  name: 'TFTP files exposed without authentication',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:N/A:N',
  score: 5.3,
  summary:
    'The TFTP server returned a file with a common name to an unauthenticated client. The protocol has no authentication.',
  impact:
    'An attacker can download files with known or guessed names, such as device configurations and boot images, which often contain passwords.',
  remediation: 'Disable TFTP, or allow only the devices that boot from it to reach UDP port 69.',
  reference: 'https://www.rfc-editor.org/rfc/rfc1350',
  tags: 'misconfig tftp unauth network udp',
  verifiedOn: 'atftpd tftpd-hpa',
})
const tftpNames = (
  'startup-config running-config network-confg router-confg cisconet.cfg config.txt config.cfg backup.cfg ' +
  'pxelinux.0 pxelinux.cfg/default undionly.kpxe ipxe.efi grub/grub.cfg boot/grub/grub.cfg bootx64.efi ' +
  'router.cfg switch.cfg startup.cfg boot.cfg ks.cfg preseed.cfg default.cfg hello.txt motd ' +
  'readme.txt README pub/readme.txt test.txt firmware.bin image.bin SEPDefault.cnf XMLDefault.cnf.xml phone1.cfg'
).split(' ')

export const tftp: NativeCheck = {
  checks: [tftpReadable, tftpSecrets],
  appliesTo: ({ protocol, transport }) => protocol === 'tftp' && transport === 'udp',
  async run(context) {
    let isAnswered = false
    for (const name of tftpNames) {
      const question = Buffer.concat([hex('0001'), bytes(`${name}\0octet\0`)])
      const response = await context.sendDatagram(question, { waitMs: 700, fromAnyPort: true })
      if (response.kind !== 'answer') continue
      isAnswered = true
      if (response.bytes.readUInt16BE(0) !== 3) continue
      const block = response.bytes.subarray(4).toString('latin1')
      // One block is proof. This transfer isn't acknowledged, so the server gives up.
      return {
        [tftpReadable.id]: {
          request: `RRQ ${name} octet`,
          answer: `DATA block 1:\n${block.slice(0, 400)}`,
          highlights: [name],
        },
        [tftpSecrets.id]: await secretInFiles(context, name),
      }
    }
    return isAnswered ? { [tftpReadable.id]: null, [tftpSecrets.id]: null } : {}
  },
}

const memcachedAmplifier = checkInfo({
  id: 'memcached-udp-amplification',
  name: 'Memcached exposed over UDP (DDoS amplification)',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:N/I:N/A:H',
  score: 8.6,
  summary: 'Memcached responds over UDP with far more data than the request contains.',
  impact: "An attacker can spoof a victim's address and flood it with traffic amplified up to 51,000 times.",
  remediation:
    'Disable UDP with `-U 0`, bind Memcached to localhost (`-l 127.0.0.1`), and block port 11211 in the firewall.',
  reference: 'https://github.com/memcached/memcached/wiki/ReleaseNotes156',
  tags: 'misconfig memcached amplification network udp',
  verifiedOn: 'memcached',
})

export const memcachedUdp: NativeCheck = {
  checks: [memcachedAmplifier],
  appliesTo: ({ protocol }) => protocol === 'memcached',
  async run(context) {
    const question = Buffer.concat([hex('474c 0000 0001 0000'), bytes('stats\r\n')])
    const response = await context.sendDatagram(question, { waitMs: 700, collectBytesMax: 32_768 })
    if (response.kind === 'closed') return { [memcachedAmplifier.id]: null }
    if (response.kind !== 'answer') return {}
    const text = response.bytes.toString('latin1')
    const isProved = text.includes('STAT ') && response.bytes.length > question.length * 10
    const request = `UDP, ${question.length} bytes: stats`
    const details = `${response.bytes.length} bytes received for a ${question.length}-byte request\n${text.slice(8, 800)}`
    return {
      [memcachedAmplifier.id]: isProved
        ? { request, answer: details, highlights: [`${response.bytes.length} bytes`] }
        : null,
    }
  },
}

const ntpList = checkInfo({
  id: 'ntp-monlist',
  name: 'NTP monlist enabled (DDoS amplification)',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:N/I:N/A:L',
  score: 5.8,
  summary: 'The NTP server responds to monlist queries with a list of its recent clients (CVE-2013-5211).',
  impact:
    "An attacker can spoof a victim's address and flood it with amplified traffic, and can learn which clients use the server.",
  remediation:
    'Update ntpd to 4.2.7p26 or later, or set `disable monitor` and `restrict default kod nomodify notrap nopeer noquery` in ntp.conf.',
  reference: 'https://www.kb.cert.org/vuls/id/348126',
  tags: 'misconfig ntp amplification network udp',
})
const ntpVariables = checkInfo({
  id: 'ntp-variables-exposed',
  name: 'NTP mode 6 queries allowed',
  severity: 'low',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:L/I:N/A:N',
  score: 3.7,
  summary:
    'The NTP server responds to control queries (mode 6) from any client, disclosing its version and operating system.',
  impact:
    'An attacker can look up known vulnerabilities of this version, and abuse the responses for DDoS amplification.',
  remediation: 'Set `restrict default kod nomodify notrap nopeer noquery` in ntp.conf.',
  reference: 'https://www.rfc-editor.org/rfc/rfc9327',
  tags: 'misconfig ntp disclosure network udp',
  verifiedOn: 'ntpsec',
})

export const ntp: NativeCheck = {
  checks: [ntpList, ntpVariables],
  appliesTo: ({ protocol, transport }) => protocol === 'ntp' && transport === 'udp',
  async run(context) {
    const list = await context.sendDatagram(Buffer.concat([hex('1700032a'), Buffer.alloc(4)]), { waitMs: 700 })
    const control = await context.sendDatagram(readVariables, { waitMs: 700 })
    const isList = list.kind === 'answer' && list.bytes.length > 48 && list.bytes[3] === 0x2a
    const text = control.kind === 'answer' ? control.bytes.subarray(12).toString('latin1') : ''
    const isControl = control.kind === 'answer' && ((control.bytes[1] ?? 0) & 0x80) !== 0 && /\w=/.test(text)
    return {
      [ntpList.id]: isList
        ? {
            request: 'NTP mode 7, MON_GETLIST_1',
            answer: `${list.bytes.length} bytes received`,
            highlights: ['MON_GETLIST_1'],
          }
        : null,
      [ntpVariables.id]: isControl
        ? { request: 'NTP mode 6, READVAR', answer: text, highlights: [text.slice(0, 80)] }
        : null,
    }
  },
}

/** NTP mode 6 request for the system variables (RFC 9327, section 3). */
export const readVariables: Buffer = hex('1602 0001 0000 0000 0000 0000')

const mdnsExposed = checkInfo({
  id: 'mdns-exposed',
  name: 'mDNS service exposed (unicast queries)',
  severity: 'low',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:L/I:N/A:N',
  score: 3.7,
  summary:
    'The multicast DNS service, which is meant for the local link only, responds to unicast queries from the network.',
  impact: "An attacker learns the host's names and services, and can abuse the responses for DDoS amplification.",
  remediation:
    'Block UDP port 5353 at the network perimeter, or disable the mDNS responder (Avahi: `systemctl disable --now avahi-daemon.socket avahi-daemon.service`).',
  reference: 'https://www.rfc-editor.org/rfc/rfc6762#section-5.5',
  tags: 'misconfig mdns disclosure network udp',
})

export const mdns: NativeCheck = {
  checks: [mdnsExposed],
  appliesTo: ({ protocol, transport }) => protocol === 'mdns' && transport === 'udp',
  async run(context) {
    const response = await context.sendDatagram(servicesQuestion, { waitMs: 700 })
    if (response.kind !== 'answer') return {}
    const isProved = response.bytes.length > 12 && response.bytes.readUInt16BE(6) > 0
    const names = (response.bytes.toString('latin1').match(/[\w-]{3,40}/g) ?? []).join(' ')
    const request = 'PTR _services._dns-sd._udp.local (unicast)'
    return { [mdnsExposed.id]: isProved ? { request, answer: names, highlights: [names.slice(0, 80)] } : null }
  },
}

/** PTR query that lists the available services (RFC 6763, section 9). */
export const servicesQuestion: Buffer = hex(
  '0000 0000 0001 0000 0000 0000 09 5f7365727669636573 07 5f646e732d7364 04 5f756470 05 6c6f63616c 00 000c 0001',
)
