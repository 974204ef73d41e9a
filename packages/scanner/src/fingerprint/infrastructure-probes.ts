/* oxlint-disable no-control-regex -- binary protocols are made of control characters */
/** Probes for network infrastructure, telephony, and cluster services. */
import type { Probe } from '#fingerprint/probe.ts'
import { reflectionRequest } from '#native/grpc-wire.ts'
import { engineOf, snmpDiscovery, snmpGet } from '#native/snmp.ts'
import { bindingRequest, softwareOf } from '#fingerprint/stun.ts'
import { bytes, hex } from '#wire.ts'

/** OPTIONS queries a SIP server's capabilities without placing a call (RFC 3261, section 11). */
export const sipOptions = (transport: 'TCP' | 'UDP') =>
  bytes(
    `OPTIONS sip:glacis@invalid SIP/2.0\r\nVia: SIP/2.0/${transport} invalid;branch=z9hG4bKglacis;rport\r\nFrom: <sip:glacis@invalid>;tag=1\r\nTo: <sip:glacis@invalid>\r\nCall-ID: glacis\r\nCSeq: 1 OPTIONS\r\nMax-Forwards: 0\r\nContent-Length: 0\r\n\r\n`,
  )

/** Server name from a SIP response; empty when absent. */
export function sipServer(response: string): string {
  return /^(?:server|user-agent):\s{0,100}([^\r\n]{1,200})/im.exec(response)?.[1] ?? ''
}

export const infrastructureProbes: readonly Probe[] = [
  // SNMP over TCP (RFC 3430). Agents without SNMPv3 only respond to a community.
  ...[snmpDiscovery, snmpGet(1, 'public')].map((request) => ({
    protocol: 'snmp',
    ports: [161],
    request,
    responsePattern: /^\x30[\s\S]{1,4}\x02\x01[\x01\x03]/,
    field: 'snmp.engine',
    read: (response: string) => engineOf(Buffer.from(response, 'latin1')),
    isBinary: true,
    isOwnPortsOnly: true,
  })),
  {
    // NAMES_REQ of the Erlang port mapper returns a number, then one line per node.
    protocol: 'epmd',
    ports: [4369],
    request: hex('0001 6e'),
    responsePattern: /^\x00\x00(?:\x11\x11$|[\s\S]{2}name \S+ at port \d+\n)/,
    field: 'epmd.names',
    read: (response) => response.slice(4).trim() || 'no nodes',
    isBinary: true,
  },
  {
    protocol: 'stomp',
    // Artemis accepts all its protocols on one port.
    ports: [61613, 61616],
    request: bytes('CONNECT\naccept-version:1.0,1.1,1.2\nhost:/\n\n\0'),
    responsePattern: /^(?:CONNECTED|ERROR)\r?\n[\w-]+:/,
    field: 'stomp.server',
    read: (response) => /^server:([^\r\n]{1,200})/m.exec(response)?.[1] ?? '',
  },
  {
    // Header, 8-byte length, and item key. Agents ignore clients that are not on their allowlist.
    protocol: 'zabbix-agent',
    ports: [10050],
    request: hex('5a42584401 0d00000000000000 6167656e742e76657273696f6e'),
    responsePattern: /^ZBXD\x01[\s\S]{8}/,
    field: 'zabbix.agent_version',
    read: (response) => response.slice(13),
    isBinary: true,
  },
  {
    protocol: 'tor-control',
    ports: [9051, 9151],
    request: bytes('PROTOCOLINFO 1\r\n'),
    responsePattern: /^250-PROTOCOLINFO 1\r\n/,
    field: 'tor.protocolinfo',
  },
  {
    protocol: 'sip',
    ports: [5060],
    tlsPorts: [5061],
    request: sipOptions('TCP'),
    // Netty repeats the protocol of the request in HTTP responses, without the CSeq that SIP requires.
    responsePattern: /^SIP\/2\.0 \d{3}[\s\S]{0,4000}\nCSeq\s{0,9}:/i,
    field: 'sip_header.server',
    read: sipServer,
  },
  {
    protocol: 'stun',
    ports: [3478],
    tlsPorts: [5349],
    request: bindingRequest,
    responsePattern: /^\x01[\x01\x11][\s\S]{2}\x21\x12\xa4\x42/,
    field: 'stun.software',
    read: (response) => softwareOf(Buffer.from(response, 'latin1')),
    isBinary: true,
  },
  {
    // Opens a stream (RFC 6120, section 4.2) to a domain that no server hosts.
    protocol: 'xmpp',
    ports: [5222, 5269],
    request: bytes(
      `<?xml version='1.0'?><stream:stream to='glacis.invalid' version='1.0' xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>`,
    ),
    responsePattern: /<stream:stream\b[^>]{0,1000}http:\/\/etherx\.jabber\.org\/streams/,
    field: 'xmpp.stream',
  },
  {
    // The first frame of HTTP/2 from a server is SETTINGS; those of gRPC-Go and others even come before the client's.
    // Web servers send it as well.
    protocol: 'grpc',
    ports: [50051, 7233, 4317],
    request: reflectionRequest,
    responsePattern: /^\0\0[\0-\x60]\x04\0\0\0\0\0/,
    field: '',
    isFallback: true,
  },
  {
    // The databases of Open vSwitch (RFC 7047, section 4.1.1).
    protocol: 'ovsdb',
    ports: [6640],
    request: bytes('{"id":"glacis","method":"list_dbs","params":[]}'),
    responsePattern: /^\{[^{}]{0,60}(?:"id":"glacis"[^{}]{0,60}"result":\[|"result":\[[^{}]{0,2000}"id":"glacis")/,
    field: '',
  },
  {
    // AUTH_LIST of the remote protocol, the only call before authentication.
    protocol: 'libvirt',
    ports: [16509],
    request: hex('0000001c 20008086 00000001 00000042 00000000 00000000 00000000'),
    responsePattern: /^\x00\x00[\s\S]{2}\x20\x00\x80\x86\x00\x00\x00\x01\x00\x00\x00\x42/,
    field: '',
  },
  {
    protocol: 'lcdproc',
    ports: [13666],
    request: bytes('hello\n'),
    responsePattern: /^connect LCDproc \d/,
    field: 'lcdproc.hello',
  },
  {
    // A Scheme expression without effects.
    protocol: 'festival',
    ports: [1314],
    request: bytes('(+ 1 1)\n'),
    responsePattern: /^LP\n2\nft_StUfF_keyOK\n/,
    field: 'festival.reply',
  },
  {
    // NULL procedure of NFS (RFC 1813, section 3.3.0).
    protocol: 'nfs',
    ports: [2049],
    request: hex('80000028 474c4e46 00000000 00000002 000186a3 00000003 00000000 00000000 00000000 00000000 00000000'),
    responsePattern: /^\x80[\s\S]{3}GLNF\x00\x00\x00\x01\x00\x00\x00\x00/,
    field: '',
  },
]
