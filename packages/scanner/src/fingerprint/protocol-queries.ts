/* oxlint-disable no-control-regex -- binary protocols are made of control characters */
import { dataQueries } from '#fingerprint/data-queries.ts'
import type { FingerprintText } from '#fingerprint/fingerprint-text.ts'
import { mmsIdentity, s7Identity } from '#fingerprint/iso-transport.ts'
import {
  answeredMethod,
  callsWithoutParameters,
  knownMethods,
  listedServices,
  reflectionRequest,
} from '#native/grpc-wire.ts'
import { registerWithIrc } from '#native/irc.ts'
import { readChallenge } from '#native/ntlm.ts'
import { listedShares, logInAnonymously, sessionOn } from '#native/smb-session.ts'
import { rejectsPlaintext } from '#native/starttls.ts'
import {
  commands,
  isFrame,
  negotiateBody,
  sessionBody,
  smb1Negotiate,
  smb1Session,
  spnegoInit,
} from '#native/smb-wire.ts'
import { descriptionOf, snmpGet } from '#native/snmp.ts'
import type { TcpConnection } from '#net/tcp.ts'
import { bytes, hex, ignoreRangeError } from '#wire.ts'

/**
 * Protocol-specific queries that yield exact versions from an identified service. None of them
 * authenticates with a password or changes anything.
 */
export type ProtocolQuery = (connection: TcpConnection) => Promise<readonly FingerprintText[]>

const readOptions = { firstByteMs: 2000, idleMs: 150, bytesMax: 16_384 }

/** Text of a query that is to be repeated after STARTTLS. */
export const tlsRequired = 'TLS required'

