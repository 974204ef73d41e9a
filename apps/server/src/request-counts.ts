/**
 * Counts requests for the rate limit, across all processes. A process counts alone until a client has used a share of its
 * limit; from then on it exchanges counts with the others every second.
 */
import { createHash } from 'node:crypto'
import type { FastifyRateLimitStore } from '@fastify/rate-limit'
import type { Log } from '#ctx.ts'
import type { Tables } from '#database/tables.ts'
import { type Kysely, sql } from 'kysely'

const exchangeMs = 1000
/** With ten processes, a client that stays below this share everywhere is still within its limit. */
const sharedFrom = 0.1
/** Bounds the memory when an attacker varies the credential. */
const keysMax = 5000

interface Count {
  used: number
  /** The part of `used` that hasn't been shared with the other processes. */
  unsent: number
  resetsAt: number
  isShared: boolean
}

export interface RequestCounts {
  /** The store of `@fastify/rate-limit`. */
  readonly Store: new () => FastifyRateLimitStore & {
    /** Like `incr`, but without counting; missing in the plugin's types. */
    read: FastifyRateLimitStore['incr']
  }
  close(): Promise<void>
}

export function createRequestCounts(owner: Kysely<Tables>, log: Log): RequestCounts {
  const counts = new Map<string, Count>()
  let running = Promise.resolve()

  function increment(key: string, windowMs: number, max: number): Count {
    const known = counts.get(key)
    const now = Date.now()
    const count =
      known && known.resetsAt > now ? known : { used: 0, unsent: 0, resetsAt: now + windowMs, isShared: false }
    count.used += 1
    count.unsent += 1
    count.isShared ||= count.used >= max * sharedFrom
    counts.delete(key)
    counts.set(key, count)
    const [oldest] = counts.keys()
    if (counts.size > keysMax && oldest !== undefined) counts.delete(oldest)
    return count
  }

  async function exchangeAll(): Promise<void> {
    const shared = [...counts].filter(([, count]) => count.isShared && count.unsent > 0)
    if (shared.length > 0) await exchange(owner, shared)
  }

  const timer = setInterval(() => {
    running = running
      .then(exchangeAll)
      .catch((error: unknown) => log.warn({ err: error }, 'exchanging request counts failed'))
  }, exchangeMs).unref()

  class Store implements FastifyRateLimitStore {
    incr(key: string, done: Parameters<FastifyRateLimitStore['incr']>[1], windowMs = 60_000, max = Infinity): void {
      const { used, resetsAt } = increment(key, windowMs, max)
      done(null, { current: used, ttl: resetsAt - Date.now() })
    }
    read(key: string, done: Parameters<FastifyRateLimitStore['incr']>[1]): void {
      const { used, resetsAt } = counts.get(key) ?? { used: 0, resetsAt: 0 }
      const ttl = resetsAt - Date.now()
      done(null, ttl > 0 ? { current: used, ttl } : { current: 0, ttl: 0 })
    }
    child(): Store {
      return this
    }
  }
  return {
    Store,
    async close() {
      clearInterval(timer)
      await running
    },
  }
}

/** Adds our new requests to the shared counts and adopts their totals. */
async function exchange(owner: Kysely<Tables>, shared: readonly (readonly [string, Count])[]): Promise<void> {
  const sent = shared
    .map(([key, count]) => ({ key: createHash('sha256').update(key).digest('base64'), count, added: count.unsent }))
    // All processes lock rows in the same order.
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
  for (const { count, added } of sent) count.unsent -= added
  const { rows } = await sql<{ key: string; used: number; left: number }>`
    insert into request_count as known (key, used, resets_at)
    select key, added, now() + left_ms * interval '1 millisecond'
    from unnest(${sent.map(({ key }) => key)}::text[], ${sent.map(({ added }) => added)}::int[],
      ${sent.map(({ count }) => count.resetsAt - Date.now())}::float[]) as sent (key, added, left_ms)
    on conflict (key) do update set
      used = case when known.resets_at <= now() then excluded.used else known.used + excluded.used end,
      resets_at = case when known.resets_at <= now() then excluded.resets_at else known.resets_at end
    returning key, used, extract(epoch from resets_at - now())::float * 1000 as left`.execute(owner)
  const byKey = new Map(rows.map((row) => [row.key, row]))
  for (const { key, count } of sent) {
    const total = byKey.get(key)
    if (!total) continue
    count.used = total.used + count.unsent
    count.resetsAt = Date.now() + total.left
  }
}

/** Deletes counts of clients that have stopped. */
export async function deleteExpiredCounts(owner: Kysely<Tables>): Promise<void> {
  await sql`delete from request_count where resets_at < now()`.execute(owner)
}
