import { checkInfo, hex } from '#native/native.ts'
import type { NativeSubject } from '#native/native.ts'
import type { Line } from '#net/tcp.ts'

const noPassword = checkInfo({
  id: 'mysql-root-without-password',
  name: 'MySQL lets root in without a password',
  severity: 'critical',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
  score: 9.8,
  summary: 'The database accepts user root with an empty password from here.',
  impact: 'Whoever connects can read, change and delete all data, and often read files of the machine.',
  remediation: 'Give root a password or bind the account to the local socket, and listen on inner addresses only.',
  reference: 'https://dev.mysql.com/doc/refman/8.4/en/default-privileges.html',
  tags: 'default-login mysql mariadb unauth network',
})
const cleartext = checkInfo({
  id: 'mysql-no-tls',
  name: 'MySQL without TLS',
  severity: 'low',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:L/I:N/A:N',
  score: 3.7,
  summary: 'The database does not offer to encrypt connections.',
  impact: 'Queries and results can be read by whoever listens on the way.',
  remediation: 'Give the server a certificate and set require_secure_transport.',
  reference: 'https://dev.mysql.com/doc/refman/8.4/en/using-encrypted-connections.html',
  tags: 'misconfig mysql mariadb cleartext network',
})

const tlsFlag = 0x800
const patience = { firstByteMs: 4000, idleMs: 300 }

/** One log-in as root with the empty password, which is how the server is delivered; nothing is queried. */
export const mysql: NativeSubject = {
  checks: [noPassword, cleartext],
  concerns: ({ protocol }) => protocol === 'mysql',
  async examine(place) {
    const outcome = await place.speak(async (line) => {
      const hello = readHello(await line.read({ ...patience, enough: isPacket }))
      if (!hello) return undefined
      line.write(loginPacket(hello.plugin))
      return { hello, answer: await settled(line) }
    })
    if (!outcome) return {}
    const { hello, answer } = outcome
    const told = `${hello.version}\n${answer === 'ok' ? 'OK: logged in' : `refused: ${answer}`}`
    const proof = { request: 'log-in of user root with an empty password', answer: told, highlights: ['OK: logged in'] }
    const clear = {
      request: '(listened)',
      answer: `${hello.version}, capabilities without CLIENT_SSL`,
      highlights: [hello.version],
    }
    return {
      ...(answer !== '' && { [noPassword.id]: answer === 'ok' ? proof : null }),
      [cleartext.id]: (hello.capabilities & tlsFlag) === 0 ? clear : null,
    }
  },
}

function isPacket(all: Buffer): boolean {
  return all.length >= 4 && all.length >= 4 + all.readUIntLE(0, 3)
}

/** The server's first packet (protocol version 10). */
function readHello(packet: Buffer): { version: string; capabilities: number; plugin: string } | undefined {
  if (packet.length < 40 || packet[4] !== 10) return undefined
  const end = packet.indexOf(0, 5)
  if (end < 0 || packet.length < end + 32) return undefined
  const version = packet.toString('latin1', 5, end)
  const capabilities = packet.readUInt16LE(end + 14)
  const plugin = /([a-z0-9_]{5,40})\0?$/.exec(packet.toString('latin1', end + 20))?.[1] ?? 'mysql_native_password'
  return { version, capabilities, plugin }
}

/** HandshakeResponse41 without a password and without a database. */
function loginPacket(plugin: string): Buffer {
  // PROTOCOL_41, SECURE_CONNECTION, PLUGIN_AUTH, LONG_PASSWORD.
  const head = hex('0182 0800 00000001 21')
  const body = Buffer.concat([head, Buffer.alloc(23), Buffer.from(`root\0\0${plugin}\0`, 'latin1')])
  return packetOf(body, 1)
}

function packetOf(body: Buffer, sequence: number): Buffer {
  const head = Buffer.alloc(4)
  head.writeUIntLE(body.length, 0, 3)
  head[3] = sequence
  return Buffer.concat([head, body])
}

/** Answers a change of method with an empty password, too. @returns `ok`, the server's words, or nothing */
async function settled(line: Line): Promise<string> {
  for (let turn = 0; turn < 3; turn++) {
    const packet = await line.read({ ...patience, enough: isPacket })
    const [, , , sequence = 0, kind] = packet
    if (kind === 0) return 'ok'
    if (kind === 0xff) return packet.toString('latin1', 7).replace(/^#...../, '') || 'error'
    if (kind === 0xfe) line.write(packetOf(Buffer.alloc(0), sequence + 1))
    // caching_sha2_password: 1,3 is "fast log-in done", and the OK follows.
    else if (!(kind === 1 && packet[5] === 3)) return kind === undefined ? '' : 'asks for more'
    else if (packet.length > 6 && packet[10] === 0) return 'ok'
  }
  return ''
}
