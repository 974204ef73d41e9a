/** Mail servers: mailboxes that any password opens, and delivery without authentication. */
import { randomBytes } from 'node:crypto'
import { checkInfo, type NativeCheck } from '#native/native-check.ts'

const anyPassword = checkInfo({
  id: 'mail-any-password',
  name: 'Mail server accepts any password',
  severity: 'critical',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:N',
  score: 9.1,
  summary: 'The mail server accepted a random username with a random password. The check read no mail.',
  impact: 'An attacker can read and delete the mail in every mailbox.',
  remediation:
    "Check the server's password database. In Dovecot, remove passdb entries with `nopassword` or a static password, which are meant for testing only.",
  reference: 'https://doc.dovecot.org/2.3/configuration_manual/authentication/static_password_database/',
  tags: 'misconfig imap pop3 auth network',
  verifiedOn: 'dovecot',
})

const replyOptions = { firstByteMs: 6000, idleMs: 200, totalMs: 8000 }

/** One login with random credentials, which must fail. Needs permission for logins. */
export const mailPasswords: NativeCheck = {
  permission: 'logins',
  checks: [anyPassword],
  appliesTo: ({ protocol }) => protocol === 'imap' || protocol === 'pop3',
  async run(context) {
    const isImap = context.service.protocol === 'imap'
    const user = `glacis-${randomBytes(6).toString('hex')}`
    const secret = randomBytes(9).toString('hex')
    const commands = isImap ? [`a LOGIN ${user} ${secret}\r\n`] : [`USER ${user}\r\n`, `PASS ${secret}\r\n`]
    const received = await context.withConnection(async (connection) => {
      let response = (await connection.read(replyOptions)).toString('latin1')
      for (const command of commands) {
        connection.write(command)
        response = (await connection.read(replyOptions)).toString('latin1')
        if (/^-ERR|^a (NO|BAD)/m.test(response)) break
      }
      connection.write(isImap ? 'z LOGOUT\r\n' : 'QUIT\r\n')
      return response
    })
    if (!received) return {}
    const isLoggedIn = isImap ? /^a OK/m.test(received) : /^\+OK/m.test(received)
    const isDecided = isLoggedIn || /^-ERR|^a (NO|BAD)/m.test(received)
    const request = `login as nonexistent user ${user} with a random password`
    const proof = { request, answer: received, highlights: [received.split('\r\n', 1)[0] ?? ''] }
    return isDecided ? { [anyPassword.id]: isLoggedIn ? proof : null } : {}
  },
}

const lmtpOpen = checkInfo({
  id: 'lmtp-open',
  name: 'LMTP exposed without authentication',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:L/A:L',
  score: 6.5,
  summary:
    'The server accepts mail for local delivery (LMTP) from any client. The check started a message and canceled it.',
  impact:
    'An attacker can deliver mail with any sender to every mailbox, without spam filters and sender checks, and find out which mailboxes exist.',
  remediation:
    'Use a Unix socket between the mail server and LMTP. If it must use the network, allow only the mail server to reach the port.',
  reference: 'https://www.rfc-editor.org/rfc/rfc2033',
  tags: 'misconfig lmtp mail unauth network',
  verifiedOn: 'dovecot-lmtp',
})

/** Mail servers reject the greeting LHLO, and LMTP servers reject EHLO (RFC 2033, 4.1). */
export const lmtp: NativeCheck = {
  checks: [lmtpOpen],
  appliesTo: ({ protocol }) => protocol === 'smtp' || protocol === 'lmtp',
  async run(context) {
    const result = await context.withConnection(async (connection) => {
      const send = async (command: string) => {
        connection.write(`${command}\r\n`)
        return (await connection.read(replyOptions)).toString('latin1')
      }
      await connection.read(replyOptions)
      const isMailServer = !(await send('EHLO glacis.example')).startsWith('5')
      if (isMailServer || !(await send('LHLO glacis.example')).startsWith('250')) return { proof: null }
      const answer = await send('MAIL FROM:<>')
      await send('RSET')
      await send('QUIT')
      const proof = { request: 'LHLO glacis.example, MAIL FROM:<>', answer, highlights: ['250'] }
      return { proof: answer.startsWith('250') ? proof : null }
    })
    return result ? { [lmtpOpen.id]: result.proof } : {}
  },
}
