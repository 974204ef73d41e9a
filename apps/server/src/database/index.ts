/**
 * The two ways into the database. `app` works as a role that owns nothing: row-level security
 * shows it only the account its transaction names. `owner` sees everything; only the rooms that
 * serve all accounts (identity, packs, sweeps, migrations) use it.
 */
import type { Actor, Ctx, Log } from '#ctx.ts'
import type { Tables } from '#database/tables.ts'
import { randomUUIDv7 } from 'node:crypto'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { Pool, types } from 'pg'
import { TersePgClient } from '#database/client.ts'
import { createTransact, type Transact } from '#database/transaction.ts'

export interface Database {
  readonly app: Kysely<Tables>
  readonly owner: Kysely<Tables>
  readonly transact: Transact
  /** Billing is off: no account has a limit. */
  readonly isUnlimited: boolean
  close(): Promise<void>
}

/**
 * A statement that is kept is planned anew for its values each time: a plan for any value knows no
 * partial index, and `on conflict` finds none whose condition is a parameter.
 */
const settings = '-c TimeZone=UTC -c jit=off -c plan_cache_mode=force_custom_plan'
const numericOid = 1700
const bigintOid = 20
const dateOid = 1082

/** Opens both pools; the role of `app` exists once the migrations have run. */
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
  // A day is no moment: it stays the text that it is.
  types.setTypeParser(dateOid, String)
  const pools = [
    new Pool({
      Client: TersePgClient,
      connectionString: url,
      max: appMax,
      options: `-c role=glacis_app ${settings}`,
      idleTimeoutMillis: 30_000,
    }),
    new Pool({
      Client: TersePgClient,
      connectionString: url,
      max: ownerMax,
      options: settings,
      idleTimeoutMillis: 30_000,
    }),
  ] as const
  // An idle connection that breaks must not end the process; the next query reports it.
  for (const pool of pools) pool.on('error', (error) => log.warn({ error: error.message }, 'database connection lost'))
  const dialect = new PostgresDialect({ pool: pools[0] })
  const app = new Kysely<Tables>({ dialect })
  const owner = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: pools[1] }) })
  return {
    app,
    owner,
    transact: createTransact(app, dialect),
    isUnlimited,
    async close() {
      await Promise.all([app.destroy(), owner.destroy()])
    },
  }
}

/**
 * Runs `work` in one transaction that sees only the rows of `account`. One that loses a deadlock runs
 * again, so `work` changes nothing but the database.
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
      as.log.warn({ attempt }, 'a transaction lost a deadlock and begins again')
    }
  }
}

const attemptsMax = 3
/** PostgreSQL ends one of two transactions that wait for each other; nothing of it was done. */
function isDeadlock(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '40P01'
}

async function once<T>(
  database: Database,
  as: { readonly account: string; readonly actor: Actor; readonly log: Log; readonly now?: Date },
  work: (ctx: Ctx) => Promise<T>,
): Promise<T> {
  return database.transact(as.account, (tx) =>
    work({
      account: as.account,
      actor: as.actor,
      log: as.log,
      now: as.now ?? new Date(),
      tx,
      isUnlimited: database.isUnlimited,
    }),
  )
}

/**
 * Names what a transaction that begins now would see. It changes whenever one that has written ends, and a name never
 * comes again: the first id that was still to be given out only grows, and of the ids below it that were under way
 * some are struck out until it does.
 */
export async function stateOf({ app }: Database): Promise<string> {
  const { rows } = await sql<{ state: string }>`select pg_current_snapshot()::text as state`.execute(app)
  return rows[0]?.state ?? ''
}

/** A new id. Ids of version 7 (RFC 9562) sort by the time they were made. */
export function newId(): string {
  return randomUUIDv7()
}