/** By protocol; each query uses its own connection. */
export const protocolQueries: Readonly<Record<string, readonly ProtocolQuery[]>> = {
  'iso-tsap': [s7Identity, mmsIdentity],

  /** The greeting of many servers only announces that they look up the client. */
  irc: [async (connection) => [{ field: 'irc.welcome', text: await registerWithIrc(connection) }]],

  snmp: [
    async (connection) => {
      connection.write(snmpGet(1, 'public'))
      const text = descriptionOf(await connection.read(readOptions))
      return text === '' ? [] : [{ field: 'snmp.sys_description', text }]
    },
  ],

  /** The capabilities file that Gopher servers generate for their clients. */
  gopher: [
    async (connection) => {
      connection.write('caps.txt\r\n')
      const text = (await connection.read(readOptions)).toString('latin1')
      return /^CAPS\r?\n/.test(text) ? [{ field: 'gopher.capabilities', text }] : []
    },
  ],

  'dubbo-qos': [
    async (connection) => {
      connection.write('version\r\n')
      const enough = (all: Buffer) => all.includes('dubbo version "')
      const text = (await connection.read({ ...readOptions, enough })).toString('latin1')
      return [{ field: 'dubbo.qos', text: /dubbo version "[\w.-]{1,40}"/.exec(text)?.[0] ?? 'no version' }]
    },
  ],

  /** The version of the framework. */
  'osgi-shell': [
    async (connection) => {
      await connection.read({ ...readOptions, enough: (all) => all.includes('\n-> ') })
      connection.write('version\r\n')
      const text = (await connection.read({ ...readOptions, enough: (all) => all.includes('-> ') })).toString('latin1')
      const [, version = ''] = /^\s{0,4}(\d{1,3}\.\d[\w.]{0,20})\r?\n/.exec(text) ?? []
      return [{ field: 'protocol.software', text: `Apache Felix ${version}`.trim() }]
    },
  ],

  /** Names of the services, if the server has reflection. */
  grpc: [
    async (connection) => {
      connection.write(reflectionRequest)
      const services = listedServices(await connection.read({ ...readOptions, bytesMax: 65_536, idleMs: 500 }))
      return [{ field: 'grpc.services', text: services.join('\n') || 'no reflection' }]
    },
    async (connection) => {
      connection.write(callsWithoutParameters(knownMethods))
      const answered = answeredMethod(await connection.read({ ...readOptions, idleMs: 500 }), knownMethods)
      return answered ? [{ field: 'grpc.services', text: answered.method.split('/', 1)[0] ?? '' }] : []
    },
  ],

  /**
   * An anonymous SMB 1 login returns the names of the operating system and the server, whether or
   * not it succeeds.
   */
  smb: [
    async (connection) => {
      connection.write(smb1Negotiate)
      const chosen = await connection.read({ ...readOptions, enough: isFrame })
      if (chosen.toString('latin1', 4, 8) !== '\u00ffSMB') return [{ field: 'smb.native_lm', text: 'no SMB 1' }]
      connection.write(smb1Session)
      const response = await connection.read({ ...readOptions, enough: isFrame })
      const strings = response.toString('latin1', 36)
      return [{ field: 'smb.native_lm', text: /Samba [\x20-\x7e]{1,60}/.exec(strings)?.[0] ?? 'unknown' }]
    },
    readNtlmBuild,
    readSambaComment,
  ],

  /** Brokers publish their version under $SYS to clients that are allowed to subscribe. */
  mqtt: [
    async (connection) => {
      connection.write(Buffer.from('101200044d5154540402000a0006676c61636973', 'hex'))
      const accepted = (await connection.read({ ...readOptions, enough: (all) => all.length >= 4 }))[3] === 0
      if (!accepted) return [{ field: 'mqtt.version', text: 'authentication required' }]
      connection.write(
        Buffer.concat([Buffer.from('821800010013', 'hex'), bytes('$SYS/broker/version'), Buffer.from([0])]),
      )
      const text = (await connection.read({ ...readOptions, firstByteMs: 1000, idleMs: 500 })).toString('latin1')
      const [, version = ''] = /\$SYS\/broker\/version([\x20-\x7e]{1,100})/.exec(text) ?? []
      return [{ field: 'mqtt.version', text: version || 'no version' }]
    },
  ],

  /**
   * With trust authentication, the server sends its version immediately; with password
   * authentication, it doesn't.
   */
  postgresql: [
    async (connection) => {
      const parameters = bytes('user\0postgres\0database\0postgres\0application_name\0glacis\0\0')
      const head = Buffer.alloc(8)
      head.writeInt32BE(parameters.length + 8)
      head.writeInt32BE(0x30000, 4)
      connection.write(Buffer.concat([head, parameters]))
      const received = await connection.read({ ...readOptions, enough: (all) => all.includes('server_version') })
      const text = received.toString('latin1')
      const [, version = ''] = /server_version\0([\x20-\x7e]{1,100})\0/.exec(text) ?? []
      const other = rejectsPlaintext('postgresql', received) ? tlsRequired : 'no version'
      return [{ field: 'postgresql.version', text: version || (isPgBouncer(text) ? 'PgBouncer' : other) }]
    },
  ],

  /** OpenLDAP's version, if anonymous clients can read the base entry of its monitor. */
  ldap: [
    async (connection) => {
      connection.write(
        hex(
          '303e 020101 6339 040a 636e3d4d6f6e69746f72 0a0100 0a0100 020101 020105 010100 870b 6f626a656374436c617373 300f 040d 6d6f6e69746f726564496e666f',
        ),
      )
      const isDone = (all: Buffer) => /\x65\x07\x0a\x01/.test(all.toString('latin1'))
      const text = (await connection.read({ ...readOptions, enough: isDone })).toString('latin1')
      const [info] = /OpenLDAP: slapd [\x20-\x7e]{1,60}/.exec(text) ?? []
      return info === undefined ? [] : [{ field: 'ldap.monitored_info', text: info }]
    },
  ],

  'openvpn-management': [
    async (connection) => {
      connection.write('version\r\n')
      const isComplete = (all: Buffer) => /\nEND\r?\n/.test(all.toString('latin1'))
      const text = (await connection.read({ ...readOptions, enough: isComplete })).toString('latin1')
      const [, version = ''] = /^OpenVPN Version: ([\x20-\x7e]{1,100})/m.exec(text) ?? []
      return [{ field: 'openvpn.management', text: version || 'no version' }]
    },
  ],

  ...dataQueries,

  /** VirtualMachine.Version; the reply ends with the version of the virtual machine and its name. */
  jdwp: [
    async (connection) => {
      connection.write(Buffer.concat([bytes('JDWP-Handshake'), hex('0000000b 00000001 00 0101')]))
      const enough = (all: Buffer) => all.length >= 18 && all.length >= 14 + all.readUInt32BE(14)
      const text = (await connection.read({ ...readOptions, firstByteMs: 4000, enough })).toString('latin1')
      const [, version, name] =
        /[\s\S]{12}\0\0\0[\x03-\x30](\d[\w.+-]{2,40})\0\0\0[\x03-\x50]([\x20-\x7e]{3,80})$/.exec(text) ?? []
      return version === undefined || name === undefined ? [] : [{ field: 'jdwp.version', text: `${name} ${version}` }]
    },
  ],

  munin: [
    async (connection) => {
      connection.write('version\n')
      const isComplete = (all: Buffer) => all.includes('version: ')
      const text = (await connection.read({ ...readOptions, idleMs: 1000, enough: isComplete })).toString('latin1')
      return [{ field: 'munin.version', text }]
    },
  ],

  /** HTTP proxies identify themselves when asked for a page directly. */
  socks5: [
    async (connection) => {
      connection.write('GET / HTTP/1.0\r\n\r\n')
      const text = (await connection.read(readOptions)).toString('latin1')
      return [{ field: 'socks5.refusal', text: text.split('\r\n', 1)[0] ?? '' }]
    },
  ],

  /**
   * A request with invalid lengths: most servers close the connection, one has a characteristic
   * error message.
   */
  rdp: [
    async (connection) => {
      connection.write(Buffer.from('0300001302e000000000000100080003000000', 'hex'))
      const response = (await connection.read(readOptions)).toString('hex')
      return [{ field: 'rdp.farewell', text: response }]
    },
  ],
}

