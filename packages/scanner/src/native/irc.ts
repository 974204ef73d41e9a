/** Registration with an IRC server (RFC 2812, section 3.1). */
import { randomInt } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { checkInfo, type NativeCheck } from '#native/native-check.ts'
import type { TcpConnection } from '#net/tcp.ts'

const open = checkInfo({
  id: 'irc-open',
  name: 'IRC server without authentication or TLS',
  severity: 'info',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N',
  score: null,
  summary: 'The IRC server accepts clients without a password over an unencrypted connection.',
  impact:
    'An attacker on the network path can read messages. Botnets also use open IRC servers for command and control.',
  remediation:
    'If the server is not needed, shut it down. Otherwise, require a server password or SASL, and accept client connections over TLS only (port 6697).',
  reference: 'https://www.rfc-editor.org/rfc/rfc2812',
  tags: 'misconfig irc cleartext network',
  verifiedOn: 'ngircd',
})
/** Servers first look up the name of the client's address and ask its ident service. */
const lookupMs = 15_000
/** Servers limit how often a client connects within a few seconds. */
const throttleMs = 4000
const throttled = /^ERROR :[^\r\n]{0,200}(?:throttled|too fast)/im
const pingsMax = 2
const outcome = /^(?::\S{1,200} )?(?:004|43\d|451|464|465|ERROR) /m

/**
 * Registers a client and answers the PING that some servers send before they accept it.
 *
 * @returns what the server sent, up to its version or an error
 */
export async function registerWithIrc(connection: TcpConnection): Promise<string> {
  connection.write(`NICK gl${randomInt(1000, 9999)}\r\nUSER glacis 0 * :glacis\r\n`)
  let text = ''
  for (let pings = 0; pings <= pingsMax; pings++) {
    const enough = (all: Buffer) => outcome.test(all.toString('latin1')) || pingIn(all.toString('latin1')) !== undefined
    const options = { firstByteMs: lookupMs, idleMs: lookupMs, totalMs: lookupMs, bytesMax: 8192, enough }
    const received = (await connection.read(options)).toString('latin1')
    text += received
    const cookie = pingIn(received)
    if (outcome.test(text) || cookie === undefined) return text
    connection.write(`PONG :${cookie}\r\n`)
  }
  return text
}

function pingIn(text: string): string | undefined {
  return /^PING :?([^\r\n]{1,100})\r?\n/m.exec(text)?.[1]
}

export const irc: NativeCheck = {
  checks: [open],
  appliesTo: ({ protocol, tls }) => protocol === 'irc' && !tls,
  async run(context) {
    const register = () =>
      context.withConnection(async (connection) => {
        const text = await registerWithIrc(connection)
        connection.write('QUIT\r\n')
        return text
      })
    let answer = await register()
    if (answer !== undefined && throttled.test(answer)) {
      await setTimeout(throttleMs, undefined, { signal: context.signal })
      answer = await register()
    }
    if (answer === undefined) return {}
    const [welcome] = /^:\S{1,200} 001 [^\r\n]{0,200}/m.exec(answer) ?? []
    const proof = { request: 'NICK, USER', answer, highlights: welcome === undefined ? [] : [welcome] }
    return { [open.id]: welcome === undefined ? null : proof }
  },
}
