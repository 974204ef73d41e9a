/* oxlint-disable no-control-regex -- binary protocols are made of control characters */
/** Queries for the exact version of databases and sound servers that accept unauthenticated clients. */
import type { FingerprintText } from '#fingerprint/fingerprint-text.ts'
import { readServer } from '#native/opcua-wire.ts'
import type { TcpConnection } from '#net/tcp.ts'
import { hex, ignoreRangeError } from '#wire.ts'

type ProtocolQuery = (connection: TcpConnection) => Promise<readonly FingerprintText[]>

const readOptions = { firstByteMs: 2000, idleMs: 150, bytesMax: 16_384 }

/** AUTH of PulseAudio's native protocol, version 32, with an empty cookie. */
export const pulseAudioAuth = Buffer.concat([
  hex('00000114 ffffffff 00000000 00000000 00000000 4c00000008 4c00000000 4c00000020 7800000100'),
  Buffer.alloc(256),
])

/** Signature, version 3.0, mechanism NULL, and READY of a DEALER. */
const dealerHello = Buffer.concat([
  hex('ff00000000000000017f 0300 4e554c4c'),
  Buffer.alloc(48),
  hex('041c 05 5245414459 0b 536f636b65742d54797065 00000006 4445414c4552'),
])

/** Errors of Redis for a command that isn't permitted. */
const redisRejection =
  /^-(?:NOAUTH Authentication required|NOPERM |DENIED Redis |MISCONF |LOADING Redis |ERR operation not permitted)/

