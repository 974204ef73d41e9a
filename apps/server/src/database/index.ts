/**
 * The two database connections. `app` uses a role subject to row-level security, so a transaction sees only its
 * account's rows. `owner` sees everything; only code that serves all accounts uses it (identity, packs, sweeps,
 * migrations).
 */
import type { Actor, Ctx, Log } from '#ctx.ts'
import type { Tables } from '#database/tables.ts'
import { randomUUIDv7 } from 'node:crypto'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { Pool, types } from 'pg'

export interface Database {
  readonly app: Kysely<Tables>
  readonly owner: Kysely<Tables>
  /** Billing is off: no account has a limit. */
  readonly isUnlimited: boolean
  /** The connections of each pool; `waiting` counts requests for one. */
  connections(): Record<'app' | 'owner', { readonly total: number; readonly idle: number; readonly waiting: number }>
  close(): Promise<void>
}

const settings = '-c TimeZone=UTC -c jit=off'
const numericOid = 1700
const bigintOid = 20
const dateOid = 1082

/** Opens both pools. The role of `app` is created by the migrations. */
export function openDatabase(
  url: string,
  log: Log,
  {
    app: appMax = 10,
    owner: ownerMax = 4,
    isUnlimited = false,
  }: { app?: number; owner?: number; isUnlimited?: boolean } = {},
): Database {
  types.setTypeParser(numericOid, Number)
  types.setTypeParser(bigintOid, Number)
  // A date has no time zone, so it stays text.
  types.setTypeParser(dateOid, String)
  const open = (max: number, options: string) => {
    const pool = new Pool({ connectionString: url, max, options })
    // Without listeners, a lost idle connection would crash the process. The next statement on it reports the error.
    pool.on('connect', (client) => client.on('error', () => undefined))
    pool.on('error', (error) => log.warn({ error: error.message }, 'database connection lost'))
    return { pool, kysely: new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) }) }
  }
  const app = open(appMax, `-c role=glacis_app ${settings}`)
  const owner = open(ownerMax, settings)
  const connectionsOf = ({ pool }: typeof app) => ({
    total: pool.totalCount,
    idle: pool.idleCount,
    waiting: pool.waitingCount,
  })
  return {
    app: app.kysely,
    owner: owner.kysely,
    isUnlimited,
    connections: () => ({ app: connectionsOf(app), owner: connectionsOf(owner) }),
    async close() {
      await Promise.all([app.kysely.destroy(), owner.kysely.destroy()])
    },
  }
}

/**
 * Runs `work` in a transaction that sees only the rows of `account`. It is retried after a deadlock, so `work` must have
 * no side effects outside the database.
 */
export async function inAccount<T>(
  database: Database,
  as: { readonly account: string; readonly actor: Actor; readonly log: Log; readonly now?: Date },
  work: (ctx: Ctx) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await once(database, as, work)
    } catch (error) {
      if (attempt === attemptsMax || !isDeadlock(error)) throw error
      as.log.warn({ attempt }, 'transaction retried after deadlock')
    }
  }
}

const attemptsMax = 3
/** PostgreSQL aborted this transaction to resolve a deadlock; it was rolled back. */
function isDeadlock(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '40P01'
}

async function once<T>(
  database: Database,
  as: { readonly account: string; readonly actor: Actor; readonly log: Log; readonly now?: Date },
  work: (ctx: Ctx) => Promise<T>,
): Promise<T> {
  return database.app.transaction().execute(async (tx) => {
    await sql`select set_config('glacis.account', ${as.account}::uuid::text, true)`.execute(tx)
    return work({
      workspace: as.account,
      actor: as.actor,
      log: as.log,
      now: as.now ?? new Date(),
      tx,
      isUnlimited: database.isUnlimited,
    })
  })
}

/** Creates an id. UUIDs of version 7 (RFC 9562) sort by creation time. */
export function newId(): string {
  return randomUUIDv7()
}
