/**
 * Slows guessing down. Each attempt is counted before it is made, so that a burst in parallel gains
 * nothing; a right one is given back. Those of one account from one address take turns, so that right
 * ones which come together are not taken for guesses of each other. Windows pass by themselves: nobody
 * is locked out for good.
 */
import { createHash } from 'node:crypto'
import { isIP } from 'node:net'
import { sql } from 'kysely'
import type { Service } from '#service.ts'
import { takeTurn } from '#turns.ts'

const windowMs = 15 * 60_000
/** Wrong guesses in one window: of one account from one address, of one account from anywhere, of one address. */
const limits = { pair: 10, account: 50, address: 100 } as const
/**
 * Wrong guesses that each address still has at an account that is being guessed at from everywhere.
 * Whoever attacks an account must not lock its owner out, who comes from an address of their own.
 */
const pairMaxUnderAttack = 2
/** Mails that one recipient gets in one window, however often somebody asks. */
const mailsMax = 10
/** Mails that one client address may cause, for each sign-up that it may make. */
const mailsPerSignUp = 5

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
  | 'mailed_code'

/**
 * Guesses that only come after a right first factor: no outsider can use their count up, and six digits
 * must not fall to many addresses with a few guesses each.
 */
const afterFirstFactor: ReadonlySet<Guess> = new Set(['totp', 'lookup_secret', 'mailed_code'])

export interface Attempt {
  /** True when a limit is reached: the guess must not even be looked at. */
  readonly isRefused: boolean
  /** Gives the attempt back: the guess was right, or cost nothing. */
  forgive(): Promise<void>
}
/** One that others wait for until it is disposed of. */
export type Turn = Attempt & Disposable

/** Counts one guess at an account's secret by a client address, when it is its turn. */
export async function attempt(service: Service, guess: Guess, account: string, ip: string): Promise<Turn> {
  const network = networkOf(ip)
  const keys = {
    pair: keyOf(guess, 'pair', `${account} ${network}`),
    account: keyOf(guess, 'account', account),
    address: keyOf(guess, 'address', network),
  }
  const end = await takeTurn(keys.pair)
  const turn = {
    async forgive() {
      await service.db.deleteFrom('identity.throttle').where('key', '=', keys.pair).execute()
      await giveBack(service, [keys.account, keys.address])
    },
    [Symbol.dispose]: () => end?.(),
  }
  try {
    return { ...turn, isRefused: end === null || (await isRefused(service, keys, afterFirstFactor.has(guess))) }
  } catch (error) {
    end?.()
    throw error
  }
}

type Keys = Readonly<Record<keyof typeof limits, string>>

/** Counts in turn; what one limit refuses does not count towards the next. */
async function isRefused(service: Service, keys: Keys, isAccountStrict: boolean): Promise<boolean> {
  const byPair = await count(service, keys.pair)
  if (byPair > limits.pair) return true
  const isUnderAttack = (await count(service, keys.account)) > limits.account
  if (isUnderAttack && (isAccountStrict || byPair > pairMaxUnderAttack)) return true
  return (await count(service, keys.address)) > limits.address
}

/** Counts one sign-up by a client address: each costs a hash of a password and a mail. */
export async function attemptSignUp(service: Service, ip: string): Promise<Attempt> {
  const key = keyOf('registration', 'address', networkOf(ip))
  return {
    isRefused: (await count(service, key)) > service.signUpsMax,
    forgive: () => giveBack(service, [key]),
  }
}

async function giveBack({ db }: Service, keys: readonly string[]): Promise<void> {
  await db
    .updateTable('identity.throttle')
    .set({ used: sql<number>`greatest(used - 1, 0)` })
    .where('key', 'in', keys)
    .execute()
}

/**
 * Counts a mail to an address that a client asked for; false when the address has had enough of them for
 * now, or the client has asked for more than anybody needs.
 */
export async function mayMail(service: Service, address: string, ip: string): Promise<boolean> {
  const byClient = await count(service, keyOf('mail', 'address', networkOf(ip)))
  if (byClient > service.signUpsMax * mailsPerSignUp) return false
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
