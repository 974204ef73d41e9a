import { randomBytes } from 'node:crypto'
import { hex } from '#wire.ts'
import { checkInfo, type NativeCheck, type NativeContext, type Proof } from '#native/native-check.ts'
import type { TcpConnection } from '#net/tcp.ts'

const noPassword = checkInfo({
  id: 'mysql-root-without-password',
  name: 'MySQL accepts an empty root password',
  severity: 'critical',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
  score: 9.8,
  summary: 'The MySQL or MariaDB server accepted the user `root` with an empty password over the network.',
  impact:
    'An attacker can read, change, and delete all data and, unless `secure_file_priv` prevents it, read and write files on the host.',
  remediation:
    "Set a password (`ALTER USER 'root'@'%' IDENTIFIED BY '…'`) or remove remote root accounts (`DROP USER 'root'@'%'`), and bind the server to localhost (`bind-address = 127.0.0.1`) or an internal interface.",
  reference: 'https://dev.mysql.com/doc/refman/8.4/en/default-privileges.html',
  tags: 'default-login mysql mariadb unauth network',
  verifiedOn: 'mariadb',
})
const anonymous = checkInfo({
  id: 'mysql-anonymous-account',
  name: 'MySQL accepts anonymous logins',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 7.5,
  summary:
    'The MySQL or MariaDB server accepted a random username with an empty password over the network, because it has an anonymous account.',
  impact: 'An attacker can read, and possibly change, all data that the anonymous account can access.',
  remediation:
    "Remove the account (`DROP USER ''@'%'`), run `mysql_secure_installation`, and bind the server to localhost (`bind-address = 127.0.0.1`) or an internal interface.",
  reference: 'https://dev.mysql.com/doc/refman/8.4/en/connection-access.html',
  tags: 'misconfig mysql mariadb unauth network',
  verifiedOn: 'mariadb-anonymous',
})
const cleartext = checkInfo({
  id: 'mysql-no-tls',
  name: 'MySQL without TLS encryption',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 5.9,
  summary: 'The MySQL or MariaDB server does not offer encrypted connections, so all clients connect in plaintext.',
  impact: 'An attacker on the network path can read queries, results, and any passwords in them.',
  remediation: 'Configure a certificate with `ssl_cert` and `ssl_key`, and set `require_secure_transport = ON`.',
  reference: 'https://dev.mysql.com/doc/refman/8.4/en/using-encrypted-connections.html',
  tags: 'misconfig mysql mariadb cleartext network',
  verifiedOn: 'mariadb',
})

export const tlsFlag = 0x800
const readOptions = { firstByteMs: 4000, idleMs: 300 }

/**
 * One login as root with an empty password, a common installation default, and one with a random username. Only asks
 * which account was chosen.
 */
export const mysql: NativeCheck = {
  checks: [noPassword, anonymous, cleartext],
  appliesTo: ({ protocol }) => protocol === 'mysql',
  async run(context) {
    const root = await logIn(context, 'root')
    const other = root && (await logIn(context, `glacis-${randomBytes(4).toString('hex')}`))
    if (!root) return {}
    const { version, capabilities } = root.hello
    const cleartextProof = {
      request: '(nothing sent)',
      answer: `${version}, capabilities without CLIENT_SSL`,
      highlights: [version],
    }
    return {
      ...(root.result !== '' && { [noPassword.id]: root.isAnonymous ? null : loginProof(root) }),
      ...(other && other.result !== '' && { [anonymous.id]: other.isAnonymous ? loginProof(other) : null }),
      [cleartext.id]: (capabilities & tlsFlag) === 0 ? cleartextProof : null,
    }
  },
}

interface Login {
  readonly user: string
  readonly hello: Hello
  /** `ok`, the server's error message, or nothing. */
  readonly result: string
  /** The server chose an account without a name. */
  readonly isAnonymous: boolean
}

function logIn(context: NativeContext, user: string): Promise<Login | undefined> {
  return context.withConnection(async (connection) => {
    const hello = readHello(await connection.read({ ...readOptions, enough: isPacket }))
    if (!hello) return undefined
    connection.write(loginPacket(user, hello.plugin))
    const result = await readLoginResult(connection)
    if (result !== 'ok') return { user, hello, result, isAnonymous: false }
    connection.write(packetOf(Buffer.from('\u0003SELECT CURRENT_USER()'), 0))
    const account = (await connection.read(readOptions)).toString('latin1')
    return { user, hello, result, isAnonymous: account.includes('@') && !account.includes(`${user}@`) }
  })
}

function loginProof({ user, hello, result }: Login): Proof | null {
  if (result !== 'ok') return null
  const request = `login as ${user} with an empty password`
  return { request, answer: `${hello.version}\nOK: logged in`, highlights: ['OK: logged in'] }
}

function isPacket(all: Buffer): boolean {
  return all.length >= 4 && all.length >= 4 + all.readUIntLE(0, 3)
}

interface Hello {
  readonly version: string
  readonly capabilities: number
  readonly plugin: string
}

/** The server's first packet (protocol version 10). */
export function readHello(packet: Buffer): Hello | undefined {
  if (packet.length < 40 || packet[4] !== 10) return undefined
  const end = packet.indexOf(0, 5)
  if (end < 0 || packet.length < end + 32) return undefined
  const version = packet.toString('latin1', 5, end)
  const capabilities = packet.readUInt16LE(end + 14)
  const plugin = /([a-z0-9_]{5,40})\0?$/.exec(packet.toString('latin1', end + 20))?.[1] ?? 'mysql_native_password'
  return { version, capabilities, plugin }
}

/** SSLRequest, after which the client starts TLS: PROTOCOL_41, SSL, SECURE_CONNECTION, LONG_PASSWORD. */
export const tlsRequest: Buffer = packetOf(Buffer.concat([hex('018a 0800 00000001 21'), Buffer.alloc(23)]), 1)

/** HandshakeResponse41 without a password or database. */
function loginPacket(user: string, plugin: string): Buffer {
  // PROTOCOL_41, SECURE_CONNECTION, PLUGIN_AUTH, LONG_PASSWORD.
  const head = hex('0182 0800 00000001 21')
  const body = Buffer.concat([head, Buffer.alloc(23), Buffer.from(`${user}\0\0${plugin}\0`, 'latin1')])
  return packetOf(body, 1)
}

function packetOf(body: Buffer, sequence: number): Buffer {
  const head = Buffer.alloc(4)
  head.writeUIntLE(body.length, 0, 3)
  head[3] = sequence
  return Buffer.concat([head, body])
}

/**
 * Answers an authentication method switch with an empty password.
 *
 * @returns `ok`, the server's error message, or nothing
 */
async function readLoginResult(connection: TcpConnection): Promise<string> {
  for (let round = 0; round < 3; round++) {
    const packet = await connection.read({ ...readOptions, enough: isPacket })
    const [, , , sequence = 0, kind] = packet
    if (kind === 0) return 'ok'
    if (kind === 0xff) return packet.toString('latin1', 7).replace(/^#...../, '') || 'error'
    if (kind === 0xfe) connection.write(packetOf(Buffer.alloc(0), sequence + 1))
    // caching_sha2_password: 1,3 means fast authentication succeeded; the OK packet follows.
    else if (!(kind === 1 && packet[5] === 3)) return kind === undefined ? '' : 'requests more input'
    else if (packet.length > 6 && packet[10] === 0) return 'ok'
  }
  return ''
}
