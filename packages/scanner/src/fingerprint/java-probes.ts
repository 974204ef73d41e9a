/* oxlint-disable no-control-regex -- binary protocols are made of control characters */
/** Probes for databases, data grids, and brokers, most of them written in Java. */
import type { Probe } from '#fingerprint/probe.ts'
import { hazelcastLogin, serverVersion } from '#fingerprint/hazelcast.ts'
import { relationalIdentity } from '#fingerprint/drda.ts'
import { bytes, hex } from '#wire.ts'

export const javaProbes: readonly Probe[] = [
  {
    // EXCSAT of DRDA: the class, name, and release of the server (DRDA, volume 3).
    protocol: 'drda',
    ports: [1527, 50000],
    request: hex('001ed001000100181041 0014 1404 14030007 24070007 14400007 240f0007'),
    responsePattern: /^\x00[\s\S]\xd0[\x02\x42\x03]\x00\x01\x00[\s\S]\x14\x43/,
    field: 'drda.server',
    read: (response) => relationalIdentity(Buffer.from(response, 'latin1')),
    isBinary: true,
  },
  {
    // Protocol versions that no server supports; the error, in UTF-16, ends with the build number.
    protocol: 'h2',
    ports: [9092, 8092],
    request: bytes('glacglac'),
    responsePattern: /^\x00\x00\x00\x00\x00\x00\x00\x05\x00[09]\x00[08]/,
    field: 'h2.error',
    read: (response) => versionOfBuild(response.replaceAll('\0', '')),
    isBinary: true,
  },
  {
    // Login to the default cluster "dev" without credentials.
    protocol: 'hazelcast',
    ports: [5701, 5702],
    request: hazelcastLogin,
    responsePattern: /^[\s\S]{2}\x00\x00\x00\xc0(?:\x01|\x00)[\x00\x01]\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00/,
    field: 'hazelcast.login',
    read: serverVersion,
    isBinary: true,
  },
  {
    // Before version 4, and with the memcache protocol, members answer its requests.
    protocol: 'hazelcast',
    ports: [5701, 5702],
    request: bytes('version\r\n'),
    responsePattern: /^VERSION Hazelcast\r\n/,
    field: 'hazelcast.login',
    read: () => 'no login',
  },
  {
    // OPTIONS of the CQL native protocol, version 3.
    protocol: 'cql',
    ports: [9042],
    tlsPorts: [9142],
    request: hex('03 00 0000 05 00000000'),
    responsePattern: /^[\x83-\x85]\x00\x00\x00\x06[\s\S]{4}\x00[\x01-\x20]\x00/,
    field: 'cql.supported',
    read: (response) => (response.includes('SCYLLA_') ? 'ScyllaDB' : 'CQL'),
    isBinary: true,
  },
  {
    // Handshake of the thin client, version 1.0.0.
    protocol: 'ignite',
    ports: [10800],
    request: hex('08000000 01 0100 0000 0000 02'),
    responsePattern:
      /^(?:[\x01-\x30]\x00\x00\x00\x01(?:[\s\S]{0,47})$|[\s\S]{2}\x00\x00\x00\x01\x00[\x00-\x09]\x00[\x00-\x09]\x00\x09)/,
    field: 'ignite.handshake',
    read: () => 'thin client protocol',
    isBinary: true,
  },
  {
    // ApiVersions, version 0 (Kafka protocol guide).
    protocol: 'kafka',
    ports: [9092, 9093, 9094],
    tlsPorts: [9093, 9094],
    request: hex('00000010 0012 0000 474c4143 0006 676c61636973'),
    responsePattern: /^\x00\x00[\s\S]{2}GLAC\x00\x00\x00\x00\x00[\s\S]\x00\x00/,
    field: 'kafka.api_versions',
    read: () => 'ApiVersions',
    isBinary: true,
  },
  {
    // The telnet commands on the port of a provider.
    protocol: 'dubbo-telnet',
    ports: [20880],
    request: bytes('ls\r\n'),
    responsePattern: /\r\ndubbo>$/,
    field: 'dubbo.qos',
    read: () => 'dubbo>',
    isOwnPortsOnly: true,
  },
  {
    protocol: 'elasticsearch-transport',
    ports: [9300],
    request: bytes('GET / HTTP/1.0\r\n\r\n'),
    responsePattern: /^This is not an? HTTP port/,
    field: 'elasticsearch.transport',
  },
  {
    // A pickled dictionary: the type "cache-query" and the metric "glacis".
    protocol: 'carbon',
    ports: [7002],
    request: hex(
      '0000003f 80027d7100285804000000747970657101580b00000063616368652d7175657279710258060000006d657472696371035806000000676c616369737104752e',
    ),
    responsePattern: /^\x00\x00\x00[\s\S]\x80\x02\}q[\s\S]{1,12}datapoints/,
    field: 'carbon.cache',
    read: () => 'datapoints',
    isBinary: true,
  },
  {
    // Handshake of Bolt with the versions 5.4, 4.4, 4.1, and 3.
    protocol: 'bolt',
    ports: [7687],
    request: hex('6060b017 00040405 00020404 00000104 00000003'),
    responsePattern: /^\x00\x00(?:[\x00-\x04]\x05|[\x01-\x04]\x04|\x00\x03)$/,
    field: '',
    isBinary: true,
  },
  {
    // GET_BROKER_CLUSTER_INFO, a request of every client.
    protocol: 'rocketmq',
    ports: [9876],
    request: rocketRequest(),
    responsePattern: /^\x00\x00[\s\S]{2}\x00\x00[\s\S]{2}\{[^{}]{0,200}"language":"JAVA"/,
    field: 'rocketmq.reply',
    read: (response) => /"version":\d+/.exec(response)?.[0] ?? '',
    isBinary: true,
  },
  {
    // op_connect of the Firebird wire protocol, versions 10 to 13, with an empty user.
    protocol: 'firebird',
    ports: [3050],
    request: hex(
      '00000001 00000013 00000003 00000001 00000006 676c616369730000 00000004 00000012 0106676c616369730406676c6163697306000000 0000000a000000010000000000000005 00000002 0000800b000000010000000000000005 00000004 0000800c000000010000000000000005 00000006 0000800d000000010000000000000005 00000008',
    ),
    responsePattern:
      /^\x00\x00\x00(?:[\x03\x5e\x62](?:\x00\x00\x00\x0a|(?:\x00\x00|\xff\xff)\x80[\x0b-\x14])|\x5c[\s\S]{16})/,
    field: 'firebird.accept',
    read: () => 'Firebird',
    isBinary: true,
  },
  {
    // AS-REQ for a realm that no server has (RFC 4120, section 5.4.1); every server rejects it.
    protocol: 'kerberos',
    ports: [88],
    request: Buffer.concat([hex('0000008b'), unknownRealmRequest()]),
    responsePattern: /^\x00\x00[\s\S]{2}\x7e[\s\S]{1,3}\x30[\s\S]{1,3}\xa0\x03\x02\x01\x05\xa1\x03\x02\x01\x1e/,
    field: 'kerberos.error',
    read: kerberosError,
    isBinary: true,
  },
]

