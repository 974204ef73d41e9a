/* oxlint-disable no-control-regex -- binary protocols are made of control characters */
/**
 * Probes for services that wait for the client to speak first, and the responses that identify
 * them.
 * Each probe is the opening message from its protocol's specification; none changes anything.
 */

import type { Probe } from '#fingerprint/probe.ts'
import { callProbes } from '#fingerprint/call-probes.ts'
import { controlProbes } from '#fingerprint/control-probes.ts'
import { daemonProbes } from '#fingerprint/daemon-probes.ts'
import { dataProbes } from '#fingerprint/data-probes.ts'
import { deviceProbes } from '#fingerprint/device-probes.ts'
import { infrastructureProbes } from '#fingerprint/infrastructure-probes.ts'
import { javaProbes } from '#fingerprint/java-probes.ts'
import { describeStart, protocolHeader } from '#native/amqp-wire.ts'
import { framed, localhostQuery, softwareByLocalhost } from '#native/dns.ts'
import { connectionRequest, describeChoice, readConfirm, security } from '#native/rdp-wire.ts'
import { bytes, hex } from '#wire.ts'

/** HTTP request: identifies web servers and makes many other services reveal themselves. */
export const webProbe = (hostname: string) =>
  bytes(
    `GET / HTTP/1.1\r\nHost: ${hostname}\r\nUser-Agent: Mozilla/5.0 (compatible)\r\nAccept: */*\r\nConnection: close\r\n\r\n`,
  )

