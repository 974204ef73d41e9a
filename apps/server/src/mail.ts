/** The way out for mails: a mail server, or files in the outbox where no server is configured. */
import { randomUUID } from 'node:crypto'
import { mkdir, open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from './log.ts'

export interface Mail {
  /** One address, without a display name. */
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

export interface Mailer {
  /**
   * Resolves when the mail server has taken the mail, or when its file is safely on disk.
   * It does not try again: the caller's queue does.
   *
   * @throws the mail server's or the file system's own error
   */
  deliver(mail: Mail): Promise<void>
  /** Gives the connections to the mail server back. */
  close(): void
}

/** The settings that concern mail; the whole `Config` fits. */
export interface MailSettings {
  readonly smtpUrl: string | undefined
  readonly mailFrom: string
  readonly dataFolder: string
}

/** Chooses the mail server of `GLACIS_SMTP_URL`, or the outbox in the data folder. */
export function createMailer({ smtpUrl, mailFrom, dataFolder }: MailSettings, log: Logger): Mailer {
  return smtpUrl === undefined ? outbox(join(dataFolder, 'outbox'), mailFrom, log) : server(smtpUrl, mailFrom)
}

/** A mail server that says nothing must not hold a worker for the library's ten minutes. */
const waits = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 }

/** Loaded with the first mail. */
const library = () => import('nodemailer')

function server(url: string, from: string): Mailer {
  const open = async () => (await library()).createTransport({ url, pool: true, maxConnections: 2, ...waits })
  let transport: ReturnType<typeof open> | undefined
  return {
    async deliver(mail) {
      const opened = await (transport ??= open())
      await opened.sendMail({ from, ...mail, disableFileAccess: true, disableUrlAccess: true })
    },
    close: () => void transport?.then((opened) => opened.close()),
  }
}

function outbox(folder: string, from: string, log: Logger): Mailer {
  return {
    async deliver(mail) {
      const { createTransport } = await library()
      const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
      const { message } = await transport.sendMail({ from, ...mail, disableFileAccess: true, disableUrlAccess: true })
      const file = join(folder, fileName(mail.to, new Date()))
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await writeWhole(file, message)
      log.info({ file }, 'mail written to the outbox')
    },
    close: () => undefined,
  }
}

/** Sorts by time, tells the recipient, and never leaves the folder. */
function fileName(to: string, now: Date): string {
  const when = now.toISOString().replaceAll(':', '-')
  const whom = to.replaceAll(/[^\w.@+-]/g, '_').slice(0, 80)
  return `${when}-${whom}-${randomUUID().slice(0, 4)}.eml`
}

/** Whoever watches the folder sees the whole mail or none: written aside, synced, renamed. */
async function writeWhole(file: string, content: Buffer | NodeJS.ReadableStream): Promise<void> {
  const draft = `${file}.part`
  await using handle = await open(draft, 'wx', 0o600)
  await handle.writeFile(content)
  await handle.sync()
  await rename(draft, file)
}
