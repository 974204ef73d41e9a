/** Courier: stores emails in the database and delivers them through the host's job queue. */
import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Log, Mail } from '#options.ts'
import type { Database } from '#store.ts'

export interface Courier {
  /** Queues an email in the caller's transaction. */
  queue(db: Database, mail: Mail, options: MailOptions): Promise<void>
  /**
   * Delivers a queued email unless it was already delivered or has expired.
   *
   * @throws the delivery error, so that the job queue retries
   */
  deliver(id: string): Promise<void>
}

interface QueueOptions {
  // oxlint-disable-next-line typescript/no-explicit-any -- independent of the caller's tables
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
  /** Stored but never sent, so that response times don't reveal whether an address is known. */
  readonly isVoid?: boolean
}

export function createCourier(options: CourierOptions): Courier {
  return {
    queue: (db, mail, mailOptions) => queueMail(db, mail, mailOptions, options),
    deliver: (id) => deliver(id, options),
  }
}

/** Same as `Courier.queue`, for callers without a running service. */
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
    await finish(database, id, 'failed')
    log.error({ mailId: id }, 'mail expired before delivery')
    return
  }
  try {
    await send({ to: mail.recipient, subject: mail.subject, text: mail.text, html: mail.html })
  } catch (cause) {
    log.warn({ err: cause, mailId: id }, 'mail delivery failed, will retry')
    throw cause
  }
  await finish(database, id, 'sent')
}

/** Erases the text of a sent or expired email, because it may contain a code. */
async function finish(database: Database, id: string, status: 'sent' | 'failed'): Promise<void> {
  await database.updateTable('identity.mail').set({ status, text: '', html: '' }).where('id', '=', id).execute()
}
