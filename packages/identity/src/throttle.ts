/**
 * Slows guessing down. Each attempt is counted before it is made, so that a burst in parallel gains
 * nothing; a right one is given back. Windows pass by themselves: nobody is locked out for good.
 */
import { createHash } from 'node:crypto'
import { isIP } from 'node:net'
import { sql } from 'kysely'
import type { Service } from '#service.ts'

const windowMs = 15 * 60_000
/** Wrong guesses in one window: of one account from one address, of one account from anywhere, of one address. */
const limits = { pair: 10, account: 50, address: 100 } as const
/** Mails that one recipient gets in one window, however often somebody asks. */
const mailsMax = 10

/** What somebody is told who has guessed too often. */
export const tooManyAttempts = 'Too many attempts. Please wait a few minutes and try again.'

/** What is guessed at; each has its own count. */
export type Guess =
  | 'password'
  | 'verification'
  | 'recovery'
  | 'totp'
  | 'lookup_secret'
  | 'passkey'
  | 'webauthn'
  | 'code'

export interface Attempt {
  /** True when a limit is reached: the guess must not even be looked at. */
  readonly isRefused: boolean
  /** Gives the attempt back: the guess was right. */
  forgive(): Promise<void>
}

/** Counts one guess at an account's secret by a client address. */
export async function attempt(service: Service, guess: Guess, account: string, ip: string): Promise<Attempt> {
  const network = networkOf(ip)
  const pair = keyOf(guess, 'pair', `${account} ${network}`)
  const keys = [
    [pair, limits.pair],
    [keyOf(guess, 'account', account), limits.account],
    [keyOf(guess, 'address', network), limits.address],
  ] as const
  let isRefused = false
  for (const [key, limit] of keys) isRefused ||= (await count(service, key)) > limit
  return {
    isRefused,
    async forgive() {
      const { db } = service
      await db.deleteFrom('identity.throttle').where('key', '=', pair).execute()
      await db
        .updateTable('identity.throttle')
        .set({ used: sql<number>`greatest(used - 1, 0)` })
        .where('key', 'in', [keys[1][0], keys[2][0]])
        .execute()
    },
  }
}

/** Counts a mail to an address; false when it has had enough of them for now. */
export async function mayMail(service: Service, address: string): Promise<boolean> {
  return (await count(service, keyOf('mail', 'account', address))) <= mailsMax
}

/** True for the first who comes with a subject; until the moment given, nobody else does. */
export async function once(service: Service, subject: string, until: Date): Promise<boolean> {
  const row = await service.db
    .insertInto('identity.throttle')
    .values({ key: keyOf('once', 'subject', subject), used: 1, resets_at: until })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .returning('key')
    .executeTakeFirst()
  return row !== undefined
}

/** One subscriber of IPv6 has a /64 of addresses and counts as one client. */
export function networkOf(ip: string): string {
  if (isIP(ip) !== 6) return ip
  const [head = '', tail] = ip.split('::')
  const before = head.split(':').filter(Boolean)
  const after = (tail ?? '').split(':').filter(Boolean)
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length
  const groups = [...before, ...Array.from({ length: Math.max(0, zeros) }, () => '0'), ...after]
  return groups.slice(0, 4).join(':')
}

/** Addresses and accounts are hashed: the table tells nobody who was attacked. */
function keyOf(guess: string, scope: string, subject: string): string {
  return `${guess}:${scope}:${createHash('sha256').update(subject).digest('base64url')}`
}

async function count(service: Service, key: string): Promise<number> {
  const now = service.now()
  const resetsAt = new Date(now.getTime() + windowMs)
  const row = await service.db
    .insertInto('identity.throttle')
    .values({ key, used: 1, resets_at: resetsAt })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet({
        used: sql<number>`case when throttle.resets_at <= ${now} then 1 else throttle.used + 1 end`,
        resets_at: sql<Date>`case when throttle.resets_at <= ${now} then ${resetsAt} else throttle.resets_at end`,
      }),
    )
    .returning('used')
    .executeTakeFirstOrThrow()
  return row.used
}
