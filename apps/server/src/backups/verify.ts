/** The restore drill: proves that a backup can be restored. */
import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { restoreBackup } from '#backups/restore.ts'
import type { Loaded } from '#database/backup/load.ts'
import { startPostgres } from '#database/embedded.ts'
import { openDatabase } from '#database/index.ts'
import { migrate } from '#database/migrate.ts'
import { isAbandoned, lockFolder } from '#lock.ts'
import type { Logger } from '#log.ts'

const prefix = 'glacis-verify-'

/**
 * Restores a backup into a temporary database, checks every row count and reference, and upgrades it to this release.
 *
 * @throws CliError like `restoreBackup`
 */
export async function verifyBackup(file: string, identityFile: string | undefined, log: Logger): Promise<Loaded> {
  await removeAbandoned()
  const folder = await mkdtemp(join(tmpdir(), prefix))
  await using resources = new AsyncDisposableStack()
  resources.defer(() => rm(folder, { recursive: true, force: true }))
  resources.defer(await lockFolder(folder))
  const postgres = await startPostgres({ dataFolder: folder, log })
  resources.defer(() => postgres.stop())
  const loaded = await restoreBackup(file, {
    databaseUrl: postgres.url,
    packs: join(folder, 'packs'),
    identityFile,
    log,
  })
  const database = openDatabase(postgres.url, log, { app: 1, owner: 2 })
  resources.defer(() => database.close())
  await migrate(database.owner)
  return loaded
}

/** Deletes copies of all data that a killed verification left behind. */
async function removeAbandoned(): Promise<void> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(prefix))
  for (const folder of names.map((name) => join(tmpdir(), name))) {
    const isOwn = (await lstat(folder).catch(() => null))?.uid === process.getuid?.()
    if (isOwn && (await isAbandoned(folder))) await rm(folder, { recursive: true, force: true })
  }
}
