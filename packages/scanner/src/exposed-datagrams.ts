/** UDP services that respond to a request in their own protocol: legacy, link-local, and industrial ones. */
import type { FingerprintText } from '#fingerprint/fingerprint-text.ts'
import {
  bacnetRead,
  coapDiscovery,
  netbiosStatus,
  rmcpPing,
  rootSearch,
  serviceTypes,
  ssdpSearch,
  xdmcpQuery,
} from '#native/udp-exposed.ts'
import { openVpnReset } from '#fingerprint/call-probes.ts'
import { chronyTracking, knxDescription, rtpenginePing } from '#native/udp-control.ts'
import {
  dumpOf,
  externalAddress,
  isExternalAddress,
  isProbeMatch,
  portmapperDump,
  webServiceProbe,
} from '#native/udp-discovery.ts'
import { ikeMainMode, isIkeAnswer, payloadsOf } from '#native/ike.ts'
import { kerberosError, unknownRealmRequest } from '#fingerprint/java-probes.ts'
import { bytes, hex } from '#wire.ts'

interface ExposedDatagramProbe {
  readonly protocol: string
  readonly ports: readonly number[]
  readonly requests: readonly (Uint8Array | (() => Uint8Array))[]
  readonly fromAnyPort?: boolean
  /** Waits once, for this long, where servers delay their response. */
  readonly onceMs?: number
  isAnswer(answer: Buffer): boolean
  traces?(answer: Buffer): readonly FingerprintText[]
}

/** Message type, protocol version, framing, hostname, assigned tunnel, and window size. */
const l2tpStart = hex(
  'c802 0042 0000 0000 0000 0000 8008 0000 0000 0001 8008 0000 0002 0100 800a 0000 0003 00000003 800c 0000 0007 676c61636973 8008 0000 0009 474c 8008 0000 000a 0004',
)

/** Host and vendor names of a Start-Control-Connection-Reply. */
function l2tpVendor(response: Buffer): string {
  const names: string[] = []
  for (let at = 12; at + 6 <= response.length;) {
    const length = response.readUInt16BE(at) & 0x3ff
    if (length < 6) break
    if ([7, 8].includes(response.readUInt16BE(at + 4))) names.push(response.toString('latin1', at + 6, at + length))
    at += length
  }
  return names.join(' ')
}

/** Vendor IDs of a gateway, in hexadecimal. */
function vendorIds(response: Buffer): string {
  const vendorId = 13
  const ids = payloadsOf(response).flatMap(([type, content]) => (type === vendorId ? content.toString('hex') : []))
  return ids.join(' ') || 'none'
}