export const dataQueries: Readonly<Record<string, readonly ProtocolQuery[]>> = {
  /** INFO requires authentication when a password is set. ACLs that deny it allow HELLO, which has the version, too. */
  redis: [
    async (connection) => {
      connection.write('*2\r\n$4\r\nINFO\r\n$6\r\nserver\r\n')
      const text = (await connection.read(readOptions)).toString('latin1')
      if (text.startsWith('$')) return [{ field: 'redis.info', text }]
      connection.write('*2\r\n$5\r\nHELLO\r\n$1\r\n3\r\n')
      const hello = (await connection.read(readOptions)).toString('latin1')
      const [, server, version] =
        /^%\d\r\n\$6\r\nserver\r\n\$\d\r\n(redis|valkey)\r\n\$7\r\nversion\r\n\$\d{1,2}\r\n(\d[\w.]{1,20})\r\n/.exec(
          hello,
        ) ?? []
      if (version !== undefined) return [{ field: 'redis.info', text: `${server}_version:${version}` }]
      // Compatible servers reject the command in their own words, or don't know it.
      return redisRejection.test(text) ? [{ field: 'redis.info', text: 'redis' }] : []
    },
  ],

  /** buildInfo works before authentication in every version. */
  mongodb: [
    async (connection) => {
      connection.write(
        Buffer.from(
          '380000000200000000000000dd070000000000000023000000106275696c64496e666f000100000002246462000600000061646d696e0000',
          'hex',
        ),
      )
      const text = (await connection.read({ ...readOptions, bytesMax: 65_536 })).toString('latin1')
      const [, ferretDb] = /\x02ferretdbVersion\0[\s\S]{4}([\x20-\x7e]{1,60})\0/.exec(text) ?? []
      return [
        { field: 'mongodb.version', text: ferretDb ? `FerretDB ${ferretDb}` : mongoVersion(text) || 'no version' },
      ]
    },
    // As OP_QUERY, for versions before 3.6.
    async (connection) => {
      connection.write(
        Buffer.from(
          '3b0000000200000000000000d40700000000000061646d696e2e24636d640000000000ffffffff14000000106275696c64496e666f000100000000',
          'hex',
        ),
      )
      const version = mongoVersion((await connection.read({ ...readOptions, bytesMax: 65_536 })).toString('latin1'))
      return version ? [{ field: 'mongodb.version', text: version }] : []
    },
  ],

  /** The member's version, which the reply to a rejected login doesn't contain. */
  hazelcast: [
    async (connection) => {
      connection.write('GET /hazelcast/rest/cluster HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
      const text = (await connection.read(readOptions)).toString('latin1')
      const [, version] = /"memberVersion":"(\d[\w.-]{1,30})"/.exec(text) ?? []
      return version === undefined ? [] : [{ field: 'hazelcast.login', text: `status 1 version ${version}` }]
    },
  ],

  /** The description of an OPC UA server and, if it accepts anonymous sessions, of its build. */
  opcua: [
    async (connection) => {
      const { remoteAddress, remotePort } = connection.socket
      const server = await readServer(connection, `opc.tcp://${remoteAddress}:${remotePort}/`).catch(ignoreRangeError)
      if (!server) return []
      const { productUri, applicationName, build } = server
      return [{ field: 'opcua.server', text: [productUri, applicationName, ...build].join('\n') }]
    },
  ],

  /** STARTUP, then a query of system.local (CQL binary protocol, version 3). */
  cql: [
    async (connection) => {
      connection.write(hex('03000000 01 00000016 0001 000b 43514c5f56455253494f4e 0005 332e302e30'))
      const ready = await connection.read(readOptions)
      if (ready[4] !== 2) return []
      const query = Buffer.from('SELECT release_version FROM system.local')
      const head = hex('03000000 07 00000000 00000000')
      head.writeUInt32BE(query.length + 7, 5)
      head.writeUInt32BE(query.length, 9)
      connection.write(Buffer.concat([head, query, hex('0001 00')]))
      const rows = (await connection.read(readOptions)).toString('latin1')
      const [, version] = /release_version\0\r\0\0\0\u0001\0\0\0[\s\S]([\x20-\x7e]{1,40})/.exec(rows) ?? []
      return version === undefined ? [] : [{ field: 'cql.release_version', text: version }]
    },
  ],

  /** HELLO without authentication; the error of a server that requires it is characteristic, too. */
  bolt: [
    async (connection) => {
      connection.write(hex('6060b017 00020404 00000104 00000003 00000000'))
      const chosen = await connection.read({ ...readOptions, enough: (all) => all.length >= 4 })
      if (chosen.length < 4 || chosen[3] === 0) return [{ field: 'bolt.server', text: 'unknown version' }]
      connection.write(
        // The map { user_agent: "glacis/1.0", scheme: "none" } as one chunk of PackStream.
        hex('0025 b1 01 a2 8a 757365725f6167656e74 8a 676c616369732f312e30 86 736368656d65 84 6e6f6e65 0000'),
      )
      const reply = (await connection.read(readOptions)).toString('latin1')
      const [text] = /Neo4j\/\d[\w.+-]{1,40}|Neo\.ClientError\.Security\.[A-Za-z]{1,40}/.exec(reply) ?? []
      return text === undefined ? [] : [{ field: 'bolt.server', text }]
    },
  ],

  /** AUTH with an empty cookie, SET_CLIENT_NAME, GET_SERVER_INFO. */
  pulseaudio: [
    async (connection) => {
      connection.write(pulseAudioAuth)
      const accepted = await connection.read(readOptions)
      if (accepted[24] !== 2) return []
      connection.write(hex('0000000c ffffffff 00000000 00000000 00000000 4c00000009 4c00000001 504e'))
      await connection.read(readOptions)
      connection.write(hex('0000000a ffffffff 00000000 00000000 00000000 4c00000014 4c00000002'))
      const reply = (await connection.read(readOptions)).toString('latin1')
      const [, version] = /tpulseaudio\0t(\d{1,4}\.\d{1,4}[\w.-]{0,30})\0/.exec(reply) ?? []
      return version === undefined ? [] : [{ field: 'pulseaudio.version', text: version }]
    },
  ],
  /** An empty map in MessagePack, which a Salt master rejects with an error of its own. */
  salt: [
    async (connection) => {
      connection.write(dealerHello)
      await connection.read({ ...readOptions, idleMs: 300 })
      connection.write(hex('0100 0001 80'))
      const reply = (await connection.read({ ...readOptions, firstByteMs: 1000 })).toString('latin1')
      const isSalt = /payload and load must be a dict|bad load/.test(reply)
      return [{ field: 'protocol.software', text: isSalt ? 'Salt master' : 'ZeroMQ' }]
    },
  ],
  /** The greeting of a ZeroMQ DEALER (RFC 23/ZMTP) and a question that only Circus answers. */
  zmtp: [
    async (connection) => {
      connection.write(dealerHello)
      await connection.read({ ...readOptions, idleMs: 300 })
      const question = '{"command":"numwatchers","id":"glacis","properties":{}}'
      connection.write(Buffer.concat([Buffer.from([0, question.length]), Buffer.from(question)]))
      const reply = (await connection.read({ ...readOptions, firstByteMs: 1000 })).toString('latin1')
      return [{ field: 'protocol.software', text: reply.includes('"numwatchers":') ? 'Circus' : 'ZeroMQ' }]
    },
  ],
}

function mongoVersion(buildInfo: string): string {
  return /\x02version\0[\s\S]{4}([\d.]{1,20}(?:-\w{1,100})?)\0/.exec(buildInfo)?.[1] ?? ''
}
