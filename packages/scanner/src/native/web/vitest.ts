/** The WebSocket API of Vitest's UI, which runs and rewrites tests. */
import { randomBytes } from 'node:crypto'
import { checkInfo, type NativeCheck } from '#native/native-check.ts'
import { ownHost } from '#native/web/request.ts'

const open = checkInfo({
  id: 'CVE-2025-24964',
  name: 'Vitest: remote code execution via the WebSocket API',
  severity: 'critical',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:H/I:H/A:H',
  score: 9.6,
  summary:
    'Vitest before 1.6.1, 2.1.9, and 3.0.5 accepts WebSocket connections to its API without a token and from any web page. The check opened a connection with the Origin of another site and did not call any function.',
  impact:
    "An attacker who can reach the port, or whose web page a developer opens, can rewrite and run tests to run code on the developer's machine.",
  remediation: 'Update Vitest to 1.6.1, 2.1.9, 3.0.5, or later, and bind its API to localhost (`--api.host`).',
  reference: 'https://github.com/vitest-dev/vitest/security/advisories/GHSA-9crc-q9x8-hgqq',
  tags: 'cve cve2025 vitest websocket rce unauth',
  verifiedOn: 'vitest-ui',
})
const endOfHead = '\r\n\r\n'
/** A close frame with an empty mask (RFC 6455, section 5.5.1). Malformed frames crash some releases. */
const closing = Buffer.from([0x88, 0x80, 0, 0, 0, 0])

export const webVitest: NativeCheck = {
  checks: [{ ...open, cves: [open.id] }],
  appliesTo: ({ protocol, technologies }) =>
    protocol === 'http' && technologies.some(({ wfn }) => wfn.product === 'vitest'),
  async run(context) {
    const lines = [
      'GET /__vitest_api__ HTTP/1.1',
      `Host: ${ownHost(context)}`,
      'Origin: https://glacis.invalid',
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
    ]
    const answer = await context.withConnection(async (connection) => {
      connection.write(`${lines.join('\r\n')}${endOfHead}`)
      const received = await connection.read({
        firstByteMs: 3000,
        idleMs: 200,
        enough: (all) => all.includes(endOfHead),
      })
      const text = received.toString('latin1')
      if (text.startsWith('HTTP/1.1 101 ')) connection.write(closing)
      return text
    })
    if (answer === undefined || !/^HTTP\/1\.[01] \d{3}/.test(answer)) return {}
    const proof = {
      request: lines.join('\n'),
      answer,
      highlights: ['101 Switching Protocols'],
      path: '/__vitest_api__',
    }
    return { [open.id]: answer.startsWith('HTTP/1.1 101 ') ? proof : null }
  },
}
