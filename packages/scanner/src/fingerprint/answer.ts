/* oxlint-disable no-control-regex -- binary protocols are made of control characters */
import type { Trace } from '#fingerprint/web.ts'
import { readChallenge } from '#native/ntlm.ts'
import { listedShares, logInAsNobody, sessionOn } from '#native/smb-session.ts'
import {
  commands,
  isFrame,
  negotiateBody,
  sessionBody,
  smb1Negotiate,
  smb1Session,
  spnegoInit,
} from '#native/smb-wire.ts'
import type { Line } from '#net/tcp.ts'

/**
 * What a recognised service tells of itself when it is asked in its own language: exact versions
 * instead of guesses. Nothing is logged in to with a password and nothing is changed.
 */
export type Conversation = (line: Line) => Promise<readonly Trace[]>

const bytes = (text: string) => Buffer.from(text, 'latin1')
const patience = { firstByteMs: 2000, idleMs: 150, bytesMax: 16_384 }

/** By protocol, each on a connection of its own. */
export const conversations: Readonly<Record<string, readonly Conversation[]>> = {
  /** INFO answers without a password only where none is set. */
  redis: [
    async (line) => {
      line.write('INFO server\r\n')
      const text = (await line.read(patience)).toString('latin1')
      return [{ field: 'redis.info', text: text.startsWith('$') ? text : 'redis' }]
    },
  ],

  /** A log-in of SMB 1 for nobody is answered with the names of the system and of the server, whether it succeeds or not. */
  smb: [
    async (line) => {
      line.write(smb1Negotiate)
      const chosen = await line.read({ ...patience, enough: isFrame })
      if (chosen.toString('latin1', 4, 8) !== '\u00ffSMB') return [{ field: 'smb.native_lm', text: 'no SMB 1' }]
      line.write(smb1Session)
      const answer = await line.read({ ...patience, enough: isFrame })
      const words = answer.toString('latin1', 36)
      return [{ field: 'smb.native_lm', text: /Samba [\x20-\x7e]{1,60}/.exec(words)?.[0] ?? 'unknown' }]
    },
    ntlmOfSmb2,
    remarkOfSamba,
  ],

  /** Brokers publish their version under $SYS to whoever may subscribe. */
  mqtt: [
    async (line) => {
      line.write(Buffer.from('101200044d5154540402000a0006676c61636973', 'hex'))
      const accepted = (await line.read({ ...patience, enough: (all) => all.length >= 4 }))[3] === 0
      if (!accepted) return [{ field: 'mqtt.version', text: 'authentication required' }]
      line.write(Buffer.concat([Buffer.from('821800010013', 'hex'), bytes('$SYS/broker/version'), Buffer.from([0])]))
      const text = (await line.read({ ...patience, firstByteMs: 1000, idleMs: 500 })).toString('latin1')
      const [, version = ''] = /\$SYS\/broker\/version([\x20-\x7e]{1,100})/.exec(text) ?? []
      return [{ field: 'mqtt.version', text: version || 'no version' }]
    },
  ],

  /** A server that trusts the address says its version at once; one that asks for a password says none. */
  postgresql: [
    async (line) => {
      const parameters = bytes('user\0postgres\0database\0postgres\0application_name\0glacis\0\0')
      const head = Buffer.alloc(8)
      head.writeInt32BE(parameters.length + 8)
      head.writeInt32BE(0x30000, 4)
      line.write(Buffer.concat([head, parameters]))
      const text = (await line.read({ ...patience, enough: (all) => all.includes('server_version') })).toString(
        'latin1',
      )
      const [, version = ''] = /server_version\0([\x20-\x7e]{1,100})\0/.exec(text) ?? []
      return [{ field: 'postgresql.version', text: version || (isOfPooler(text) ? 'PgBouncer' : 'no version') }]
    },
  ],

  irc: [registerAtIrc],

  munin: [
    async (line) => {
      line.write('version\n')
      const isSaid = (all: Buffer) => all.includes('version: ')
      const text = (await line.read({ ...patience, idleMs: 1000, enough: isSaid })).toString('latin1')
      return [{ field: 'munin.version', text }]
    },
  ],

  /** Who is asked for a web page in place of a proxied connection says what it is. */
  socks5: [
    async (line) => {
      line.write('GET / HTTP/1.0\r\n\r\n')
      const text = (await line.read(patience)).toString('latin1')
      return [{ field: 'socks5.refusal', text: text.split('\r\n', 1)[0] ?? '' }]
    },
  ],

  /** A request that does not keep to its lengths: most close, and one server says farewell in a way of its own. */
  rdp: [
    async (line) => {
      line.write(Buffer.from('0300001302e000000000000100080003000000', 'hex'))
      const farewell = (await line.read(patience)).toString('hex')
      return [{ field: 'rdp.farewell', text: farewell }]
    },
  ],

  /** buildInfo answers before authentication on every version. */
  mongodb: [
    async (line) => {
      line.write(
        Buffer.from(
          '380000000200000000000000dd070000000000000023000000106275696c64496e666f000100000002246462000600000061646d696e0000',
          'hex',
        ),
      )
      const text = (await line.read({ ...patience, bytesMax: 65_536 })).toString('latin1')
      const [, version = ''] = /\x02version\0[\s\S]{4}([\d.]{1,20}(?:-\w+)?)\0/.exec(text) ?? []
      return [{ field: 'mongodb.version', text: version || 'no version' }]
    },
  ],
}

