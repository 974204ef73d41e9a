import { bytes } from '#wire.ts'
import { checkInfo, type NativeCheck } from '#native/native-check.ts'

const open = checkInfo({
  id: 'distcc-open',
  name: 'distcc daemon exposed without authentication',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:L/A:L',
  score: 8.6,
  summary: 'The distcc daemon compiled an empty file sent by the check. Its protocol has no authentication.',
  impact:
    'An attacker can read files on the host by making the compiler include them. In older versions, the attacker can also run arbitrary commands (CVE-2004-2687).',
  remediation:
    'Limit clients with `distccd --allow 192.0.2.0/24`, bind to an internal interface with `--listen`, or use distcc over SSH.',
  reference: 'https://www.distcc.org/security.html',
  tags: 'misconfig distcc unauth network',
  verifiedOn: 'distcc',
})
const usualPort = 3632

/** distcc token: a four-letter name and eight hexadecimal digits. */
const token = (name: string, value: number) => name + value.toString(16).padStart(8, '0')
const args = ['cc', '-c', 'glacis.c', '-o', 'glacis.o']
const job = bytes(
  token('DIST', 1) +
    token('ARGC', args.length) +
    args.map((word) => token('ARGV', word.length) + word).join('') +
    token('DOTI', 0),
)

/** Compiles an empty source file. */
export const distcc: NativeCheck = {
  checks: [open],
  appliesTo: ({ protocol, port, transport }) =>
    transport === 'tcp' && (protocol === 'distcc' || (protocol === '' && port === usualPort)),
  triesUnidentified: true,
  async run(context) {
    const firstByteMs = context.port === usualPort ? 8000 : 2500
    const received = await context.exchange(job, { firstByteMs, idleMs: 300, totalMs: 10_000, bytesMax: 8192 })
    if (received === undefined) return {}
    const response = received.toString('latin1')
    const isDone = /^DONE0000000[123]STAT[0-9a-f]{8}/.test(response)
    const request = `distcc protocol 1: ${args.join(' ')} (empty source file)`
    return {
      [open.id]: isDone ? { request, answer: response.slice(0, 400), highlights: [response.slice(0, 24)] } : null,
    }
  },
}
