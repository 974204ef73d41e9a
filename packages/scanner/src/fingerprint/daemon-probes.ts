/* oxlint-disable no-control-regex -- binary protocols are made of control characters */
/** Probes for daemons of monitoring, mail filtering, storage, and development. */
import type { Probe } from '#fingerprint/probe.ts'
import { bytes, hex } from '#wire.ts'

/**
 * Vendor, product name, and revision of the first identity item of a ListIdentity response (CIP networks library,
 * volume 2, section 2-4.2), after the header of 24 bytes.
 */
function ethernetIpIdentity(response: string): string {
  const identity = Buffer.from(response, 'latin1')
  if (identity.length < 64 || identity.readUInt16LE(24) === 0 || identity.readUInt16LE(26) !== 0x0c) return ''
  const name = response.slice(63, 63 + (identity[62] ?? 0)).replaceAll(/[^\x20-\x7e]+/g, ' ')
  return `vendor ${identity.readUInt16LE(48)}, ${name.trim()}, revision ${identity[54]}.${identity[55]}`
}

export const daemonProbes: readonly Probe[] = [
  {
    protocol: 'rrdcached',
    ports: [42217],
    request: bytes('STATS\n'),
    responsePattern: /^\d{1,3} Statistics follow\n|^-1 Permission denied/,
    field: 'protocol.software',
    read: () => 'RRDtool',
  },
  {
    protocol: 'xymon',
    ports: [1984],
    request: bytes('ping'),
    endsAfterRequest: true,
    responsePattern: /^xymond \d/,
    field: 'xymon.ping',
    isOwnPortsOnly: true,
  },
  {
    protocol: 'yggdrasil',
    ports: [9001],
    request: bytes('{"request":"list","keepalive":false}\n'),
    responsePattern: /^\{\s{0,9}"status":\s?"success",[\s\S]{0,400}?"command":\s?"addpeer"/,
    field: 'protocol.software',
    read: () => 'Yggdrasil',
  },
  {
    // A relay answers its clients' ping before the key exchange.
    protocol: 'croc',
    ports: [9009],
    request: bytes('croc\x04\0\0\0ping'),
    responsePattern: /^croc\x04\0\0\0pong/,
    field: 'protocol.software',
    read: () => 'croc',
    isOwnPortsOnly: true,
    isBinary: true,
  },
  {
    protocol: 'bzflag',
    ports: [5154],
    request: bytes('BZFLAG\r\n\r\n'),
    responsePattern: /^BZFS\d{4}/,
    field: 'protocol.software',
    read: () => 'BZFlag',
    isOwnPortsOnly: true,
    isBinary: true,
  },
  {
    // JSON-RPC of a headless debugger.
    protocol: 'delve',
    ports: [2345, 40000],
    request: bytes('{"method":"RPCServer.GetVersion","params":[{}],"id":1}\n'),
    responsePattern: /^\{"id":1,"result":\{"DelveVersion":"/,
    field: 'delve.version',
    read: (response) => /"DelveVersion":"([^"]{1,200})/.exec(response)?.[1]?.replaceAll(String.raw`\n`, '\n') ?? '',
    isOwnPortsOnly: true,
  },
  {
    // The commands "handshake" and "stats" of its RPC protocol, in MessagePack. With authentication, "stats" fails.
    protocol: 'serf',
    ports: [7373],
    request: bytes('\x82\xa7Command\xa9handshake\xa3Seq\x00\x81\xa7Version\x01\x82\xa7Command\xa5stats\xa3Seq\x01'),
    responsePattern: /^\x82(?:\xa5Error\xa0\xa3Seq\x00|\xa3Seq\x00\xa5Error\xa0)\x82/,
    field: 'serf.stats',
    read: () => 'serf',
    isOwnPortsOnly: true,
    isBinary: true,
  },
  {
    protocol: 'clamd',
    ports: [3310],
    request: bytes('nVERSION\n'),
    responsePattern: /^ClamAV \d/,
    field: 'clamd.version',
  },
  {
    protocol: 'spamd',
    ports: [783],
    request: bytes('PING SPAMC/1.2\r\n\r\n'),
    responsePattern: /^SPAMD\/\d/,
    field: 'spamd.pong',
  },
  {
    // A yamux frame with a login and a wrong key, which is rejected together with the version.
    protocol: 'frp',
    ports: [7000],
    request: Buffer.concat([
      hex('00000001 00000001 0000003e 6f 0000000000000035'),
      bytes('{"version":"0.61.1","privilege_key":"","timestamp":1}'),
    ]),
    responsePattern: /\{"version":"\d{1,4}\.\d{1,4}\.\d/,
    field: 'frp.version',
    read: (response) => /\{"version":"([\d.]{1,20})"/.exec(response)?.[1] ?? '',
    isOwnPortsOnly: true,
    isBinary: true,
  },
  {
    // The offer of the data stream protocol, which the core accepts with its number.
    protocol: 'quassel',
    ports: [4242],
    request: hex('42b33f00 80000002'),
    responsePattern: /^\x00\x00\x00\x02$/,
    field: 'quassel.protocol',
    read: () => 'quassel',
    isOwnPortsOnly: true,
    isBinary: true,
  },
  {
    protocol: 'nut',
    ports: [3493],
    request: bytes('VER\n'),
    responsePattern: /^Network UPS Tools upsd|^ERR ACCESS-DENIED/,
    field: 'nut.version',
  },
  {
    // A two-byte length, then the command.
    protocol: 'apcupsd',
    ports: [3551],
    request: hex('0006 737461747573'),
    responsePattern: /^\x00[\s\S]APC {6}: /,
    field: 'apcupsd.status',
    read: (response) => /RELEASE {2}: ([^\n]{1,60})|VERSION {2}: ([^\n]{1,60})/.exec(response)?.[0] ?? '',
    isBinary: true,
  },
  {
    protocol: 'jdwp',
    ports: [5005, 8787],
    request: bytes('JDWP-Handshake'),
    responsePattern: /^JDWP-Handshake/,
    field: '',
  },
  {
    // A request for a PHP script that doesn't exist (FastCGI specification, section 5).
    protocol: 'fastcgi',
    ports: [9000],
    request: hex(
      '0101000100080000000100000000000001040001005600000e03524551554553545f4d4554484f444745540f1a5343524950545f46494c454e414d452f676c616369732d646f65732d6e6f742d65786973742e7068700b0b5343524950545f4e414d452f676c616369732e70687001040001000000000105000100000000',
    ),
    responsePattern: /^\x01[\x06\x07]\x00\x01/,
    field: '',
    isBinary: true,
  },
  {
    protocol: 'statsd',
    ports: [8126],
    request: bytes('health\n'),
    responsePattern: /^health: (?:up|down)\n/,
    field: '',
  },
  {
    protocol: 'finger',
    ports: [79],
    request: bytes('\r\n'),
    responsePattern: /^Login\b.{0,40}\bName\b|No one logged on|finger: /i,
    field: '',
  },
  {
    protocol: 'echo',
    ports: [7],
    request: bytes('glacis-echo\r\n'),
    responsePattern: /^glacis-echo\r\n$/,
    field: '',
  },
  {
    // Queries the supported features of a GDB remote stub.
    protocol: 'gdbserver',
    ports: [1234, 2159, 2331, 2345, 9999],
    request: bytes('$qSupported:multiprocess+#c6'),
    responsePattern: /^\+?\$PacketSize=/,
    field: 'gdb.features',
  },
  {
    // Initializes a debug adapter (Debug Adapter Protocol). Not all of them send an event first.
    protocol: 'debug-adapter',
    ports: [5678],
    request: bytes(
      'Content-Length: 84\r\n\r\n{"seq":1,"type":"request","command":"initialize","arguments":{"adapterID":"glacis"}}',
    ),
    responsePattern: /^Content-Length: \d{1,6}\r\n\r\n\{[^{]{0,200}"command": ?"initialize"/,
    field: '',
    isOwnPortsOnly: true,
  },
  {
    // A discovery login without authentication (RFC 7143, section 11.12).
    protocol: 'iscsi',
    ports: [3260],
    request: Buffer.concat([
      hex('438700000000005580000001000000000000000100010000000000010000000000000000000000000000000000000000'),
      bytes('InitiatorName=iqn.2026-01.invalid.glacis:check\0SessionType=Discovery\0AuthMethod=None\0\0\0\0'),
    ]),
    responsePattern: /^\x23[\x00-\xff]{35}/,
    field: '',
    isBinary: true,
  },
  {
    protocol: 'uwsgi',
    ports: [3031],
    request: hex(
      '003300000e00524551554553545f4d4554484f4403004745540900504154485f494e464f01002f0b00524551554553545f55524901002f',
    ),
    // Web servers respond to the binary request with 400, libwebsockets with its error page.
    responsePattern: /^HTTP\/1\.[01] (?!400|403 Forbidden\r\n[^<]{0,300}<html>[^\n]{0,200}\/error\.css")\d{3} /,
    field: '',
  },
  {
    // Reads the device identification (Modbus application protocol, function 43/14).
    protocol: 'modbus',
    ports: [502],
    request: hex('474c 0000 0005 01 2b 0e 01 00'),
    responsePattern: /^GL\x00\x00\x00[\x03-\xff]\x01[\x2b\xab]/,
    field: 'modbus.identification',
    read: modbusIdentification,
    isBinary: true,
  },
  // The same inside TLS (Modbus/TCP Security); some servers omit the header.
  ...['474c 0000 0005 01 2b 0e 01 00', '2b 0e 01 00'].map((request) => ({
    protocol: 'modbus-tls',
    ports: [],
    tlsPorts: [802],
    request: hex(request),
    responsePattern: /^(?:GL\x00\x00\x00[\x03-\xff]\x01)?[\x2b\xab]/,
    field: 'modbus.identification',
    read: modbusIdentification,
    isBinary: true,
    isOwnPortsOnly: true,
  })),
  {
    // Connection request to rack 0, slot 2 of a controller (RFC 905). Other servers may reject the slot.
    protocol: 'iso-tsap',
    ports: [102],
    request: hex('0300001611e00000000100c0010ac1020100c2020102'),
    responsePattern: /^\x03\x00\x00[\s\S][\s\S][\xd0\x80]/,
    field: '',
    isBinary: true,
  },
  {
    // ListIdentity of EtherNet/IP.
    protocol: 'ethernet-ip',
    ports: [44818],
    request: hex('6300 0000 00000000 00000000 474c414349530000 00000000'),
    responsePattern: /^\x63\x00[\s\S]{6}[\s\S]{16}/,
    field: 'ethernet-ip.identity',
    read: ethernetIpIdentity,
    isBinary: true,
  },
  {
    // TESTFR act of IEC 60870-5-104.
    protocol: 'iec-104',
    ports: [2404],
    request: hex('680443000000'),
    responsePattern: /^\x68\x04\x83\x00\x00\x00/,
    field: '',
    isBinary: true,
  },
  {
    // Hello of the Niagara Fox protocol.
    protocol: 'fox',
    ports: [1911, 4911],
    request: bytes('fox a 1 -1 fox hello\n{\nfox.version=s:1.0\nid=i:1\n};;\n'),
    responsePattern: /^fox a 0 -1 fox hello\n/,
    field: 'fox.hello',
  },
  {
    // OPC UA hello (part 6, section 7.1.2.3).
    protocol: 'opcua',
    ports: [4840, 4841],
    request: hex(
      '48454c46370000000000000000000100000001000000000000000000170000006f70632e7463703a2f2f696e76616c69643a343834302f',
    ),
    responsePattern: /^(?:ACKF|ERRF)[\s\S]{4}/,
    field: '',
    isBinary: true,
  },
]

/** The printable objects of a device identification: vendor, product code, revision. */
function modbusIdentification(response: string): string {
  return (response.slice(8).match(/[\x20-\x7e]{2,}/g) ?? []).join(' ')
}
