/** The daemon of the monitoring system Xymon. */
import { checkInfo, type NativeCheck } from '#native/native-check.ts'

const exposed = checkInfo({
  id: 'xymon-open',
  name: 'Xymon daemon exposed without authentication',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:L/A:N',
  score: 6.5,
  summary: 'The Xymon daemon returned its list of monitored hosts (hosts.cfg) without authentication.',
  impact:
    'An attacker learns internal hostnames, addresses, and URLs. If administrative commands are not restricted either, the attacker can also hide outages by changing the status of hosts.',
  remediation:
    'Restrict clients with the xymond options `--www-senders`, `--admin-senders`, `--maint-senders`, and `--status-senders`, and block TCP port 1984 at the network perimeter.',
  reference: 'https://xymon.sourceforge.io/xymon/help/manpages/man8/xymond.8.html',
  tags: 'misconfig xymon disclosure unauth network',
  verifiedOn: 'xymon',
})
const hostsFile = 'hosts.cfg'
/** An entry of hosts.cfg: address, hostname, and tests. */
const hostLine = /^[ \t]{0,8}(?:\d{1,3}\.){3}\d{1,3}[ \t]{1,40}\S[^\r\n]{0,200}/m

export const xymon: NativeCheck = {
  checks: [exposed],
  appliesTo: ({ protocol, tls }) => protocol === 'xymon' && !tls,
  async run(context) {
    // The daemon responds when the client has finished sending.
    const question = `config ${hostsFile}`
    const received = await context.exchangeOnPort(context.port, question, { endsAfterMessage: true, bytesMax: 8192 })
    if (received === undefined) return {}
    const answer = received.toString('latin1')
    const [line] = hostLine.exec(answer) ?? []
    return { [exposed.id]: line === undefined ? null : { request: question, answer, highlights: [line] } }
  },
}
