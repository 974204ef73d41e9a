/** Routers of the Web Application Messaging Protocol (WAMP) over WebSocket. */
import { checkInfo, type NativeCheck, type NativeContext } from '#native/native-check.ts'
import { ownHost } from '#native/web/request.ts'
import {
  contentOf,
  endHandshake,
  framesAfterHandshake,
  isHandshakeAnswered,
  textFrameOf,
  upgradeRequest,
} from '#net/web-socket.ts'

const open = checkInfo({
  id: 'wamp-router-open',
  name: 'WAMP router exposed without authentication (Crossbar.io)',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:H/A:N',
  score: 8.2,
  summary:
    'The WAMP router Crossbar.io lets anonymous clients join a realm and call its procedures over WebSocket. The check read the number of sessions.',
  impact:
    'An attacker can call procedures and read and forge the events that the components behind the router exchange.',
  remediation:
    'Remove `anonymous` from the `auth` settings of the transport, and use tickets, WAMP-SCRAM, or client certificates. Limit the permissions of each role to the URIs that it needs.',
  reference: 'https://crossbar.io/docs/Anonymous-Authentication/',
  tags: 'misconfig crossbar wamp websocket unauth',
  verifiedOn: 'crossbar',
})
const path = '/ws'
/** The realm of Crossbar.io's own configuration templates. */
const usualRealm = 'realm1'
const procedure = 'wamp.session.count'
const readOptions = { firstByteMs: 3000, idleMs: 300, totalMs: 5000, bytesMax: 65_536 }

export const wamp: NativeCheck = {
  checks: [open],
  appliesTo: ({ protocol, technologies }) =>
    protocol === 'http' && technologies.some(({ wfn }) => wfn.product === 'crossbar'),
  async run(context) {
    for (const realm of await realmsOf(context)) {
      const hello = JSON.stringify([1, realm, { roles: { caller: {} }, authmethods: ['anonymous'] }])
      const call = JSON.stringify([48, 1, {}, procedure])
      const answers = await talk(context, [hello, call])
      if (!answers || answers.includes('"wamp.error.no_such_realm"')) continue
      const [result] = /\[50,1,\{[^{}]{0,999}\},\[\d{1,9}\]/.exec(answers) ?? []
      if (result === undefined) return { [open.id]: null }
      const request = ['WebSocket handshake (wamp.2.json)', hello, call].join('\n')
      return { [open.id]: { request, answer: answers.slice(0, 4096), highlights: [result], path } }
    }
    return {}
  },
}

/** Realms that the front page names, and the usual one. */
async function realmsOf(context: NativeContext): Promise<ReadonlySet<string>> {
  const page = await context.requestPage('/')
  const text = page.kind === 'failure' ? '' : page.body.toString('latin1', 0, 65_536)
  const [, named] = /\brealm["']?\s{0,9}[:=]\s{0,9}["']([\w.-]{1,64})["']/.exec(text) ?? []
  return new Set(named === undefined ? [usualRealm] : [named, usualRealm])
}

/** The server's answers to messages; undefined if it rejects the handshake. */
async function talk(context: NativeContext, messages: readonly string[]): Promise<string | undefined> {
  return context.withConnection(async (connection) => {
    try {
      connection.write(upgradeRequest(ownHost(context), path, ['Sec-WebSocket-Protocol: wamp.2.json']))
      if (!framesAfterHandshake(await connection.read({ ...readOptions, enough: isHandshakeAnswered })))
        return undefined
      let answers = ''
      for (const message of messages) {
        connection.write(textFrameOf(message))
        answers += contentOf(await connection.read(readOptions)).toString()
      }
      return answers
    } finally {
      endHandshake(connection)
    }
  })
}
