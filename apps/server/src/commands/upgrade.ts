/** `glacis upgrade --check`: compares the database with this release. The upgrade itself runs at the next start. */
import { readConfig } from '#config.ts'
import { UsageError } from '#cli-error.ts'
import { openDatabase } from '#database/index.ts'
import { migrationState } from '#database/migrate.ts'
import { createLogger } from '#log.ts'
import { version } from '#version.ts'
import { connectToDatabase } from './connect.ts'

const usage = `Usage: glacis upgrade --check   show which migrations the next start runs; changes nothing`

/**
 * @returns 0 if this release can use the database, now or after migrating it; 1 if the database is newer
 * @throws UsageError for other arguments; CliError if there is no usable database
 */
export async function checkUpgrade(
  args: readonly string[],
  { environment, root }: { environment: Readonly<Record<string, string | undefined>>; root: string },
): Promise<number> {
  if (args.length !== 1 || args[0] !== '--check') throw new UsageError(usage)
  const config = readConfig(environment, root)
  const log = createLogger({ level: 'error' })
  await using reached = await connectToDatabase(config, log)
  await using running = new AsyncDisposableStack()
  const database = openDatabase(reached.url, log, { app: 1, owner: 1 })
  running.defer(() => database.close())
  const { pending, unknown } = await migrationState(database.owner)
  if (unknown.length > 0) {
    print(`The database was last used by a newer release than ${version} (migrations ${unknown.join(', ')}).`)
    print('Start that release, or restore the backup from before the upgrade.')
    return 1
  }
  if (pending.length === 0) print(`The database is up to date with ${version}.`)
  else print(`The next start runs ${pending.length} migrations: ${pending.join(', ')}. Run "glacis backup" first.`)
  return 0
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