/**
 * PostgreSQL error messages name the failing routine; PgBouncer's, with its own error code, don't.
 */
function isPgBouncer(text: string): boolean {
  const [, message = ''] = /^E[\s\S]{4}SFATAL\0C08P01\0M([^\0]*)\0\0/.exec(text) ?? []
  return /authentication failed|no such database|no such user/.test(message)
}

/** SMB 2 servers disclose their operating system before authentication (MS-NLMP 2.2.1.2). */
async function readNtlmBuild(connection: TcpConnection): Promise<readonly FingerprintText[]> {
  const session = sessionOn(connection)
  if (!(await session.send(commands.negotiate, negotiateBody()))) return []
  const setupReply = await session.send(commands.sessionSetup, sessionBody(spnegoInit()))
  const challenge = setupReply && readChallenge(setupReply.body)
  return challenge ? [{ field: 'ntlm.build', text: challenge.build }] : []
}

/**
 * Samba includes its version in the comment of the IPC$ share when anonymous share listing is
 * allowed.
 */
async function readSambaComment(connection: TcpConnection): Promise<readonly FingerprintText[]> {
  const session = sessionOn(connection)
  if (!(await session.send(commands.negotiate, negotiateBody())) || !(await logInAnonymously(session))) return []
  const shares = await listedShares(session, connection.socket.remoteAddress ?? '').catch(ignoreRangeError)
  const remark = shares?.find(({ name }) => name === 'IPC$')?.remark ?? ''
  const [, server] = /\((Samba [\x20-\x7e]{1,60})\)/.exec(remark) ?? []
  return server === undefined ? [] : [{ field: 'smb.native_lm', text: server }]
}
