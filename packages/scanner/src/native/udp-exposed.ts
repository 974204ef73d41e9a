/* oxlint-disable no-control-regex -- binary protocols are made of control characters */
/**
 * Native checks for UDP services for which any response proves exposure. Each repeats the request that identified the
 * service.
 */
import { bytes, hex } from '#wire.ts'
import { checkInfo, type NativeCheck } from '#native/native-check.ts'
import { controlExposures, type DatagramExposure } from '#native/udp-control.ts'
import { discoveryExposures } from '#native/udp-discovery.ts'

const low = { severity: 'low', cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:L/I:N/A:N', score: 3.7 } as const
const amplifies = { severity: 'medium', cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:N/I:N/A:L', score: 5.8 } as const
const reads = { severity: 'medium', cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:N/A:N', score: 5.3 } as const
const controls = { severity: 'critical', cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H', score: 9.8 } as const

/** `.well-known/core` of CoAP (RFC 6690), message ID 0x4743. */
export const coapDiscovery: Buffer = Buffer.concat([
  hex('4001 4743 bb'),
  bytes('.well-known'),
  hex('04'),
  bytes('core'),
])
/** Unicast discovery of root devices (UPnP device architecture 2.0, section 1.3.2). */
export const ssdpSearch: Buffer = bytes(
  'M-SEARCH * HTTP/1.1\r\nHost: 239.255.255.250:1900\r\nMan: "ssdp:discover"\r\nST: upnp:rootdevice\r\nMX: 1\r\n\r\n',
)
/** ReadProperty of the object name of the local device (ASHRAE 135, clause 15.5). */
export const bacnetRead: Buffer = hex('810a0011 0104 0005 01 0c 0c 023fffff 19 4d')
/** RMCP presence ping (IPMI 2.0, section 13.2.4). */
export const rmcpPing: Buffer = hex('0600ff06 000011be 80000000')
/** Node status of any name (RFC 1002, section 4.2.17). */
export const netbiosStatus: Buffer = hex(
  '4743 0000 0001 0000 0000 0000 20 434b4141414141414141414141414141414141414141414141414141414141414141 00 0021 0001',
)
/** Search of the root DSE without authentication, for all attributes (MS-ADTS, section 3.1.1.3.1). */
export const rootSearch: Buffer = hex(
  '3025 020101 6320 0400 0a0100 0a0100 020101 020105 010100 870b 6f626a656374436c617373 3000',
)
/** Service types of any naming authority (RFC 2608, section 10.1). */
export const serviceTypes: Buffer = hex('02 09 00001d 0000 000000 4743 0002 656e 0000 ffff 0007 64656661756c74')
/** Query of X display managers. */
export const xdmcpQuery: Buffer = hex('0001 0002 0001 00')

const printableOf = (response: Buffer) => (response.toString('latin1').match(/[\x20-\x7e]{3,}/g) ?? []).join(' ').trim()

const exposures: readonly DatagramExposure[] = [
  ...controlExposures,
  ...discoveryExposures,
  {
    info: checkInfo({
      id: 'chargen-udp-amplification',
      name: 'Chargen exposed over UDP (DDoS amplification)',
      ...amplifies,
      summary: 'The character generator service responds to a short UDP packet with a long one.',
      impact: "An attacker can spoof a victim's address and flood it with amplified traffic.",
      remediation: 'Disable `chargen` in inetd.conf or /etc/xinetd.d/chargen.',
      reference: 'https://www.rfc-editor.org/rfc/rfc864',
      tags: 'misconfig chargen amplification network udp',
      verifiedOn: 'inetutils-inetd xinetd',
    }),
    protocol: 'chargen',
    question: hex('0a'),
    request: 'one byte',
    proofOf: (response) =>
      response.length > 50 ? `${response.length} bytes: ${printableOf(response).slice(0, 80)}` : undefined,
  },
  {
    info: checkInfo({
      id: 'echo-udp-loop',
      name: 'Echo service exposed over UDP',
      ...amplifies,
      summary: 'The echo service returns UDP packets to their source address.',
      impact: 'An attacker can exhaust bandwidth by making two such services exchange packets endlessly.',
      remediation: 'Disable `echo` in inetd.conf or /etc/xinetd.d/echo.',
      reference: 'https://www.rfc-editor.org/rfc/rfc862',
      tags: 'misconfig echo amplification network udp',
      verifiedOn: 'inetutils-inetd xinetd',
    }),
    protocol: 'echo',
    question: bytes('glacis-echo-271829'),
    request: 'glacis-echo-271829',
    proofOf: (response) => (response.toString('latin1') === 'glacis-echo-271829' ? 'glacis-echo-271829' : undefined),
  },
  {
    info: checkInfo({
      id: 'upnp-exposed',
      name: 'UPnP/SSDP exposed',
      ...amplifies,
      summary: 'The UPnP discovery service, which is meant for the local link only, responds to unicast requests.',
      impact:
        'An attacker learns the devices and their description URLs, can abuse the service for DDoS amplification, and can open ports on routers that allow it.',
      remediation: 'Disable UPnP, or block UDP port 1900 at the network perimeter.',
      reference: 'https://openconnectivity.org/upnp-specs/UPnP-arch-DeviceArchitecture-v2.0-20200417.pdf',
      tags: 'misconfig upnp ssdp iot amplification network udp',
    }),
    protocol: 'ssdp',
    question: ssdpSearch,
    request: 'M-SEARCH, ST: upnp:rootdevice',
    proofOf: (response) => {
      const text = response.toString('latin1')
      return text.startsWith('HTTP/1.1 200 OK\r\n') && /^location:/im.test(text) ? text : undefined
    },
  },
  {
    info: checkInfo({
      id: 'coap-open',
      name: 'CoAP server exposed without authentication',
      ...reads,
      summary: 'A CoAP server lists its resources over the network without DTLS.',
      impact: 'An attacker can read sensor data and, where resources accept writes, control the device.',
      remediation:
        'Require DTLS (port 5684) with a separate key for each client, and block UDP port 5683 in the firewall.',
      reference: 'https://www.rfc-editor.org/rfc/rfc7252#section-9',
      tags: 'misconfig coap iot unauth network udp',
      verifiedOn: 'libcoap',
    }),
    protocol: 'coap',
    question: coapDiscovery,
    request: 'GET /.well-known/core',
    proofOf: (response) => (response[1] === 0x45 ? printableOf(response) : undefined),
  },
  {
    info: checkInfo({
      id: 'bacnet-open',
      name: 'BACnet device exposed without authentication',
      ...controls,
      summary:
        'A BACnet/IP device responds to requests from the network. The protocol has no authentication. The check only read the device name.',
      impact: 'An attacker can read and change the setpoints of heating, ventilation, and access control systems.',
      remediation:
        'Put the device in an isolated network segment, block UDP port 47808 at the network perimeter, or use BACnet/SC.',
      reference: 'https://www.ashrae.org/technical-resources/bookstore/bacnet',
      tags: 'misconfig bacnet ics iot unauth network udp',
      verifiedOn: 'bacnet',
    }),
    protocol: 'bacnet',
    question: bacnetRead,
    request: 'ReadProperty object-name of the local device',
    proofOf: (response) =>
      response[6] === 0x30 || response[6] === 0x50 ? printableOf(response) || 'ComplexACK' : undefined,
  },
  {
    info: checkInfo({
      id: 'ipmi-exposed',
      name: 'IPMI interface exposed',
      severity: 'high',
      cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N',
      score: 7.5,
      summary: 'A baseboard management controller responds to IPMI requests from the network.',
      impact:
        'An attacker can retrieve the password hash of any known user if the controller supports IPMI 2.0 (CVE-2013-4786), crack it offline if the password is weak, and take full control of the server.',
      remediation: 'Connect management controllers to an isolated network only, and disable IPMI over LAN.',
      reference:
        'https://www.cisa.gov/news-events/alerts/2013/07/26/risks-using-intelligent-platform-management-interface-ipmi',
      tags: 'misconfig ipmi network udp',
    }),
    protocol: 'ipmi',
    question: rmcpPing,
    request: 'RMCP presence ping',
    proofOf: (response) =>
      response[8] === 0x40 && ((response[20] ?? 0) & 0x80) !== 0 ? 'Presence pong: IPMI supported' : undefined,
  },
  {
    info: checkInfo({
      id: 'netbios-exposed',
      name: 'NetBIOS name service exposed',
      ...low,
      summary: "The NetBIOS name service lists the host's names to any client.",
      impact:
        'An attacker learns computer names, domain names, and, on older systems, usernames, and can abuse the service for DDoS amplification.',
      remediation: 'Disable NetBIOS over TCP/IP (`disable netbios = yes` in Samba), and block UDP port 137.',
      reference: 'https://www.rfc-editor.org/rfc/rfc1002',
      tags: 'misconfig netbios disclosure network udp',
    }),
    protocol: 'netbios-ns',
    question: netbiosStatus,
    request: 'NBSTAT *',
    proofOf: (response) =>
      ((response[2] ?? 0) & 0x80) !== 0 && response.length > 60 ? printableOf(response) : undefined,
  },
  {
    info: checkInfo({
      id: 'cldap-udp-amplification',
      name: 'LDAP exposed over UDP (CLDAP, DDoS amplification)',
      ...amplifies,
      summary:
        'The directory server responds to searches over UDP (CLDAP) with far more data than the request contains.',
      impact: "An attacker can spoof a victim's address and flood it with traffic amplified up to 70 times.",
      remediation: 'Block UDP port 389 at the network perimeter. Clients outside the network need only TCP.',
      reference: 'https://www.cisa.gov/news-events/alerts/2014/01/17/udp-based-amplification-attacks',
      tags: 'misconfig ldap cldap amplification network udp',
    }),
    protocol: 'cldap',
    question: rootSearch,
    request: 'search for the root DSE',
    proofOf: (response) =>
      response.length > rootSearch.length * 10 ? `${response.length} bytes: ${printableOf(response)}` : undefined,
  },
  {
    info: checkInfo({
      id: 'slp-udp-amplification',
      name: 'Service Location Protocol (SLP) exposed over UDP (DDoS amplification)',
      ...amplifies,
      summary: 'The SLP service lists its service types to any client over UDP (CVE-2023-29552).',
      impact:
        "An attacker can register services and then spoof a victim's address to flood it with traffic that is amplified up to 2,200 times.",
      remediation: 'Disable SLP, or block UDP and TCP port 427 at the network perimeter.',
      reference: 'https://www.rfc-editor.org/rfc/rfc2608',
      tags: 'misconfig slp amplification network udp',
    }),
    protocol: 'slp',
    question: serviceTypes,
    request: 'SrvTypeRqst',
    proofOf: (response) => (response.includes('service:') ? printableOf(response) : undefined),
  },
  {
    info: checkInfo({
      id: 'xdmcp-open',
      name: 'XDMCP login service exposed without encryption',
      severity: 'high',
      cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:H/A:H',
      score: 8.1,
      summary: 'The X display manager offers graphical logins over the network (XDMCP), without encryption.',
      impact:
        'An attacker can guess passwords. An attacker on the network path can also read remote sessions and inject input into them.',
      remediation: 'Disable XDMCP (`[xdmcp] Enable=false` in GDM), and use SSH or an encrypted remote desktop.',
      reference: 'https://www.x.org/releases/X11R7.7/doc/libXdmcp/xdmcp.html',
      tags: 'misconfig xdmcp x11 cleartext network udp',
    }),
    protocol: 'xdmcp',
    question: xdmcpQuery,
    request: 'QUERY',
    proofOf: (response) => (response.readUInt16BE(2) === 5 ? `WILLING ${printableOf(response)}` : undefined),
  },
]

export const udpExposed: readonly NativeCheck[] = exposures.map(
  ({ info, protocol, question, request, fromAnyPort = false, waitMs = 700, proofOf }) => ({
    checks: [info],
    appliesTo: (service) => service.transport === 'udp' && service.protocol === protocol,
    async run(context) {
      const message = typeof question === 'function' ? question() : question
      const response = await context.sendDatagram(message, { waitMs, fromAnyPort })
      if (response.kind !== 'answer' || response.bytes.length < 4) return {}
      const text = proofOf(response.bytes)
      return { [info.id]: text === undefined ? null : { request, answer: text, highlights: [text.slice(0, 60)] } }
    },
  }),
)
