import { randomBytes } from 'node:crypto'
import { checkInfo } from '#native/native-check.ts'
import type { NativeCheck } from '#native/native-check.ts'

const anyPassword = checkInfo({
  id: 'mail-any-password',
  name: 'Mail server accepts any password',
  severity: 'critical',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:N',
  score: 9.1,
  summary: 'The mail server accepted a random username with a random password.',
  impact: 'An attacker can read and delete the mail in every mailbox.',
  remediation:
    "Check the server's password database. In Dovecot, remove passdb entries with `nopassword` or a static password, which are meant for testing only.",
  reference: 'https://doc.dovecot.org/2.3/configuration_manual/authentication/static_password_database/',
  tags: 'misconfig imap pop3 auth network',
})

/** One login with random credentials, which must fail. Not in the gentle profile. */
export const mailPasswords: NativeCheck = {
  checks: [anyPassword],
  from: 'standard',
  concerns: ({ protocol }) => protocol === 'imap' || protocol === 'pop3',
  async examine(place) {
    const isImap = place.service.protocol === 'imap'
    const user = `glacis-${randomBytes(6).toString('hex')}`
    const secret = randomBytes(9).toString('hex')
    const words = isImap ? [`a LOGIN ${user} ${secret}\r\n`] : [`USER ${user}\r\n`, `PASS ${secret}\r\n`]
    const heard = await place.speak(async (line) => {
      const patience = { firstByteMs: 6000, idleMs: 200, totalMs: 8000 }
      let answer = (await line.read(patience)).toString('latin1')
      for (const word of words) {
        line.write(word)
        answer = (await line.read(patience)).toString('latin1')
        if (/^-ERR|^a (NO|BAD)/m.test(answer)) break
      }
      line.write(isImap ? 'z LOGOUT\r\n' : 'QUIT\r\n')
      return answer
    })
    if (!heard) return {}
    const isIn = isImap ? /^a OK/m.test(heard) : /^\+OK/m.test(heard)
    const isSettled = isIn || /^-ERR|^a (NO|BAD)/m.test(heard)
    const request = `login as nonexistent user ${user} with a random password`
    const proof = { request, answer: heard, highlights: [heard.split('\r\n', 1)[0] ?? ''] }
    return isSettled ? { [anyPassword.id]: isIn ? proof : null } : {}
  },
}
