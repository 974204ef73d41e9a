/** Message brokers that support AMQP 0-9-1, such as RabbitMQ. */
import { isBrokerFrame, methodOf, protocolHeader, readStart, startOk, type BrokerStart } from '#native/amqp-wire.ts'
import { checkInfo, type NativeContext, type NativeCheck, type Proof } from '#native/native-check.ts'

const guestLogin = checkInfo({
  id: 'amqp-default-login',
  name: 'RabbitMQ accepts default credentials (guest/guest)',
  severity: 'critical',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
  score: 9.8,
  summary:
    'The AMQP message broker accepted the default credentials guest:guest over the network. The check read no messages.',
  impact: 'An attacker can read, forge, and delete all messages, and often control the applications that consume them.',
  remediation:
    'Delete the user (`rabbitmqctl delete_user guest`), create a separate user for each application, and keep the default `loopback_users`, which limits guest to localhost.',
  reference: 'https://www.rabbitmq.com/docs/access-control#default-state',
  tags: 'default-login amqp rabbitmq network',
  verifiedOn: 'garagemq rabbitmq',
})
const anonymous = checkInfo({
  id: 'amqp-anonymous',
  name: 'AMQP broker exposed without authentication',
  severity: 'critical',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
  score: 9.8,
  summary: 'The message broker accepts clients without credentials (SASL mechanism ANONYMOUS).',
  impact: 'An attacker can read, forge, and delete all messages that the anonymous user has access to.',
  remediation: 'In rabbitmq.conf, set `anonymous_login_user = none`, or remove ANONYMOUS from `auth_mechanisms`.',
  reference: 'https://www.rabbitmq.com/docs/access-control#anonymous-login',
  tags: 'misconfig amqp rabbitmq unauth network',
  verifiedOn: 'qpid-broker-j',
})
const cleartext = checkInfo({
  id: 'amqp-cleartext-login',
  name: 'AMQP plaintext login allowed without TLS',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 5.9,
  summary: 'The message broker offers password authentication on an unencrypted connection.',
  impact: 'An attacker on the network path can read passwords and messages.',
  remediation:
    'Accept TLS connections only. In rabbitmq.conf: `listeners.tcp = none` and `listeners.ssl.default = 5671`.',
  reference: 'https://www.rabbitmq.com/docs/ssl',
  tags: 'misconfig amqp rabbitmq cleartext network',
})

const passwordMechanisms = ['PLAIN', 'AMQPLAIN']
const readOptions = { firstByteMs: 5000, idleMs: 300, totalMs: 8000, enough: isBrokerFrame }

/** Reads the broker's properties and tries an anonymous login. Opens no channel. */
export const amqp: NativeCheck = {
  checks: [anonymous, cleartext],
  appliesTo: ({ protocol }) => protocol === 'amqp',
  async run(context) {
    const start = await context.withConnection(async (connection) => {
      connection.write(protocolHeader)
      return readStart(await connection.read(readOptions))
    })
    if (!start) return {}
    const open = await logIn(context, 'ANONYMOUS', 'glacis')
    return {
      ...(open !== undefined && { [anonymous.id]: open }),
      ...(!context.service.tls && { [cleartext.id]: cleartextProof(start) }),
    }
  },
}

/** One attempt with the documented default credentials. Needs permission for logins. */
export const amqpDefaultLogin: NativeCheck = {
  checks: [guestLogin],
  permission: 'logins',
  appliesTo: ({ protocol }) => protocol === 'amqp',
  async run(context) {
    const proof = await logIn(context, 'PLAIN', '\0guest\0guest')
    return proof === undefined ? {} : { [guestLogin.id]: proof }
  },
}

/**
 * @returns null when the broker doesn't offer the mechanism or rejects the login, undefined when it
 * did not respond
 */
async function logIn(context: NativeContext, mechanism: string, response: string): Promise<Proof | null | undefined> {
  return context.withConnection(async (connection) => {
    connection.write(protocolHeader)
    const start = readStart(await connection.read(readOptions))
    if (!start?.mechanisms.includes(mechanism)) return start && null
    connection.write(startOk(mechanism, response))
    const frame = await connection.read(readOptions)
    // A broker may reject a login by closing the connection after a delay (AMQP 0-9-1, section
    // 2.2.4).
    if (frame.length === 0) return connection.isAlive ? undefined : null
    const method = methodOf(frame)
    if (method !== 'tune') return method && null
    const request = `Connection.StartOk, mechanism ${mechanism}, response ${JSON.stringify(response)}`
    const answer = `Connection.Tune: login accepted\n${describeServer(start)}`
    return { request, answer, highlights: ['Connection.Tune'] }
  })
}

function cleartextProof(start: BrokerStart): Proof | null {
  const offered = start.mechanisms.filter((mechanism) => passwordMechanisms.includes(mechanism))
  if (offered.length === 0) return null
  return { request: 'AMQP 0-9-1 protocol header', answer: describeServer(start), highlights: offered }
}

function describeServer({ properties, mechanisms }: BrokerStart): string {
  const { product = '', version = '' } = properties
  return `${product} ${version}`.trim().slice(0, 300) + `\nmechanisms: ${mechanisms.join(' ')}`
}
