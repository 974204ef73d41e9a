/** Mails: queued in the database with what they are about, and delivered by the host's job queue. */
import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Log, Mail } from '#options.ts'
import type { Database } from '#store.ts'

export interface Courier {
  /** Queues a mail in the caller's transaction. */
  queue(db: Database, mail: Mail, options: MailOptions): Promise<void>
  /**
   * Delivers a queued mail, unless that was done before or nobody needs it any more.
   *
   * @throws what the delivery throws; the job queue then tries again
   */
  deliver(id: string): Promise<void>
}

interface QueueOptions {
  // oxlint-disable-next-line typescript/no-explicit-any -- the caller's own tables are of no interest here
  readonly enqueueMail: (tx: Kysely<any>, mailId: string) => Promise<void>
  readonly now: () => Date
}

interface CourierOptions extends QueueOptions {
  readonly database: Database
  readonly deliver: (mail: Mail) => Promise<void>
  readonly log: Log
}

interface MailOptions {
  readonly expiresAt: Date
  /** To nobody: it costs the same and is never sent, so unknown addresses can't be told from known ones by timing. */
  readonly isVoid?: boolean
}

export function createCourier(options: CourierOptions): Courier {
  return {
    queue: (db, mail, mailOptions) => queueMail(db, mail, mailOptions, options),
    deliver: (id) => deliver(id, options),
  }
}

/** As `Courier.queue`, where no service runs. */
export async function queueMail(
  db: Database,
  mail: Mail,
  { expiresAt, isVoid = false }: MailOptions,
  { enqueueMail, now }: QueueOptions,
): Promise<void> {
  if (!db.isTransaction)
    return db.transaction().execute((tx) => queueMail(tx, mail, { expiresAt, isVoid }, { enqueueMail, now }))
  const id = randomUUID()
  await db
    .insertInto('identity.mail')
    .values({
      id,
      recipient: mail.to,
      subject: mail.subject,
      text: isVoid ? '' : mail.text,
      html: isVoid ? '' : mail.html,
      status: isVoid ? 'void' : 'queued',
      expires_at: expiresAt,
      created_at: now(),
    })
    .execute()
  await enqueueMail(db, id)
}

async function deliver(id: string, { database, deliver: send, log, now }: CourierOptions): Promise<void> {
  const mail = await database.selectFrom('identity.mail').selectAll().where('id', '=', id).executeTakeFirst()
  if (mail?.status !== 'queued') return
  if (mail.expires_at <= now()) {
    await settle(database, id, 'failed')
    log.error({ mailId: id }, 'mail given up')
    return
  }
  try {
    await send({ to: mail.recipient, subject: mail.subject, text: mail.text, html: mail.html })
  } catch (cause) {
    log.warn({ err: cause, mailId: id }, 'mail not delivered, will retry')
    throw cause
  }
  await settle(database, id, 'sent')
  log.info({ mailId: id }, 'mail delivered')
}

/** Once a mail is out, or given up, its text is forgotten: it may hold a code. */
async function settle(database: Database, id: string, status: 'sent' | 'failed'): Promise<void> {
  await database.updateTable('identity.mail').set({ status, text: '', html: '' }).where('id', '=', id).execute()
}
