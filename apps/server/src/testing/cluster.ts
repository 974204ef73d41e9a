/**
 * Vitest's global setup: one embedded PostgreSQL for the whole run in a temporary folder, with its URL in
 * `TEST_DATABASE_URL`. A URL that is already set is used as is. `TEST_TEMPLATE` names a migrated database that test
 * servers copy.
 */
import { rm } from 'node:fs/promises'
import { startPostgres } from '#database/embedded.ts'
import { createLogger } from '#log.ts'
import { testDatabase } from '#testing/database.ts'
import { databaseFolder } from '#testing/folder.ts'
import { migrateAll } from '#testing/migrate-all.ts'

export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env['TEST_DATABASE_URL']) return undefined
  const dataFolder = await databaseFolder('glacis-test-')
  const log = createLogger({ level: 'warn' })
  const postgres = await startPostgres({ dataFolder, log, isDurable: false })
  process.env['TEST_DATABASE_URL'] = postgres.url
  const template = await testDatabase()
  await migrateAll(template.url)
  process.env['TEST_TEMPLATE'] = template.name
  return async () => {
    await postgres.stop()
    await rm(dataFolder, { recursive: true, force: true })
  }
}
