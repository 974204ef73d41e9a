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

export const dataQueries: Readonly<Record<string, readonly ProtocolQuery[]>> = {
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
