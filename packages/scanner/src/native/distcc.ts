import { bytes, checkInfo } from '#native/native.ts'
import type { NativeSubject } from '#native/native.ts'

const open = checkInfo({
  id: 'distcc-open',
  name: 'Compiler service open to everyone',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:L/A:L',
  score: 8.6,
  summary: 'The distcc server compiled an empty file for a stranger; its protocol knows no passwords.',
  impact: 'A compiler reads any file that it is told to include, and old versions run any command (CVE-2004-2687).',
  remediation: 'Name the machines that may use it (--allow), or reach it through SSH.',
  reference: 'https://www.distcc.org/security.html',
  tags: 'misconfig distcc unauth network',
})
const usualPort = 3632

/** A number as the protocol writes it: a name of four letters and eight hexadecimal digits. */
const token = (name: string, value: number) => name + value.toString(16).padStart(8, '0')
const words = ['cc', '-c', 'glacis.c', '-o', 'glacis.o']
const job = bytes(
  token('DIST', 1) +
    token('ARGC', words.length) +
    words.map((word) => token('ARGV', word.length) + word).join('') +
    token('DOTI', 0),
)

/** Lets the server do once what it is there for, with an empty source text. Not in the gentle profile. */
export const distcc: NativeSubject = {
  checks: [open],
  from: 'standard',
  concerns: ({ protocol, port, transport }) =>
    transport === 'tcp' && (protocol === 'distcc' || (protocol === '' && port === usualPort)),
  async examine(place) {
    const heard = await place.ask(job, { firstByteMs: 8000, idleMs: 300, totalMs: 10_000, bytesMax: 8192 })
    if (heard === undefined) return {}
    const answer = heard.toString('latin1')
    const isDone = /^DONE0000000[123]STAT[0-9a-f]{8}/.test(answer)
    const request = `version 1, arguments: ${words.join(' ')}, an empty source text`
    return { [open.id]: isDone ? { request, answer: answer.slice(0, 400), highlights: [answer.slice(0, 24)] } : null }
  },
}