export const probes: readonly Probe[] = [
  {
    // Not every compatible server accepts a command as one line.
    protocol: 'redis',
    ports: [6379, 6380, 6381, 26379, 16379, 9851],
    request: bytes('*1\r\n$4\r\nPING\r\n'),
    responsePattern: /^(\+PONG|-NOAUTH|-DENIED|-ERR|-MISCONF)/,
    field: '',
  },
  {
    protocol: 'memcached',
    ports: [11211, 11210],
    request: bytes('version\r\n'),
    responsePattern: /^VERSION (?!Hazelcast\r)/,
    field: 'memcached.version',
  },
  {
    protocol: 'gearman',
    ports: [4730],
    request: bytes('version\n'),
    responsePattern: /^OK \d+\.\d/,
    field: 'gearman.version',
  },
  {
    protocol: 'beanstalkd',
    ports: [11300],
    request: bytes('stats\r\n'),
    responsePattern: /^OK \d+\r\n---/,
    field: 'beanstalkd.stats',
  },
  {
    protocol: 'zookeeper',
    ports: [2181, 2182],
    request: bytes('srvr\n'),
    responsePattern: /^Zookeeper version|^This ZooKeeper|not in the whitelist/i,
    field: 'zookeeper.version',
  },
  {
    // CONNECT, protocol level 4, clean session, client ID "glacis".
    protocol: 'mqtt',
    ports: [1883, 1884],
    tlsPorts: [8883],
    request: hex('10 12 0004 4d515454 04 02 000a 0006 676c61636973'),
    responsePattern: /^\x20\x02[\x00\x01][\x00-\x05]/,
    field: '',
  },
  {
    protocol: 'postgresql',
    ports: [5432, 5433, 5434, 6432],
    request: hex('00000008 04d2162f'),
    responsePattern: /^[SN]$/,
    field: '',
  },
  {
    // Search of the root DSE, all user and operational attributes.
    protocol: 'ldap',
    ports: [389, 3268, 10389, 1389],
    tlsPorts: [636, 3269, 10636, 1636],
    request: hex(
      '302b 020101 6326 0400 0a0100 0a0100 020101 020105 010100 870b 6f626a656374436c617373 3006 04012a 04012b',
    ),
    responsePattern: /^\x30[\s\S]{1,6}\x02\x01\x01[\x64\x65]/,
    field: 'ldap.search_result',
  },
  {
    // version.bind, TXT, CHAOS.
    protocol: 'dns',
    ports: [53, 5300, 5353],
    request: hex('001e 4743 0000 0001 0000 0000 0000 07 76657273696f6e 04 62696e64 00 0010 0003'),
    responsePattern: /^[\s\S]{2}GC[\x80-\x87]/,
    field: 'dns.versionbind',
    read: versionBind,
  },
  {
    // For resolvers that ignore questions of class CHAOS.
    protocol: 'dns',
    ports: [53],
    request: framed(localhostQuery),
    responsePattern: /^[\s\S]{2}GC[\x80-\x87][\s\S]{9}\x09localhost\0/,
    field: 'protocol.software',
    read: (response) => softwareByLocalhost(Buffer.from(response, 'latin1').subarray(2))[0] ?? '',
    isBinary: true,
    isOwnPortsOnly: true,
  },
  {
    protocol: 'amqp',
    ports: [5672],
    tlsPorts: [5671],
    request: protocolHeader,
    responsePattern: /^(\x01\x00\x00[\s\S]{4}\x00\x0a\x00\x0a|AMQP)/,
    field: 'amqp.start',
    read: (response) => describeStart(Buffer.from(response, 'latin1')),
    isBinary: true,
  },
  {
    // hello as OP_MSG on "admin".
    protocol: 'mongodb',
    ports: [27017, 27018, 27019],
    request: hex(
      '34000000 01000000 00000000 dd070000 00000000 00 1f000000 10 68656c6c6f00 01000000 02 24646200 06000000 61646d696e00 00',
    ),
    responsePattern: /^[\s\S]{4}[\s\S]{4}\x01\x00\x00\x00(\xdd\x07|\x01\x00)\x00\x00/,
    field: '',
  },
  {
    // isMaster as OP_QUERY, for versions before 3.6.
    protocol: 'mongodb',
    ports: [27017, 27018, 27019],
    request: hex(
      '3a0000000100000000000000d40700000000000061646d696e2e24636d640000000000ffffffff130000001069734d6173746572000100000000',
    ),
    responsePattern: /^[\s\S]{8}\x01\x00\x00\x00\x01\x00\x00\x00[\s\S]{24}\x08ismaster\x00/,
    field: '',
    isOwnPortsOnly: true,
  },
  {
    // X.224 connection request with a negotiation request for TLS and CredSSP.
    protocol: 'rdp',
    ports: [3389, 3388],
    request: connectionRequest(security.tls + security.credSsp),
    responsePattern: /^\x03\x00\x00[\x0b\x13][\x06\x0e]\xd0/,
    field: 'rdp.choice',
    read: (response) => rdpChoice(response),
    isBinary: true,
  },
  {
    // SMB 1 negotiate that offers NT LM 0.12 and SMB 2.002.
    protocol: 'smb',
    ports: [445, 139],
    request: hex(
      '0000003a ff534d42 72 00000000 18 0128 0000 0000000000000000 0000 0000 0000 0000 0000 00 1700 02 4e54204c4d20302e313200 02 534d4220322e30303200',
    ),
    responsePattern: /^\x00[\s\S]{3}[\xff\xfe]SMB/,
    field: '',
  },
  {
    protocol: 'rtsp',
    ports: [554, 8554, 10554],
    request: bytes('OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n'),
    // Like SIP, RTSP requires a CSeq.
    responsePattern: /^RTSP\/\d[\s\S]{0,4000}\nCSeq\s{0,9}:/i,
    field: 'rtsp_header.server',
    read: (response) => /^server:\s{0,100}([^\r\n]{1,200})/im.exec(response)?.[1] ?? '',
  },
  {
    protocol: 'irc',
    tlsPorts: [6697],
    ports: [6667, 6660, 6661, 6662, 6663, 6664, 6665, 6666, 6668, 6669],
    request: bytes('NICK glacis\r\nUSER glacis 0 * :glacis\r\n'),
    responsePattern: /(^|\n):\S+ (00[1-4]|NOTICE|020|451|433) /,
    field: 'irc.welcome',
  },
  {
    protocol: 'git',
    ports: [9418],
    request: bytes('0025git-upload-pack /\0host=localhost\0'),
    responsePattern: /^[0-9a-f]{4}(ERR |[0-9a-f]{40})/,
    field: '',
  },
  {
    protocol: 'x11',
    ports: [6000, 6001, 6002, 6003, 6004, 6005],
    request: hex('6c00 0b00 0000 0000 0000 0000'),
    responsePattern: /^[\x00-\x02][\s\S]\x0b\x00/,
    field: 'x11.vendor',
    read: x11Vendor,
  },
  {
    // DUMP of the portmapper.
    protocol: 'rpcbind',
    ports: [111],
    request: hex('80000028 474c4143 00000000 00000002 000186a0 00000002 00000004 00000000 00000000 00000000 00000000'),
    // Accepted; other RPC servers reply that they don't have the program.
    responsePattern: /^\x80[\s\S]{3}GLAC\x00\x00\x00\x01\x00{4}[\s\S]{8}\x00{4}/,
    field: 'rpcbind.dump',
    read: () => 'portmapper',
  },
  {
    protocol: 'socks5',
    ports: [1080, 9050, 9150],
    request: hex('050100'),
    responsePattern: /^\x05[\x00\xff]$/,
    field: '',
  },
  {
    protocol: 'rmi',
    ports: [1098, 1099],
    request: hex('4a524d49 0002 4b'),
    responsePattern: /^N[\s\S]{2}\d/,
    field: '',
  },
  ...infrastructureProbes,
  ...daemonProbes,
  ...javaProbes,
  ...dataProbes,
  ...callProbes,
  ...controlProbes,
  ...deviceProbes.map((probe) => ({ ...probe, isOwnPortsOnly: true })),
]

