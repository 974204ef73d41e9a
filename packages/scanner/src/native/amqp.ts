/** Message brokers that speak AMQP 0-9-1, such as RabbitMQ. */
import { isBrokerFrame, methodOf, protocolHeader, readStart, startOk } from '#native/amqp-wire.ts'
import type { BrokerStart } from '#native/amqp-wire.ts'
import { checkInfo } from '#native/native.ts'
import type { NativePlace, NativeSubject, Proof } from '#native/native.ts'

const guest = checkInfo({
  id: 'amqp-default-login',
  name: 'Message broker with the default log-in',
  severity: 'critical',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
  score: 9.8,
  summary: 'The message broker lets in the user guest with the password guest, which it is delivered with.',
  impact: 'All messages can be read, forged and deleted, and often the programs behind them be steered.',
  remediation:
    'Delete the user guest, give each program a user of its own, and leave loopback_users as it is delivered.',
  reference: 'https://www.rabbitmq.com/docs/access-control#default-state',
  tags: 'default-login amqp rabbitmq network',
})
const anonymous = checkInfo({
  id: 'amqp-anonymous',
  name: 'Message broker open to everyone',
  severity: 'critical',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
  score: 9.8,
  summary: 'The message broker lets people in without a name and a password (mechanism ANONYMOUS).',
  impact: 'Messages can be read, forged and deleted by whoever connects.',
  remediation: 'Take ANONYMOUS out of auth_mechanisms, or set anonymous_login_user to none.',
  reference: 'https://www.rabbitmq.com/docs/access-control#anonymous-login',
  tags: 'misconfig amqp rabbitmq unauth network',
})
const cleartext = checkInfo({
  id: 'amqp-cleartext-login',
  name: 'Message broker takes passwords in clear text',
  severity: 'low',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:L/I:N/A:N',
  score: 3.7,
  summary: 'The message broker offers a log-in by password on a connection without TLS.',
  impact: 'Passwords and messages can be read by whoever listens on the way.',
  remediation: 'Listen with TLS alone: listeners.tcp = none and listeners.ssl.default = 5671 in RabbitMQ.',
  reference: 'https://www.rabbitmq.com/docs/ssl',
  tags: 'misconfig amqp rabbitmq cleartext network',
})

const passwordMechanisms = ['PLAIN', 'AMQPLAIN']
const patience = { firstByteMs: 5000, idleMs: 300, totalMs: 8000, enough: isBrokerFrame }

/** Reads what the broker offers and logs in as nobody. No channel is opened. */
export const amqp: NativeSubject = {
  checks: [anonymous, cleartext],
  concerns: ({ protocol }) => protocol === 'amqp',
  async examine(place) {
    const start = await place.speak(async (line) => {
      line.write(protocolHeader)
      return readStart(await line.read(patience))
    })
    if (!start) return {}
    const open = await logIn(place, 'ANONYMOUS', 'glacis')
    return {
      ...(open !== undefined && { [anonymous.id]: open }),
      ...(!place.service.tls && { [cleartext.id]: cleartextProof(start) }),
    }
  },
}

/** One try of the log-in that the maker documents. Not in the gentle profile. */
export const amqpDefaultLogin: NativeSubject = {
  checks: [guest],
  from: 'standard',
  concerns: ({ protocol }) => protocol === 'amqp',
  async examine(place) {
    const proof = await logIn(place, 'PLAIN', '\0guest\0guest')
    return proof === undefined ? {} : { [guest.id]: proof }
  },
}

/** @returns null when the broker does not offer the mechanism or refuses, undefined when it did not answer */
async function logIn(place: NativePlace, mechanism: string, response: string): Promise<Proof | null | undefined> {
  return place.speak(async (line) => {
    line.write(protocolHeader)
    const start = readStart(await line.read(patience))
    if (!start?.mechanisms.includes(mechanism)) return start && null
    line.write(startOk(mechanism, response))
    const frame = await line.read(patience)
    // A broker may refuse by closing, after a pause that slows guessing down (AMQP 0-9-1, 2.2.4).
    if (frame.length === 0) return line.isAlive ? undefined : null
    const method = methodOf(frame)
    if (method !== 'tune') return method && null
    const request = `Connection.StartOk, mechanism ${mechanism}, response ${JSON.stringify(response)}`
    const answer = `Connection.Tune: the log-in was accepted.\n${described(start)}`
    return { request, answer, highlights: ['Connection.Tune'] }
  })
}

function cleartextProof(start: BrokerStart): Proof | null {
  const offered = start.mechanisms.filter((one) => passwordMechanisms.includes(one))
  if (offered.length === 0) return null
  return { request: 'AMQP 0-9-1 protocol header', answer: described(start), highlights: offered }
}

function described({ properties, mechanisms }: BrokerStart): string {
  const { product = '', version = '' } = properties
  return `${product} ${version}`.trim().slice(0, 300) + `\nmechanisms: ${mechanisms.join(' ')}`
}
