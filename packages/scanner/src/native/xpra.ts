/* oxlint-disable no-control-regex -- binary protocols are made of control characters */
/** Xpra, which forwards applications and desktops of X11. */
import { checkInfo, type NativeCheck, type NativeContext } from '#native/native-check.ts'
import { bytes, withLength } from '#wire.ts'

const open = checkInfo({
  id: 'xpra-open',
  name: 'Xpra session exposed without authentication',
  severity: 'critical',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
  score: 9.8,
  summary: 'The Xpra server accepts clients without a password. The check tested the connection and opened no session.',
  impact: 'An attacker can see the screen, control the keyboard and mouse, and start programs.',
  remediation:
    'Set `--tcp-auth=file,filename=PATH` and use TLS, or bind Xpra to localhost and connect with SSH (`xpra attach ssh://HOST`).',
  reference: 'https://github.com/Xpra-org/xpra/blob/master/docs/Usage/Authentication.md',
  tags: 'misconfig xpra x11 unauth network',
  verifiedOn: 'xpra',
})

/** Encodings of the payload: that of versions up to 4, and that of later ones. */
const rencode = 0x01
const rencodePlus = 0x10
const text = (value: string) => Buffer.concat([Buffer.from([128 + value.length]), bytes(value)])

/** A hello with one request, in the encoding that both formats share. */
function hello(encoding: number, request: string): Buffer {
  const members = [text('version'), text('3.1'), text('rencode'), bytes('C'), text('rencodeplus'), bytes('C')]
  const packet = [Buffer.from([194]), text('hello'), Buffer.from([102 + 4]), ...members, text(request), bytes('C')]
  return Buffer.concat([bytes('P'), Buffer.from([encoding, 0, 0]), withLength(Buffer.concat(packet))])
}

/** Servers return their version before authentication. */
export const xpraVersionRequest = hello(rencode, 'version_request')
const accepted = /^P[\x01\x10]\0\0[\s\S]{4}[\xc2-\xc5]\x85hello[\s\S]\x95connect_test_response/

export const xpra: NativeCheck = {
  checks: [open],
  appliesTo: ({ protocol, technologies }) =>
    protocol === 'xpra' || (protocol === 'http' && technologies.some(({ wfn }) => wfn.product === 'xpra')),
  async run(context) {
    const answers = [await testConnection(context, rencode), await testConnection(context, rencodePlus)]
    const answer = answers.find((text = '') => accepted.test(text))
    if (answer === undefined) return answers.some(Boolean) ? { [open.id]: null } : {}
    return { [open.id]: { request: 'hello, connect_test_request', answer, highlights: ['connect_test_response'] } }
  },
}

async function testConnection(context: NativeContext, encoding: number): Promise<string | undefined> {
  const received = await context.exchange(hello(encoding, 'connect_test_request'))
  return received?.toString('latin1')
}
