/** Migrates the database to the schema of this release. */
import { type Kysely, sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import { migrations } from '#database/migrations.ts'
import { storeSessionDefaults } from '#database/session-defaults.ts'
import { CliError } from '#cli-error.ts'

/**
 * Runs the migrations that haven't been applied, all in one transaction. Processes that start at the same time wait for
 * each other.
 *
 * @param db a connection that owns the schema
 * @param names the only migrations to run, to restore a backup of an older release; all if omitted
 * @throws CliError if the database was created by a pre-release version or is newer than this release
 */
export async function migrate<T>(db: Kysely<T>, names: readonly string[] = Object.keys(migrations)): Promise<void> {
  await rejectPreRelease(db)
  await storeSessionDefaults(db)
  const chosen = Object.fromEntries(Object.entries(migrations).filter(([name]) => names.includes(name)))
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => chosen },
    // The identity service numbers its own migrations.
    allowUnorderedMigrations: true,
  })
  const { error } = await migrator.migrateToLatest()
  if (error instanceof Error && error.message.startsWith('corrupted migrations')) {
    throw new CliError(
      `The database was last used by a newer release of Glacis (${error.message}). ` +
        'Start that release, or restore the backup from before the upgrade.',
      { cause: error },
    )
  }
  if (error) throw error
}

export interface MigrationState {
  /** Migrations of this release that haven't been applied, in order. */
  readonly pending: readonly string[]
  /** Applied migrations that this release doesn't contain: the database was last used by a newer one. */
  readonly unknown: readonly string[]
}

/** Compares the database with this release without changing it. */
export async function migrationState<T>(db: Kysely<T>): Promise<MigrationState> {
  await rejectPreRelease(db)
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } })
  const known = await migrator.getMigrations()
  const { rows } = await sql<{ found: boolean }>`
    select to_regclass('public.kysely_migration') is not null as found`.execute(db)
  const executed = rows[0]?.found
    ? (await sql<{ name: string }>`select name from kysely_migration`.execute(db)).rows
    : []
  return {
    pending: known.filter(({ executedAt }) => !executedAt).map(({ name }) => name),
    unknown: executed.map(({ name }) => name).filter((name) => !(name in migrations)),
  }
}

/** Versions before 0.1.0 recorded their migrations in another table. */
async function rejectPreRelease<T>(db: Kysely<T>): Promise<void> {
  const { rows } = await sql<{ found: boolean }>`
    select to_regclass('public.migration') is not null as found`.execute(db)
  if (!rows[0]?.found) return
  throw new CliError(
    'This database was created by a pre-release version of Glacis and cannot be upgraded; nothing was changed. ' +
      'To start fresh, remove the data folder, or set GLACIS_DATA to a new folder or DATABASE_URL to an empty database. ' +
      'To keep the data, continue with the version that created it.',
  )
}