export const exposedDatagramProbes: readonly ExposedDatagramProbe[] = [
  {
    protocol: 'echo',
    ports: [7],
    requests: [bytes('glacis-echo')],
    isAnswer: (response) => response.toString('latin1') === 'glacis-echo',
  },
  {
    protocol: 'chargen',
    ports: [19],
    requests: [hex('0a')],
    isAnswer: (response) => /[!-Z]{20}/.test(response.toString('latin1')),
  },
  {
    protocol: 'ssdp',
    ports: [1900],
    requests: [ssdpSearch],
    fromAnyPort: true,
    isAnswer: (response) => response.toString('latin1', 0, 20).startsWith('HTTP/1.1 200 OK'),
    traces: (response) => {
      const [, text] = /^server:\s{0,100}([^\r\n]{1,200})/im.exec(response.toString('latin1')) ?? []
      return text === undefined ? [] : [{ field: 'ssdp_header.server', text }]
    },
  },
  {
    protocol: 'coap',
    ports: [5683],
    requests: [coapDiscovery],
    isAnswer: (response) => ((response[0] ?? 0) & 0xf0) === 0x60 && response[2] === 0x47 && response[3] === 0x43,
  },
  {
    protocol: 'bacnet',
    ports: [47808],
    requests: [bacnetRead],
    isAnswer: (response) => response[0] === 0x81 && response.length > 8,
  },
  {
    protocol: 'ipmi',
    ports: [623],
    requests: [rmcpPing],
    isAnswer: (response) => response[0] === 6 && response[8] === 0x40,
  },
  {
    protocol: 'netbios-ns',
    ports: [137],
    requests: [netbiosStatus],
    isAnswer: (response) => response[0] === 0x47 && response[1] === 0x43 && ((response[2] ?? 0) & 0x80) !== 0,
  },
  {
    protocol: 'kerberos',
    ports: [88],
    requests: [unknownRealmRequest()],
    isAnswer: (response) =>
      response[0] === 0x7e && response.toString('latin1').includes('\u00a0\u0003\u0002\u0001\u0005'),
    traces: (response) => [{ field: 'kerberos.error', text: kerberosError(response.toString('latin1')) }],
  },
  {
    // Start-Control-Connection-Request (RFC 2661, section 6.1).
    protocol: 'l2tp',
    ports: [1701],
    requests: [l2tpStart],
    isAnswer: (response) =>
      response.length >= 20 &&
      (response.readUInt16BE(0) & 0xc80f) === 0xc802 &&
      response[18] === 0 &&
      response[19] === 2,
    traces: (response) => [{ field: 'l2tp.vendor', text: l2tpVendor(response) }],
  },
  {
    protocol: 'xdmcp',
    ports: [177],
    requests: [xdmcpQuery],
    isAnswer: (response) => response.length >= 4 && response[0] === 0 && response[1] === 1,
  },
  {
    protocol: 'chrony-command',
    ports: [323],
    requests: [chronyTracking],
    isAnswer: (response) => response.length >= 28 && response[0] === 6 && response[1] === 2,
    traces: () => [{ field: 'protocol.software', text: 'chrony' }],
  },
  {
    protocol: 'rtpengine',
    ports: [22222, 2223],
    requests: [rtpenginePing],
    isAnswer: (response) => /^glacis d[\s\S]{0,200}6:result/.test(response.toString('latin1')),
    traces: () => [{ field: 'protocol.software', text: 'rtpengine' }],
  },
  {
    protocol: 'knxnet-ip',
    ports: [3671],
    requests: [knxDescription],
    isAnswer: (response) => response.length > 14 && response.readUInt32BE(0) === 0x0610_0204,
  },
  {
    protocol: 'ike',
    ports: [500],
    requests: [ikeMainMode],
    isAnswer: isIkeAnswer,
    traces: (response) => [{ field: 'ike.vendor', text: vendorIds(response) }],
  },
  {
    protocol: 'cldap',
    ports: [389],
    requests: [rootSearch],
    isAnswer: (response) => response[0] === 0x30 && response.subarray(0, 16).includes(hex('020101')),
    traces: (response) => [{ field: 'ldap.search_result', text: response.toString('latin1') }],
  },
  {
    // The reply has the version, the function SrvTypeRply, and the number of the request.
    protocol: 'slp',
    ports: [427],
    requests: [serviceTypes],
    isAnswer: (response) =>
      response[0] === 2 && response[1] === 10 && response.length >= 14 && response.readUInt16BE(10) === 0x4743,
  },
  {
    protocol: 'openvpn',
    ports: [1194],
    requests: [openVpnReset],
    isAnswer: (response) => response[0] === 0x40 && response.length >= 22,
    traces: () => [{ field: 'protocol.software', text: 'OpenVPN' }],
  },
  { protocol: 'nat-pmp', ports: [5351], requests: [externalAddress], isAnswer: isExternalAddress },
  {
    protocol: 'ws-discovery',
    ports: [3702],
    requests: [webServiceProbe],
    fromAnyPort: true,
    onceMs: 1500,
    isAnswer: isProbeMatch,
  },
  {
    protocol: 'rpcbind',
    ports: [111],
    requests: [portmapperDump],
    isAnswer: (response) => dumpOf(response) !== undefined,
  },
]
