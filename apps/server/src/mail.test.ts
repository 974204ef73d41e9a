import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SMTPServer } from 'smtp-server'
import { afterEach, expect, it } from 'vitest'
import { createLogger } from './log.ts'
import { createMailer } from './mail.ts'

const log = createLogger({ level: 'silent' })
const mail = { to: 'ann@example.org', subject: 'Your code', text: 'It is 123456.', html: '<p>It is 123456.</p>' }
const mailFrom = 'Glacis <glacis@example.org>'
const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0)) await cleanUp()
})

async function outboxMailer() {
  const dataFolder = await mkdtemp(join(tmpdir(), 'glacis-mail-'))
  cleanups.push(() => rm(dataFolder, { recursive: true }))
  const mailer = createMailer({ smtpUrl: undefined, mailFrom, dataFolder }, log)
  return { mailer, outbox: join(dataFolder, 'outbox') }
}

it('writes complete emails to the outbox, sorted by time', async () => {
  const { mailer, outbox } = await outboxMailer()
  await mailer.deliver(mail)
  await mailer.deliver({ ...mail, to: 'bob@example.org' })
  const files = (await readdir(outbox)).toSorted()
  expect(files.map((name) => name.replace(/^.*Z-/, '').slice(0, 15))).toEqual(['ann@example.org', 'bob@example.org'])
  const text = await readFile(join(outbox, files[0] ?? ''), 'utf8')
  expect(text).toMatch(/^From: Glacis <glacis@example.org>\r\nTo: ann@example.org\r\nSubject: Your code\r\n/)
  expect(text).toContain('It is 123456.')
})

it('escapes recipients in file names and line breaks in headers', async () => {
  const { mailer, outbox } = await outboxMailer()
  await mailer.deliver({ ...mail, to: '../../ann@example.org', subject: 'Hello\r\nBcc: eve@example.org' })
  const [file = ''] = await readdir(outbox)
  const text = await readFile(join(outbox, file), 'utf8')
  expect(text).not.toMatch(/^Bcc:/m)
})

it('sends emails over SMTP', async () => {
  const received = Promise.withResolvers<string>()
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, _session, done) {
      stream.setEncoding('utf8')
      let text = ''
      stream.on('data', (part: string) => (text += part))
      stream.on('end', () => {
        received.resolve(text)
        done()
      })
    },
  })
  const listening = Promise.withResolvers<number>()
  const socket = server.listen(0, '127.0.0.1', () => {
    const address = socket.address()
    listening.resolve(typeof address === 'object' && address ? address.port : 0)
  })
  cleanups.push(() => new Promise<void>((done) => server.close(() => done())))

  const smtpUrl = `smtp://127.0.0.1:${await listening.promise}`
  const mailer = createMailer({ smtpUrl, mailFrom, dataFolder: '/nowhere' }, log)
  await mailer.deliver(mail)
  mailer.close()
  expect(await received.promise).toContain('Subject: Your code')
})
