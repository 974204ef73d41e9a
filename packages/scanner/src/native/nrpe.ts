/** Nagios Remote Plugin Executor. */
import { crc32 } from 'node:zlib'
import { checkInfo, type NativeCheck } from '#native/native-check.ts'

const exposed = checkInfo({
  id: 'nrpe-open',
  name: 'Nagios NRPE exposed without client authentication',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:L/A:N',
  score: 6.5,
  summary:
    'The Nagios Remote Plugin Executor (NRPE) accepts requests from clients without a certificate. The check requested the version.',
  impact:
    'An attacker can run the configured commands, with their own arguments if `dont_blame_nrpe` is set, and learns the version.',
  remediation:
    'List the monitoring servers in `allowed_hosts`, and require client certificates (`ssl_client_certs=2`) in nrpe.cfg.',
  reference: 'https://github.com/NagiosEnterprises/nrpe/blob/master/SECURITY.md',
  tags: 'misconfig nrpe nagios unauth network',
  verifiedOn: 'nrpe',
})
const readOptions = { firstByteMs: 3000, idleMs: 300 }

/** Sends the internal command that returns the version. */
export const nrpe: NativeCheck = {
  checks: [exposed],
  appliesTo: ({ protocol }) => protocol === 'nrpe',
  async run(context) {
    const response = await context.exchange(nrpeVersionQuery(), readOptions)
    const [answer] = /NRPE v\d[\w.-]{0,30}/.exec(response?.toString('latin1') ?? '') ?? []
    if (answer === undefined) return {}
    return { [exposed.id]: { request: '_NRPE_CHECK', answer, highlights: [answer] } }
  },
}

/** The command `_NRPE_CHECK` in a packet of version 2, with a checksum over all of it. */
export function nrpeVersionQuery(): Buffer {
  const packet = Buffer.alloc(1036)
  packet.writeUInt16BE(2)
  packet.writeUInt16BE(1, 2)
  packet.write('_NRPE_CHECK', 10)
  packet.writeUInt32BE(crc32(packet), 4)
  return packet
}
