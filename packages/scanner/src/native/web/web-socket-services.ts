/** Services with their own protocol over WebSocket. */
import { bytes } from '#wire.ts'
import { checkInfo, type NativeCheck, type NativeContext } from '#native/native-check.ts'
import { ownHost } from '#native/web/request.ts'
import { contentOf, endHandshake, frameOf, framesAfterHandshake, hasMessage, upgradeRequest } from '#net/web-socket.ts'

const natsOpen = checkInfo({
  id: 'nats-websocket-open',
  name: 'NATS exposed without authentication over WebSocket',
  severity: 'critical',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:N',
  score: 9.1,
  summary: 'The NATS server accepts clients without credentials over WebSocket.',
  impact:
    'An attacker can read and forge the messages that applications exchange, even through a web page that a user opens.',
  remediation:
    'Configure `authorization` or `accounts`, remove `no_auth_user` from the `websocket` block, and list the websites that can connect, for example `allowed_origins: ["https://app.example.com"]`.',
  reference: 'https://docs.nats.io/running-a-nats-service/configuration/websocket/websocket_conf',
  tags: 'misconfig nats websocket unauth',
  verifiedOn: 'nats-websocket',
})
const statisticsOpen = checkInfo({
  id: 'goaccess-websocket-open',
  name: 'Web statistics exposed over WebSocket (GoAccess)',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:N/A:N',
  score: 5.3,
  summary:
    "GoAccess's real-time server sends the statistics of a web server to any WebSocket client, without authentication.",
  impact: 'An attacker learns the addresses of visitors, and pages and parameters that are not linked anywhere.',
  remediation:
    'Bind the server to localhost with `--addr=127.0.0.1`, and put it behind a reverse proxy that requires authentication; set its URL with `--ws-url=wss://stats.example.com/ws`.',
  reference: 'https://goaccess.io/man',
  tags: 'exposure goaccess websocket statistics unauth',
  verifiedOn: 'goaccess-realtime',
})
const smartHomeOpen = checkInfo({
  id: 'zwave-js-server-open',
  name: 'Z-Wave JS Server exposed without authentication',
  severity: 'critical',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:L',
  score: 9.4,
  summary:
    'The WebSocket API of Z-Wave JS Server, which has no authentication, sent the home ID of its network. The check sent no command.',
  impact: 'An attacker can read the keys of the network, operate devices such as door locks, and remove them.',
  remediation:
    'Bind the server to localhost with `--host 127.0.0.1`, or allow only the home automation system to reach its port (3000 by default).',
  reference: 'https://github.com/zwave-js/zwave-js-server',
  tags: 'misconfig zwave iot websocket unauth',
  verifiedOn: 'zwave-js-server',
})
const readOptions = { firstByteMs: 3000, idleMs: 300, totalMs: 5000, bytesMax: 65_536 }

interface Conversation {
  readonly product: string
  readonly check: string
  /** Sent after the greeting. */
  readonly message?: string
  /** In everything received. */
  readonly proof: RegExp
  /** In the greeting of every server of this kind. */
  readonly greeting: RegExp
}
const conversations: readonly Conversation[] = [
  {
    product: 'nats-server',
    check: natsOpen.id,
    message: 'CONNECT {"verbose":false}\r\nPING\r\n',
    greeting: /^INFO \{/,
    proof: /(?<=\n)PONG(?=\r\n)/,
  },
  {
    product: 'goaccess',
    check: statisticsOpen.id,
    greeting: /^\{"general":/,
    proof: /"(?:total|valid)_requests":\s{0,9}\d{1,20}/,
  },
  {
    product: 'zwave-js-server',
    check: smartHomeOpen.id,
    greeting: /^\{"type":"version"/,
    proof: /"homeId":\d{1,12}/,
  },
]

export const webSocketServices: NativeCheck = {
  checks: [natsOpen, statisticsOpen, smartHomeOpen],
  appliesTo: (service) =>
    (service.protocol === 'http' || service.protocol === 'websocket') && conversationOf(service) !== undefined,
  async run(context) {
    const conversation = conversationOf(context.service)
    if (!conversation) return {}
    const { check, message, greeting, proof } = conversation
    const received = await talk(context, message)
    if (received === undefined || !greeting.test(received)) return {}
    const [found] = proof.exec(received) ?? []
    if (found === undefined) return { [check]: null }
    const request = ['WebSocket handshake', ...(message === undefined ? [] : [message.trim()])].join('\n')
    return { [check]: { request, answer: received.slice(0, 4096), highlights: [found], path: '/' } }
  },
}

function conversationOf({ technologies }: Pick<NativeContext['service'], 'technologies'>) {
  return conversations.find(({ product }) => technologies.some(({ wfn }) => wfn.product === product))
}

/** Everything the server sends; undefined if it rejects the handshake. */
async function talk(context: NativeContext, message: string | undefined): Promise<string | undefined> {
  return context.withConnection(async (connection) => {
    try {
      connection.write(upgradeRequest(ownHost(context), '/'))
      const greeted = framesAfterHandshake(await connection.read({ ...readOptions, enough: hasMessage }))
      if (!greeted || message === undefined) return greeted && contentOf(greeted).toString()
      connection.write(frameOf(bytes(message)))
      const rest = await connection.read(readOptions)
      return contentOf(Buffer.concat([greeted, rest])).toString()
    } finally {
      endHandshake(connection)
    }
  })
}
