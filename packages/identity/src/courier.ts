/**
 * Brings mails out: queued in the database with whatever they are about, delivered at least once,
 * retried with growing pauses, given up when nobody would need them any more.
 */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Log, Mail } from '#options.ts'
import type { Database } from '#store.ts'

/** How long a process may take to deliver one mail before another process tries it. */
const leaseMs = 120_000
const pollMs = 5_000
const firstRetryMs = 5_000
const lastRetryMs = 15 * 60_000

export interface Courier {
  /**
   * Queues a mail in the caller's transaction. A mail to nobody (`void`) costs the same and is never
   * sent: so an unknown address cannot be told from a known one by the work it makes.
   */
  queue(db: Database, mail: Mail, options: { readonly expiresAt: Date; readonly isVoid?: boolean }): Promise<void>
  /** Looks at the queue now; call it once the transaction stands. */
  kick(): void
  start(): void
  /** Waits for the mail that is on its way, then stops. */
  close(): Promise<void>
}

interface CourierOptions {
  readonly database: Database
  readonly deliver: (mail: Mail) => Promise<void>
  readonly log: Log
  readonly now: () => Date
}

/** A courier at rest; `start` sets it going. */
export function createCourier(options: CourierOptions): Courier {
  let isRunning = false
  let timer: NodeJS.Timeout | undefined
  let round: Promise<void> | undefined
  let isKicked = false

  const schedule = () => {
    clearTimeout(timer)
    if (!isRunning) return
    timer = setTimeout(kick, pollMs)
    timer.unref()
  }
  const kick = () => {
    isKicked = true
    if (!isRunning || round) return
    round = rounds().finally(() => {
      round = undefined
      schedule()
    })
  }
  const rounds = async () => {
    while (isKicked && isRunning) {
      isKicked = false
      try {
        while (isRunning && (await deliverNext(options)));
      } catch (cause) {
        options.log.error({ err: cause }, 'mail queue could not be read')
      }
    }
  }
  return {
    queue: (db, mail, { expiresAt, isVoid }) => insert(db, mail, expiresAt, isVoid ?? false, options.now()),
    kick,
    start() {
      isRunning = true
      kick()
    },
    async close() {
      isRunning = false
      clearTimeout(timer)
      await round
    },
  }
}

async function insert(db: Database, mail: Mail, expiresAt: Date, isVoid: boolean, now: Date): Promise<void> {
  await db
    .insertInto('identity.mail')
    .values({
      id: randomUUID(),
      recipient: mail.to,
      subject: mail.subject,
      text: isVoid ? '' : mail.text,
      html: isVoid ? '' : mail.html,
      status: isVoid ? 'void' : 'queued',
      next_at: now,
      expires_at: expiresAt,
      created_at: now,
    })
    .execute()
}

/** Takes the mail that waits longest and delivers it; false when none is due. */
async function deliverNext({ database, deliver, log, now }: CourierOptions): Promise<boolean> {
  const mail = await lease(database, now())
  if (!mail) return false
  if (mail.expires_at <= now()) {
    await settle(database, mail.id, 'failed')
    log.error({ mailId: mail.id, attempts: mail.attempts }, 'mail given up')
    return true
  }
  try {
    await deliver({ to: mail.recipient, subject: mail.subject, text: mail.text, html: mail.html })
  } catch (cause) {
    const pauseMs = Math.min(firstRetryMs * 2 ** (mail.attempts - 1), lastRetryMs)
    const nextAt = new Date(now().getTime() + pauseMs)
    await database.updateTable('identity.mail').set({ next_at: nextAt }).where('id', '=', mail.id).execute()
    log.warn({ err: cause, mailId: mail.id, attempts: mail.attempts, nextAt }, 'mail not delivered, will retry')
    return true
  }
  await settle(database, mail.id, 'sent')
  log.info({ mailId: mail.id, attempts: mail.attempts }, 'mail delivered')
  return true
}

/** One process alone gets a mail, for the length of the lease. */
async function lease(database: Database, now: Date) {
  return database
    .updateTable('identity.mail')
    .set({ next_at: new Date(now.getTime() + leaseMs), attempts: sql<number>`attempts + 1` })
    .where('id', '=', (query) =>
      query
        .selectFrom('identity.mail')
        .select('id')
        .where('status', '=', 'queued')
        .where('next_at', '<=', now)
        .orderBy('next_at')
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .returningAll()
    .executeTakeFirst()
}

/** Once a mail is out, or given up, its text is forgotten: it may hold a code. */
async function settle(database: Database, id: string, status: 'sent' | 'failed'): Promise<void> {
  await database.updateTable('identity.mail').set({ status, text: '', html: '' }).where('id', '=', id).execute()
}
