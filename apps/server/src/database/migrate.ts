/** Brings the database to the form that this release expects. */
import { type Kysely, sql } from 'kysely'
import { Obstacle } from '#obstacle.ts'

/** One step; it is never edited once released, and there is no way back. */
export interface Migration {
  /** Unique over all lists; recorded in `public.migration`. */
  readonly name: string
  up(db: Kysely<unknown>): Promise<void>
}

/** Any number of our own; two processes that start at once wait for each other. */
const lockKey = 7_102_511

/**
 * Runs, in the given order, every migration that the database has not seen, each in a transaction
 * of its own together with its record. Processes that start at the same time take turns.
 *
 * @param db a connection that owns the schema
 * @throws Obstacle when the database has seen a migration that we do not know: it is newer than us
 */
export async function migrate<T>(db: Kysely<T>, migrations: readonly Migration[]): Promise<void> {
  if (missing(await recorded(db), migrations).length === 0) return
  await db.connection().execute(async (connection) => {
    await sql`select pg_advisory_lock(${lockKey})`.execute(connection)
    try {
      await sql`
        create table if not exists public.migration (
          name text primary key,
          applied_at timestamptz not null default now()
        )`.execute(connection)
      const done = await recorded(connection)
      for (const migration of missing(done, migrations)) await apply(connection, migration)
      // After an upgrade the planner knows nothing of what the migrations filled.
      if (done.length > 0) await sql`analyze`.execute(connection)
    } finally {
      await sql`select pg_advisory_unlock(${lockKey})`.execute(connection)
    }
  })
}

async function recorded<T>(db: Kysely<T>): Promise<readonly string[]> {
  const table = await sql<{ found: boolean }>`select to_regclass('public.migration') is not null as found`.execute(db)
  if (!table.rows[0]?.found) return []
  const { rows } = await sql<{ name: string }>`select name from public.migration`.execute(db)
  return rows.map(({ name }) => name)
}

function missing(done: readonly string[], migrations: readonly Migration[]): readonly Migration[] {
  const known = new Set(migrations.map(({ name }) => name))
  const stranger = done.find((name) => !known.has(name))
  if (stranger !== undefined) {
    throw new Obstacle(
      `The database was last used by a newer release of Glacis (this one does not know its change "${stranger}"); ` +
        'start that release, or restore the backup from before the upgrade.',
    )
  }
  return migrations.filter(({ name }) => !done.includes(name))
}

async function apply<T>(connection: Kysely<T>, { name, up }: Migration): Promise<void> {
  await connection.transaction().execute(async (transaction) => {
    // A migration makes the tables, so it can know no types of them.
    await up(transaction as unknown as Kysely<unknown>)
    await sql`insert into public.migration (name) values (${name})`.execute(transaction)
  })
}