/** Characteristic responses of other protocols to an HTTP request. */
export const httpResponseProtocols: readonly (readonly [RegExp, string])[] = [
  [/^-(ERR|NOAUTH|DENIED)/, 'redis'],
  [/^ERROR\r\n/, 'memcached'],
  [/^ERR unknown_command/i, 'gearman'],
  [/^UNKNOWN_COMMAND/, 'beanstalkd'],
  [/^:\S+ (451|NOTICE|421) /, 'irc'],
  [/^RTSP\//, 'rtsp'],
  [/^AMQP/, 'amqp'],
  [/^E[\s\S]{4}(S|F)/, 'postgresql'],
  [/^<\?xml[^>]*\?>\s*<stream:/, 'xmpp'],
  [/^SIP\/2\.0 /, 'sip'],
  [/^Unknown command(?:, but maybe one of the following|\. Please enter one of the following)/, 'haproxy-cli'],
  [/^do_cmd: ignoring command starting with '/, 'pen-control'],
  [/^520 (?:\/,HTTP\/1\.\d not defined|command could not be executed, )/, 'mon'],
  [/^UNKNOWN COMMAND\n?$/, 'clamd'],
  [/^\0\0\0(?:\x0e|\x12\0\0\0\x01)E_BAD_PROTOCOL$/, 'nsq'],
  // The server mistook the request for a client's cookie.
  [/^\t$/, 'iperf3'],
  [/^[^\r\n]{0,20}\bunknown command:? ["'`]?GET\b/i, 'command-console'],
  [/^SPAMD\/1\.0 76 /, 'spamd'],
  [/^ERR UNKNOWN-COMMAND\n/, 'nut'],
  [/^\x00{7}\x05\x009\x000\x000\x004\x007/, 'h2'],
  [/^\x00[\s\S]\xd0[\x02\x03\x42\x43]/, 'drda'],
  [/^ICAP\/1\.0 /, 'icap'],
  [/^HTTP\/1\.0 400 [\s\S]{0,200}clickhouse-client/, 'clickhouse'],
]

/** The text of the last CHAOS TXT record in a DNS response. */
function versionBind(response: string): string {
  const [, length = '', text = ''] = /^[\s\S]*\x00\x10\x00\x03[\s\S]{6}([\s\S])([\s\S]*)$/.exec(response) ?? []
  return text.slice(0, length.charCodeAt(0) || 0)
}

function rdpChoice(response: string): string {
  const choice = readConfirm(Buffer.from(response, 'latin1'))
  return choice ? describeChoice(choice) : ''
}

/**
 * An accepted client receives the vendor (X11 protocol, section 8); a rejected one receives the
 * reason.
 */
function x11Vendor(response: string): string {
  const length = response.startsWith('\x01') ? (response.charCodeAt(24) || 0) + (response.charCodeAt(25) || 0) * 256 : 0
  return response.slice(40, 40 + length)
}
