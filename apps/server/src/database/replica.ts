/**
 * A streaming replica of the database, which serves lists and charts.
 *
 * Positions in the write-ahead log show what it contains: every half second, the primary's position is recorded with the
 * time, and compared with the position that the replica has replayed.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { errorCode } from '#error-code.ts'
import type { Log } from '#ctx.ts'
import { isConnectionLoss } from '#database/connection-errors.ts'
import type { Tables } from '#database/tables.ts'
import { transactionsOnly } from '#database/transactions-only.ts'
import { Kysely, PostgresDialect, sql } from 'kysely'
import type { Pool } from 'pg'

/** The replica is used only while it contains everything that was committed this long ago. */
const staleMsMax = 5000
const compareMs = 500
const pollMs = 50

export interface Replica {
  readonly reads: Pick<Kysely<Tables>, 'transaction'>
  /** Whether it is current enough, and contains everything up to `position`, if given. */
  canServe(position?: string): boolean
  /** The position of everything committed so far on the primary, such as `0/16B3748`. */
  position(): Promise<string>
  /** Resolves once reads see everything committed so far, from the replica or because it isn't used anymore. */
  caughtUp(): Promise<void>
  close(): Promise<void>
}

interface Sample {
  readonly atMs: number
  readonly position: bigint
}

/** @param pool connections to the replica, closed with it */
export function watchReplica(pool: Pool, owner: Kysely<Tables>, log: Log): Replica {
  const reads = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: transactionsOnly(pool) }) })
  let samples: Sample[] = []
  let [replayed, currentAtMs, wasUsable] = [0n, -Infinity, true]
  const closing = new AbortController()
  const isUsable = () => performance.now() - currentAtMs <= staleMsMax

  async function compare(): Promise<void> {
    const atMs = performance.now()
    samples.push({ atMs, position: parsePosition(await positionOf(owner)) })
    replayed = parsePosition(await reads.transaction().execute(positionOf))
    const contained = samples.findLastIndex(({ position }) => position <= replayed)
    currentAtMs = samples[contained]?.atMs ?? currentAtMs
    samples = samples.slice(Math.max(contained, 0))
  }
  async function watch(): Promise<void> {
    while (!closing.signal.aborted) {
      await compare().catch(() => (samples = []))
      if (isUsable() !== wasUsable) {
        wasUsable = !wasUsable
        if (wasUsable) log.info({}, 'replica serves reads')
        else log.warn({ staleMsMax }, 'replica unavailable or behind, primary serves reads')
      }
      await wait(compareMs, undefined, { signal: closing.signal, ref: false }).catch(() => undefined)
    }
  }
  const canServe = (position?: string) => isUsable() && (position === undefined || parsePosition(position) <= replayed)
  const watching = watch()
  return {
    reads,
    canServe,
    position: () => positionOf(owner),
    async caughtUp() {
      if (!isUsable()) return
      const position = await positionOf(owner)
      while (isUsable() && !canServe(position)) await wait(pollMs)
    },
    async close() {
      closing.abort()
      await watching
      await reads.destroy()
    },
  }
}

const format = /^[\dA-F]{1,8}\/[\dA-F]{1,8}$/

export function isPosition(text: string): boolean {
  return format.test(text)
}

/** A `pg_lsn`: the upper and lower 32 bits in hexadecimal. */
function parsePosition(text: string): bigint {
  const [upper = '0', lower = '0'] = text.split('/')
  return (BigInt(`0x${upper}`) << 32n) + BigInt(`0x${lower}`)
}

/** Written on a primary, or replayed on a replica. A replica that was promoted is a primary. */
async function positionOf(db: Kysely<Tables>): Promise<string> {
  const { rows } = await sql<{ position: string }>`
    select case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end::text
      as position`.execute(db)
  return rows[0]?.position ?? '0/0'
}

/** Whether a read failed only because of the replica: the connection was lost, or replay conflicted with the read. */
export function isReplicaFailure(error: unknown): boolean {
  return isConnectionLoss(error) || ['25006', '40001', '40P01'].includes(errorCode(error))
}
