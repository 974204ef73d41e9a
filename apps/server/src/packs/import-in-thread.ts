import { Worker } from 'node:worker_threads'
import type { RecordSource } from '@glacis/intelligence'
import type { Imported } from '#packs/import-session.ts'

/** Messages from the import thread. */
export type ThreadMessage =
  | { readonly kind: 'progress'; readonly text: string }
  | { readonly kind: 'done'; readonly imported: Imported[] }
  | { readonly kind: 'failed'; readonly text: string; readonly stack: string }

export interface ImportThreadOptions {
  readonly databaseUrl: string
  /** Folder for templates and fingerprints. */
  readonly packsFolder: string
  readonly source?: RecordSource
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((text: string) => void) | undefined
}

/** A failed import. The message is shown to users. */
export class ImportFailure extends Error {}

/** Enough for the largest known feeds. Without a limit, the heap grows to several times this size. */
const heapMb = { maxOldGenerationSizeMb: 144, maxYoungGenerationSizeMb: 16 }

/**
 * Runs `importPath` in a worker thread with limited memory and its own connections.
 *
 * @throws ImportFailure; the signal's reason if it aborts. The next import of the same content continues from there.
 */
export async function importInThread(path: string, options: ImportThreadOptions): Promise<Imported[]> {
  const { databaseUrl, packsFolder, source, signal, onProgress } = options
  signal?.throwIfAborted()
  const thread = new Worker(new URL('import-thread.ts', import.meta.url), {
    workerData: { path, databaseUrl, packsFolder, source },
    resourceLimits: heapMb,
  })
  const { promise, resolve, reject } = Promise.withResolvers<Imported[]>()
  thread.on('message', (message: ThreadMessage) => {
    if (message.kind === 'progress') onProgress?.(message.text)
    else if (message.kind === 'done') resolve(message.imported)
    else reject(new ImportFailure(message.text, { cause: message.stack }))
  })
  thread.once('error', reject)
  thread.once('exit', (code) => reject(new Error(`The import thread exited with code ${code}`)))
  const stop = () => reject(signal?.reason)
  signal?.addEventListener('abort', stop, { once: true })
  try {
    return await promise
  } finally {
    signal?.removeEventListener('abort', stop)
    await thread.terminate()
  }
}
