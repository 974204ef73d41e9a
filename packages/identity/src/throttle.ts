/**
 * Rate limits against brute force. Each attempt is counted before it is checked, so that parallel requests can't exceed
 * a limit, and a successful attempt is refunded. Attempts from one address at one account run with limited concurrency,
 * so that parallel successful sign-ins don't throttle each other. Limits reset after a fixed window: no account is locked
 * permanently.
 */
import { createHash } from 'node:crypto'
import { isIP } from 'node:net'
import { sql } from 'kysely'
import { emitEvent } from '#http/exchange.ts'
import { type Exchange, type Rejected, rejected, type Service } from '#service.ts'
import { errorMessage } from '#ui/error-message.ts'
import { onForm } from '#ui/message.ts'
import { acquireSlot } from '#concurrency-limit.ts'

const windowMs = 15 * 60_000
/** Failed attempts per window: for an account from one address (`pair`), for an account, and from an address. */
const limits = { pair: 10, account: 50, address: 100 } as const
/**
 * Failed attempts that each address still has when the account's limit is reached. A distributed attack must not lock out
 * the account's owner, who signs in from another address.
 */
const pairMaxUnderAttack = 2
/** Maximum emails to one recipient per window. */
const mailsMax = 10
/** Maximum emails that one client IP may request per window, as a multiple of its sign-up limit. */
const mailsPerSignUp = 5

export const tooManyAttempts = 'Too many attempts. Wait a few minutes and try again.'

/** Each kind has its own counters. */
export type AttemptKind =
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
 * Attempts that require a completed first factor. The account's limit applies to every address: an outsider can't exhaust
 * it, and a distributed attack must not get extra attempts at a six-digit code.
 */
const secondFactorKinds: ReadonlySet<AttemptKind> = new Set(['totp', 'lookup_secret', 'mailed_code'])

export interface Attempt {
  /** A limit is reached. The submitted secret must not be checked. */
  readonly isThrottled: boolean
  /** Removes the attempt from the counters, because it succeeded or had no cost. */
  refund(): Promise<void>
}
/** Holds a concurrency slot until it is disposed. */
export type DisposableAttempt = Attempt & Disposable

/** The response to a throttled attempt, which is recorded as an event. */
export function throttled(exchange: Exchange, identityId: string | null, detail?: string): Rejected {
  emitEvent(exchange, 'throttled', identityId, detail)
  return rejected(onForm(errorMessage.generic(tooManyAttempts)))
}

/** Waits for a concurrency slot, then counts an attempt at an account's secret from a client IP. */
export async function beginAttempt(
  service: Service,
  kind: AttemptKind,
  account: string,
  ip: string,
): Promise<DisposableAttempt> {
  const network = networkOf(ip)
  const keys = {
    pair: throttleKey(kind, 'pair', `${account} ${network}`),
    account: throttleKey(kind, 'account', account),
    address: throttleKey(kind, 'address', network),
  }
  const release = await acquireSlot(keys.pair)
  const attempt = {
    async refund() {
      await service.db.deleteFrom('identity.throttle').where('key', '=', keys.pair).execute()
      await decrement(service, [keys.account, keys.address])
    },
    [Symbol.dispose]: () => release?.(),
  }
  try {
    return {
      ...attempt,
      isThrottled: release === null || (await exceedsLimit(service, keys, secondFactorKinds.has(kind))),
    }
  } catch (error) {
    release?.()
    throw error
  }
}

type Keys = Readonly<Record<keyof typeof limits, string>>

/** Checks the limits in order. An attempt that one limit rejects doesn't count toward the next. */
async function exceedsLimit(service: Service, keys: Keys, isAccountStrict: boolean): Promise<boolean> {
  const pairCount = await increment(service, keys.pair)
  if (pairCount > limits.pair) return true
  const isAccountUnderAttack = (await increment(service, keys.account)) > limits.account
  if (isAccountUnderAttack && (isAccountStrict || pairCount > pairMaxUnderAttack)) return true
  return (await increment(service, keys.address)) > limits.address
}

/** Counts a sign-up from a client IP. Each one costs a password hash and an email. */
export async function beginSignUpAttempt(service: Service, ip: string): Promise<Attempt> {
  const key = throttleKey('registration', 'address', networkOf(ip))
  return {
    isThrottled: (await increment(service, key)) > service.signUpsMax,
    refund: () => decrement(service, [key]),
  }
}

async function decrement({ db }: Service, keys: readonly string[]): Promise<void> {
  await db
    .updateTable('identity.throttle')
    .set({ used: sql<number>`greatest(used - 1, 0)` })
    .where('key', 'in', keys)
    .execute()
}

/** Counts an email requested by a client. Returns false if the limit of the recipient or of the client is reached. */
export async function consumeMailQuota(service: Service, address: string, ip: string): Promise<boolean> {
  const clientCount = await increment(service, throttleKey('mail', 'address', networkOf(ip)))
  if (clientCount > service.signUpsMax * mailsPerSignUp) return false
  return (await increment(service, throttleKey('mail', 'account', address))) <= mailsMax
}

/** Returns true only for the first call with this subject, until the given time. */
export async function claimOnce(service: Pick<Service, 'db'>, subject: string, until: Date): Promise<boolean> {
  const row = await service.db
    .insertInto('identity.throttle')
    .values({ key: throttleKey('once', 'subject', subject), used: 1, resets_at: until })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .returning('key')
    .executeTakeFirst()
  return row !== undefined
}

/** Maps an IPv6 address to its /64, which a single subscriber typically owns. */
export function networkOf(ip: string): string {
  if (isIP(ip) !== 6) return ip
  const [head = '', tail] = ip.split('::')
  const before = head.split(':').filter(Boolean)
  const after = (tail ?? '').split(':').filter(Boolean)
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length
  const groups = [...before, ...Array.from({ length: Math.max(0, zeros) }, () => '0'), ...after]
  return groups.slice(0, 4).join(':')
}

/** Hashes the subject, so that the table doesn't reveal addresses and accounts. */
function throttleKey(kind: string, scope: string, subject: string): string {
  return `${kind}:${scope}:${createHash('sha256').update(subject).digest('base64url')}`
}

async function increment(service: Service, key: string): Promise<number> {
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
