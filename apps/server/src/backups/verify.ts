/** The restore drill: proves that a backup can be restored. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { restoreBackup } from '#backups/restore.ts'
import type { Loaded } from '#database/backup/load.ts'
import { startPostgres } from '#database/embedded.ts'
import { openDatabase } from '#database/index.ts'
import { migrate } from '#database/migrate.ts'
import type { Logger } from '#log.ts'

/**
 * Restores a backup into a temporary database, checks every row count and reference, and upgrades it to this release.
 *
 * @throws CliError like `restoreBackup`
 */
export async function verifyBackup(file: string, identityFile: string | undefined, log: Logger): Promise<Loaded> {
  const folder = await mkdtemp(join(tmpdir(), 'glacis-verify-'))
  await using resources = new AsyncDisposableStack()
  resources.defer(() => rm(folder, { recursive: true, force: true }))
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