/** Releases by the first build of each branch; errors end with their code and the build. */
const branches = [
  [240, '2.4'],
  [230, '2.3'],
  [220, '2.2'],
  [210, '2.1'],
  [201, '2.0'],
  [177, '1.4'],
] as const

function versionOfBuild(error: string): string {
  const build = Number(/\[\d{5}-(\d{3})\]/.exec(error)?.[1])
  const branch = branches.find(([first]) => build >= first)?.[1]
  return branch === undefined ? 'H2' : `H2 ${branch}.${build}`
}

/** A length, the length of the header, and the header in JSON. */
function rocketRequest(): Buffer {
  const header = bytes(
    '{"code":106,"flag":0,"language":"JAVA","opaque":1,"serializeTypeCurrentRPC":"JSON","version":399}',
  )
  const lengths = Buffer.alloc(8)
  lengths.writeUInt32BE(header.length + 4)
  lengths.writeUInt32BE(header.length, 4)
  return Buffer.concat([lengths, header])
}

/** Requests a ticket for the principal `glacis@GLACIS.INVALID`. */
export function unknownRealmRequest(): Buffer {
  return hex(
    '6a8188308185a103020105a20302010aa4793077a00703050000000000a1133011a003020101a10a30081b06676c61636973a2101b0e474c414349532e494e56414c4944a3233021a003020102a11a30181b066b72627467741b0e474c414349532e494e56414c4944a511180f32303337303931333032343830355aa7060204474c4143a8053003020112',
  )
}

/** The error text, by which implementations differ; `no text` when absent. */
export function kerberosError(response: string): string {
  const [, text = ''] = /\xab[\s\S]\x1b[\s\S]([\x20-\x7e]{3,200})/.exec(response) ?? []
  return text || 'no text'
}
