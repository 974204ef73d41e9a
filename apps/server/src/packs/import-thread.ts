/** The thread in which a feed is read: a hundred thousand records must not hold up a single request. */
import { parentPort, workerData } from 'node:worker_threads'
import type { RecordSource } from '@glacis/intelligence'
import { openDatabase } from '#database/index.ts'
import { importPath } from '#packs/import.ts'
import type { Told } from '#packs/import-aside.ts'

interface Orders {
  readonly path: string
  readonly databaseUrl: string
  readonly packsFolder: string
  readonly source?: RecordSource
}

const orders = workerData as Orders // posted by import-aside.ts, of this very type
const tell = (told: Told) => parentPort?.postMessage(told)
const quiet = { info() {}, warn() {}, error() {} }

const database = openDatabase(orders.databaseUrl, quiet, { app: 1, owner: 2 })
try {
  const imported = await importPath(orders.path, {
    owner: database.owner,
    log: quiet,
    packsFolder: orders.packsFolder,
    ...(orders.source && { source: orders.source }),
    onProgress: (words) => tell({ kind: 'progress', words }),
  })
  tell({ kind: 'done', imported })
} catch (error) {
  tell({
    kind: 'failed',
    words: error instanceof Error ? error.message : String(error),
    stack: error instanceof Error ? (error.stack ?? '') : '',
  })
} finally {
  await database.close()
}
