/** The worker thread of an import, so that writing a feed doesn't block requests. A separate process parses it. */
import { parentPort, workerData } from 'node:worker_threads'
import type { RecordSource } from '@glacis/intelligence'
import { openDatabase } from '#database/index.ts'
import { importPath } from '#packs/import.ts'
import type { ThreadMessage } from '#packs/import-in-thread.ts'

interface ImportRequest {
  readonly path: string
  readonly databaseUrl: string
  readonly packsFolder: string
  readonly source?: RecordSource
}

const request = workerData as ImportRequest // posted by import-in-thread.ts as this type
const post = (message: ThreadMessage) => parentPort?.postMessage(message)
const silentLog = { info() {}, warn() {}, error() {} }

const database = openDatabase(request.databaseUrl, silentLog, { app: 1, owner: 2 })
try {
  const imported = await importPath(request.path, {
    owner: database.owner,
    log: silentLog,
    packsFolder: request.packsFolder,
    ...(request.source && { source: request.source }),
    onProgress: (text) => post({ kind: 'progress', text }),
  })
  post({ kind: 'done', imported })
} catch (error) {
  post({
    kind: 'failed',
    text: error instanceof Error ? error.message : String(error),
    stack: error instanceof Error ? (error.stack ?? '') : '',
  })
} finally {
  await database.close()
}
