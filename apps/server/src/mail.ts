/** Sends email over SMTP, or writes it to the outbox folder if no server is configured. */
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
   * Resolves when the SMTP server has accepted the email, or when its file is synced to disk.
   * It does not retry; the caller's queue does.
   *
   * @throws the error of the SMTP server or the file system
   */
  deliver(mail: Mail): Promise<void>
  /** Closes the SMTP connections. */
  close(): void
}

/** The subset of `Config` for email. */
export interface MailSettings {
  readonly smtpUrl: string | undefined
  readonly mailFrom: string
  readonly dataFolder: string
}

/** Uses the server of `GLACIS_SMTP_URL`, or the outbox in the data folder. */
export function createMailer({ smtpUrl, mailFrom, dataFolder }: MailSettings, log: Logger): Mailer {
  return smtpUrl === undefined ? outbox(join(dataFolder, 'outbox'), mailFrom, log) : server(smtpUrl, mailFrom, log)
}

/** Timeouts in milliseconds; the library's default of ten minutes would block a worker. */
const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 }

/** Loaded lazily, with the first email. */
const library = () => import('nodemailer')

function server(url: string, from: string, log: Logger): Mailer {
  const open = async () => (await library()).createTransport({ url, pool: true, maxConnections: 2, ...timeouts })
  let transport: ReturnType<typeof open> | undefined
  return {
    async deliver(mail) {
      const opened = await (transport ??= open())
      const { messageId } = await opened.sendMail({ from, ...mail, disableFileAccess: true, disableUrlAccess: true })
      log.info({ messageId }, 'mail sent')
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
      await writeAtomically(file, message)
      log.info({ file }, 'mail written to outbox')
    },
    close: () => undefined,
  }
}

/** Sorts by time, contains the recipient, and can't escape the folder. */
function fileName(to: string, now: Date): string {
  const when = now.toISOString().replaceAll(':', '-')
  const whom = to.replaceAll(/[^\w.@+-]/g, '_').slice(0, 80)
  return `${when}-${whom}-${randomUUID().slice(0, 4)}.eml`
}

/** Writes to a temporary file, syncs, and renames it, so that readers never see a partial email. */
async function writeAtomically(file: string, content: Buffer | NodeJS.ReadableStream): Promise<void> {
  const draft = `${file}.part`
  await using handle = await open(draft, 'wx', 0o600)
  await handle.writeFile(content)
  await handle.sync()
  await rename(draft, file)
}
