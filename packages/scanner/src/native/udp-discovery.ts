/** Services for the local link or network that respond to any client over UDP: port mapping and discovery. */
import { randomUUID } from 'node:crypto'
import { checkInfo } from '#native/native-check.ts'
import { rpcCall, rpcResult, xdrOf, xdrWords } from '#native/rpc-wire.ts'
import type { DatagramExposure } from '#native/udp-control.ts'
import { bytes, hex } from '#wire.ts'

/** Request for the external address (RFC 6886, section 3.2). */
export const externalAddress: Buffer = hex('00 00')
/**
 * Probe for any type (WS-Discovery 1.0, section 5.3). Each has an ID of its own, because devices ignore IDs that
 * they have already received.
 */
export function webServiceProbe(): Buffer {
  return bytes(
    '<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="http://www.w3.org/2003/05/soap-envelope"' +
      ' xmlns:wsa="http://schemas.xmlsoap.org/ws/2004/08/addressing" xmlns:wsd="http://schemas.xmlsoap.org/ws/2005/04/discovery">' +
      '<soap:Header><wsa:To>urn:schemas-xmlsoap-org:ws:2005:04:discovery</wsa:To>' +
      '<wsa:Action>http://schemas.xmlsoap.org/ws/2005/04/discovery/Probe</wsa:Action>' +
      `<wsa:MessageID>urn:uuid:${randomUUID()}</wsa:MessageID></soap:Header>` +
      '<soap:Body><wsd:Probe/></soap:Body></soap:Envelope>',
  )
}
/** DUMP of the portmapper, version 2 (RFC 1833); over UDP, without the header of a record. */
export const portmapperDump: Buffer = rpcCall(100_000, 2, 4).subarray(4)

/** The list of a portmapper; undefined for anything else. */
export function dumpOf(response: Buffer): Buffer | undefined {
  return rpcResult(Buffer.concat([xdrWords(0x8000_0000 + response.length), response]))
}

export function isExternalAddress(response: Buffer): boolean {
  return response.length === 12 && response[0] === 0 && response[1] === 0x80
}

const probeMatches = /<(?:\w{1,20}:)?ProbeMatches[\s>]/
export function isProbeMatch(response: Buffer): boolean {
  return probeMatches.test(response.toString('latin1'))
}

const amplifies = { severity: 'medium', cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:N/I:N/A:L', score: 5.8 } as const

export const discoveryExposures: readonly DatagramExposure[] = [
  {
    info: checkInfo({
      id: 'nat-pmp-exposed',
      name: 'NAT-PMP port mapping service exposed',
      severity: 'medium',
      cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:L/A:N',
      score: 6.5,
      summary:
        'The gateway responds to NAT-PMP requests for its external address from outside its internal network. The check created no port mapping.',
      impact:
        "An attacker may be able to create port mappings that expose internal hosts or redirect the gateway's traffic.",
      remediation:
        'In miniupnpd, bind the service to the internal interface with `listening_ip`, or disable NAT-PMP with `enable_natpmp=no`. Block UDP port 5351 from the internet.',
      reference: 'https://www.kb.cert.org/vuls/id/184540',
      tags: 'misconfig nat-pmp iot router unauth network udp',
      verifiedOn: 'miniupnpd',
    }),
    protocol: 'nat-pmp',
    question: externalAddress,
    request: 'external address request',
    proofOf: (response) => {
      const succeeded = 0
      if (!isExternalAddress(response) || response.readUInt16BE(2) !== succeeded) return undefined
      return `external address ${response.subarray(8).join('.')}`
    },
  },
  {
    info: checkInfo({
      id: 'ws-discovery-exposed',
      name: 'WS-Discovery exposed (DDoS amplification)',
      ...amplifies,
      summary:
        'The discovery service of cameras, printers, and Windows hosts, which is meant for the local link only, responds to unicast requests.',
      impact:
        "An attacker learns the host's names and addresses, and can spoof a victim's address and flood it with amplified traffic.",
      remediation:
        'Disable WS-Discovery (ONVIF discovery on cameras), or block UDP port 3702 at the network perimeter.',
      reference: 'https://www.cisa.gov/news-events/alerts/2014/01/17/udp-based-amplification-attacks',
      tags: 'misconfig ws-discovery onvif iot amplification network udp',
      verifiedOn: 'wsdiscovery',
    }),
    protocol: 'ws-discovery',
    question: webServiceProbe,
    request: 'Probe',
    fromAnyPort: true,
    // Devices wait for up to half a second (WS-Discovery 1.0, section 3.1.3).
    waitMs: 1500,
    proofOf: (response) => (isProbeMatch(response) ? response.toString('latin1').slice(0, 2000) : undefined),
  },
  {
    info: checkInfo({
      id: 'rpcbind-udp-amplification',
      name: 'RPC portmapper exposed over UDP (DDoS amplification)',
      ...amplifies,
      summary: 'The RPC portmapper (rpcbind) responds over UDP with far more data than the request contains.',
      impact:
        "An attacker can spoof a victim's address and flood it with traffic amplified 7 to 28 times, and learns the host's RPC services.",
      remediation:
        'If RPC is not used, disable it with `systemctl disable --now rpcbind.socket rpcbind.service`. Otherwise, block UDP port 111 at the network perimeter.',
      reference: 'https://www.cisa.gov/news-events/alerts/2014/01/17/udp-based-amplification-attacks',
      tags: 'misconfig rpc amplification network udp',
      verifiedOn: 'rpcbind',
    }),
    protocol: 'rpcbind',
    question: portmapperDump,
    request: 'PMAPPROC_DUMP',
    proofOf: (response) => {
      const listed = dumpOf(response)
      if (!listed || response.length < portmapperDump.length * 2) return undefined
      const list = xdrOf(listed)
      const programs = new Set<number>()
      while (list.word() === 1 && programs.size < 50) {
        programs.add(list.word() ?? 0)
        for (let field = 0; field < 3; field++) list.word()
      }
      return `${response.length} bytes for a request of ${portmapperDump.length}: programs ${[...programs].join(', ')}`
    },
  },
]