/** Most servers look up who comes before they speak of themselves, and some want a word back first. */
async function registerAtIrc(line: Line): Promise<readonly Trace[]> {
  const welcome = { firstByteMs: 3000, idleMs: 6000, totalMs: 8000, bytesMax: 16_384 }
  const settled = /(?:^|\n)(?::\S+ (?:004|43\d|451|464|465) |ERROR |PING )/
  const decided = /(?:^|\n)(?::\S+ (?:004|43\d|451|464|465) |ERROR )/
  const readTo = async (end: RegExp) =>
    (await line.read({ ...welcome, enough: (all) => end.test(all.toString('latin1')) })).toString('latin1')
  line.write('NICK glacis\r\nUSER glacis 0 * :glacis\r\n')
  const heard = await readTo(settled)
  const [, word] = /(?:^|\n)PING :?([^\r\n]{1,200})/.exec(heard) ?? []
  if (word === undefined) return [{ field: 'irc.welcome', text: heard }]
  line.write(`PONG :${word}\r\n`)
  return [{ field: 'irc.welcome', text: heard + (await readTo(decided)) }]
}

/** PostgreSQL itself names the routine that failed; PgBouncer, with this code of its own, does not. */
function isOfPooler(text: string): boolean {
  return /^E[\s\S]{4}SFATAL\0C08P01\0M[^\0]*(?:authentication failed|no such database|no such user)[^\0]*\0\0/.test(
    text,
  )
}

/** A server of SMB 2 tells its system before anybody logs in (MS-NLMP 2.2.1.2). */
async function ntlmOfSmb2(line: Line): Promise<readonly Trace[]> {
  const session = sessionOn(line)
  if (!(await session.say(commands.negotiate, negotiateBody()))) return []
  const asked = await session.say(commands.sessionSetup, sessionBody(spnegoInit()))
  const challenge = asked && readChallenge(asked.body)
  return challenge ? [{ field: 'ntlm.build', text: challenge.build }] : []
}

/** Samba writes its version behind the name of its share of pipes, where it lists shares to nobody. */
async function remarkOfSamba(line: Line): Promise<readonly Trace[]> {
  const session = sessionOn(line)
  if (!(await session.say(commands.negotiate, negotiateBody())) || !(await logInAsNobody(session))) return []
  const shares = await listedShares(session, line.socket.remoteAddress ?? '').catch(orNothing)
  const remark = shares?.find(({ name }) => name === 'IPC$')?.remark ?? ''
  const [, server] = /\((Samba [\x20-\x7e]{1,60})\)/.exec(remark) ?? []
  return server === undefined ? [] : [{ field: 'smb.native_lm', text: server }]
}

/** An answer that is cut short or lies about its lengths tells nothing. */
function orNothing(error: unknown): null {
  if (error instanceof RangeError) return null
  throw error
}
