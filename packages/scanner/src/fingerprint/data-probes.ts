/* oxlint-disable no-control-regex -- binary protocols are made of control characters */
/** Probes for data stores, nodes, and file servers with protocols of their own. */
import { createHash } from 'node:crypto'
import type { Probe } from '#fingerprint/probe.ts'
import { bytes, hex } from '#wire.ts'

const software = { field: 'protocol.software', isBinary: true } as const

/**
 * Hello of ClickHouse's native protocol as the user `default`, without a password. Revision 54401 is the first in which servers
 * state their patch version.
 */
export const clickHouseHello = Buffer.concat([
  hex('00 06'),
  bytes('glacis'),
  hex('14 0a 81a903 07'),
  bytes('default'),
  hex('07'),
  bytes('default'),
  hex('00'),
])

/** Handshake of the root protocol, login as an arbitrary user, and a query for the version (XRootD protocol, sections 3 and 4). */
export const xrootdLogin = Buffer.concat([
  hex('00000000 00000000 00000000 00000004 000007dc'),
  hex('0047 0bbf 00000001 676c616369730000 00 00 05 00 00000000'),
  hex('0047 0bb9 0007 0000 00000000 0000000000000000 00000007'),
  bytes('version'),
])

/** `status` of Groonga's query and transfer protocol, as the last packet of a command. */
export const groongaStatus = Buffer.concat([
  hex('c700 0000 00 02 0000 00000006 00000000 0000000000000000'),
  bytes('status'),
])

const nsqIdentify = Buffer.concat([bytes('  V2IDENTIFY\n'), hex('0000001c'), bytes('{"feature_negotiation":true}')])

export const dataProbes: readonly Probe[] = [
  {
    // nsqd responds with its version. nsqlookupd doesn't have this version of the protocol.
    protocol: 'nsq',
    ports: [4150, 4160],
    request: nsqIdentify,
    responsePattern: /^\0\0(?:[\s\S]{2}\0\0\0\0\{.{0,4000}"auth_required":|\0(?:\x0e|\x12\0\0\0\x01)E_BAD_PROTOCOL$)/,
    ...software,
    read: (response) => `NSQ ${/"version":"(\d[\w.-]{0,40})"/.exec(response)?.[1] ?? ''}`.trim(),
    isOwnPortsOnly: true,
  },
  {
    protocol: 'clickhouse',
    ports: [9000],
    tlsPorts: [9440],
    request: clickHouseHello,
    responsePattern: /^(?:\0\nClickHouse|\x02[\s\S]{4}\rDB::Exception)/,
    ...software,
    read: clickHouseVersion,
  },
  {
    protocol: 'xrootd',
    ports: [1094, 1095],
    request: xrootdLogin,
    responsePattern: /^\0\0\0\0\0\0\0\x08\0\0[\x02-\x09][\s\S]\0\0\0[\0\x01]/,
    ...software,
    read: (response) => {
      const [, version = ''] = /\0\x47\0\0\0\0\0[\x04-\x30]v?(\d\.\d{1,3}\.\d{1,3})/.exec(response) ?? []
      return `XRootD ${version}`.trim()
    },
  },
  {
    protocol: 'groonga',
    ports: [10043],
    request: groongaStatus,
    responsePattern: /^\xc7[\s\S]{23}\{"alloc_count":/,
    ...software,
    read: (response) => `Groonga ${/"version":"(\d[\w.-]{1,30})"/.exec(response)?.[1] ?? ''}`.trim(),
  },
  {
    // Tversion of 9P2000.L.
    protocol: '9p',
    ports: [564, 5640],
    request: hex('15000000 64 ffff 00200000 0800 3950323030302e4c'),
    responsePattern: /^[\x0d-\x20]\0\0\0\x65\xff\xff[\s\S]{4}[\s\S]\0(?:9P|unknown)/,
    field: '',
    isBinary: true,
  },
  {
    // NEGOTIATE of Kudu's RPC, with SASL as the authentication type.
    protocol: 'kudu',
    ports: [7050, 7051],
    request: hex('6872706309 0000 00000015 0b 18dfffffffffffffffff01 08 0801 1001 3a020a00'),
    responsePattern: /^\0\0[\s\S]{2}[\x0b\x0d]\x08\xdf\xff{8}\x01/,
    ...software,
    read: () => 'Apache Kudu',
    isOwnPortsOnly: true,
  },
  {
    // DUMP of the program list of GlusterFS daemons.
    protocol: 'glusterd',
    ports: [24007],
    request: hex(
      '80000030 474c4147 00000000 00000002 075bb86d 00000001 00000001 00000000 00000000 00000000 00000000 0000000000000000',
    ),
    responsePattern: /^\x80[\s\S]{3}GLAG\0\0\0\x01[\s\S]{0,4000}Gluster/,
    ...software,
    read: () => 'GlusterFS',
  },
  {
    // A request for statistics; servers answer it or report that it is denied.
    protocol: 'zabbix-trapper',
    ports: [10051],
    request: Buffer.concat([
      bytes('ZBXD\u0001'),
      hex('2c000000 00000000'),
      bytes('{"request":"zabbix.stats","type":"glacis-x"}'),
    ]),
    responsePattern: /^ZBXD\x01[\s\S]{8}\{"response":"/,
    ...software,
    read: () => 'Zabbix trapper',
  },
  {
    // A version message (Bitcoin developer reference, "Version").
    protocol: 'bitcoin',
    ports: [8333],
    request: bitcoinVersion(),
    responsePattern: /^\xf9\xbe\xb4\xd9version\0{5}/,
    ...software,
    read: (response) =>
      /\/[\w .()-]{2,40}:\d[\w.()-]{1,40}\/(?:[\w .:()-]{1,60}\/)?/.exec(response)?.[0] ?? 'Bitcoin node',
    isOwnPortsOnly: true,
  },
]

/** Name, major, minor, and revision in a hello; newer servers add the time zone, their display name, and the patch version. */
function clickHouseVersion(response: string): string {
  const packet = Buffer.from(response, 'latin1')
  if (packet[0] !== 0) return 'ClickHouse'
  let at = 1
  const number = () => {
    let value = 0
    for (let shift = 0; at < packet.length; shift += 7) {
      const byte = packet[at++] ?? 0
      value += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) break
    }
    return value
  }
  const skip = () => {
    const length = number()
    at += length
  }
  skip()
  const [major, minor] = [number(), number()]
  number()
  skip()
  skip()
  const patch = at < packet.length ? `.${number()}` : ''
  return `ClickHouse ${major}.${minor}${patch}`
}

function bitcoinVersion(): Buffer {
  const address = Buffer.alloc(26)
  const payload = Buffer.concat([
    hex('7f110100 0000000000000000'),
    Buffer.alloc(8),
    address,
    address,
    hex('474c414349530001'),
    hex('08'),
    bytes('/glacis/'),
    hex('00000000 00'),
  ])
  const digest = (data: Buffer) => createHash('sha256').update(data).digest()
  const head = Buffer.alloc(8)
  head.writeUInt32LE(payload.length)
  digest(digest(payload)).copy(head, 4, 0, 4)
  return Buffer.concat([hex('f9beb4d9'), bytes('version\0\0\0\0\0'), head, payload])
}
