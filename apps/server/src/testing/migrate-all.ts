import { migrate } from '#database/migrate.ts'
import { openDatabase } from '#database/index.ts'
import { createJobs } from '#jobs.ts'

const silentLog = { info() {}, warn() {}, error() {} }

/** Creates the tables of the server, identity, and the job queue in an empty database. */
export async function migrateAll(url: string): Promise<void> {
  const database = openDatabase(url, silentLog, { app: 1, owner: 1 })
  const jobs = createJobs(url, silentLog, { supervise: false })
  try {
    await migrate(database.owner)
    await jobs.prepare(database.owner)
  } finally {
    await jobs.close()
    await database.close()
  }
}
