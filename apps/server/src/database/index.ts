/**
 * The two database connections. Transactions of `app` use a role subject to row-level security, so they see only their
 * workspace's rows. `owner` sees everything; only code that serves all workspaces uses it (identity, packs, sweeps,
 * migrations).
 */
import type { Actor, Ctx, Log } from '#ctx.ts'
import { isReplicaFailure, type Replica, watchReplica } from '#database/replica.ts'
import type { Tables } from '#database/tables.ts'
import { transactionsOnly } from '#database/transactions-only.ts'
import { traceStatement } from '#tracing.ts'
import { randomUUIDv7 } from 'node:crypto'
import { Kysely, PostgresDialect, type PostgresPool, sql } from 'kysely'
import { Pool, types } from 'pg'

export interface Database {
  /** Only for transactions that begin by taking the role; see `inWorkspace`. */
  readonly app: Pick<Kysely<Tables>, 'transaction'>
  readonly owner: Kysely<Tables>
  /** Serves lists and charts; null if there is none. */
  readonly replica: Replica | null
  /** Billing is off: no workspace has a limit. */
  readonly isUnlimited: boolean
  /** The connections of each pool; `waiting` counts requests for one. */
  connections(): Record<'app' | 'owner', { readonly total: number; readonly idle: number; readonly waiting: number }>
  close(): Promise<void>
}

/** A connection that takes longer fails, such as one to a machine that has disappeared. */
const connectMsMax = 30_000
const keepAliveDelayMs = 10_000
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
    replicaUrl,
  }: { app?: number; owner?: number; isUnlimited?: boolean; replicaUrl?: string | undefined } = {},
): Database {
  types.setTypeParser(numericOid, Number)
  types.setTypeParser(bigintOid, Number)
  // A date has no time zone, so it stays text.
  types.setTypeParser(dateOid, String)
  const open = (connectionString: string, max: number) => {
    const pool = new Pool({
      connectionString,
      max,
      connectionTimeoutMillis: connectMsMax,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveDelayMs,
    })
    // Without listeners, a lost idle connection would crash the process. The next statement on it reports the error.
    pool.on('connect', (client) => client.on('error', () => undefined))
    pool.on('error', (error) => log.warn({ error: error.message }, 'database connection lost'))
    return pool
  }
  const kyselyOn = (pool: PostgresPool) =>
    new Kysely<Tables>({ dialect: new PostgresDialect({ pool }), log: traceStatement })
  const [appPool, ownerPool] = [open(url, appMax), open(url, ownerMax)]
  const [app, owner] = [kyselyOn(transactionsOnly(appPool)), kyselyOn(ownerPool)]
  const replica = replicaUrl ? watchReplica(open(replicaUrl, appMax), owner, log) : null
  const connectionsOf = (pool: Pool) => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount })
  return {
    app,
    owner,
    replica,
    isUnlimited,
    connections: () => ({ app: connectionsOf(appPool), owner: connectionsOf(ownerPool) }),
    async close() {
      await replica?.close()
      await Promise.all([app.destroy(), owner.destroy()])
    },
  }
}

interface As {
  readonly workspace: string
  readonly actor: Actor
  readonly log: Log
  readonly now?: Date
}

/**
 * Runs `work` in a transaction that sees only the rows of `workspace`. It is retried after a deadlock, so `work` must have
 * no side effects outside the database.
 */
export async function inWorkspace<T>(database: Database, as: As, work: (ctx: Ctx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await once(database.app, database.isUnlimited, as, work)
    } catch (error) {
      if (attempt === attemptsMax || !isDeadlock(error)) throw error
      as.log.warn({ attempt }, 'transaction retried after deadlock')
    }
  }
}

/**
 * Runs `work`, which only reads, on the replica if it contains everything up to `position`; otherwise, or if the replica
 * fails, on the primary.
 */
export async function readInWorkspace<T>(
  database: Database,
  as: As,
  position: string | undefined,
  work: (ctx: Ctx) => Promise<T>,
): Promise<T> {
  const { replica, isUnlimited } = database
  if (!replica?.canServe(position)) return inWorkspace(database, as, work)
  try {
    return await once(replica.reads, isUnlimited, as, work)
  } catch (error) {
    if (!isReplicaFailure(error)) throw error
    return inWorkspace(database, as, work)
  }
}

const attemptsMax = 5
/** PostgreSQL aborted this transaction to resolve a deadlock; it was rolled back. */
function isDeadlock(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '40P01'
}

async function once<T>(
  pool: Database['app'],
  isUnlimited: boolean,
  as: As,
  work: (ctx: Ctx) => Promise<T>,
): Promise<T> {
  return pool.transaction().execute(async (tx) => {
    // Settings of the transaction: with a connection pooler, the next one may have another session.
    await sql`
      select set_config('role', 'glacis_app', true),
        set_config('glacis.account', ${as.workspace}::uuid::text, true)`.execute(tx)
    return work({
      workspace: as.workspace,
      actor: as.actor,
      log: as.log,
      now: as.now ?? new Date(),
      tx,
      isUnlimited,
    })
  })
}

/** Creates an ID. UUIDs of version 7 (RFC 9562) sort by creation time. */
export function newId(): string {
  return randomUUIDv7()
}
