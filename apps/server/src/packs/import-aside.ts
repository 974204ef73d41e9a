import { Worker } from 'node:worker_threads'
import type { RecordSource } from '@glacis/intelligence'
import type { Imported } from '#packs/reading.ts'

/** What the thread says. */
export type Told =
  | { readonly kind: 'progress'; readonly words: string }
  | { readonly kind: 'done'; readonly imported: Imported[] }
  | { readonly kind: 'failed'; readonly words: string; readonly stack: string }

export interface AsideOptions {
  readonly databaseUrl: string
  /** Where templates and fingerprints are kept for the scanner. */
  readonly packsFolder: string
  readonly source?: RecordSource
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((words: string) => void) | undefined
}

/** An import could not be done; the message is a sentence for people. */
export class ImportFailure extends Error {}

/** Enough for the largest records and lists there are; what is free to grow grows to several times that. */
const heapMb = { maxOldGenerationSizeMb: 144, maxYoungGenerationSizeMb: 16 }

/**
 * As `importPath`, in a thread of its own with bounded memory and its own connections.
 *
 * @throws ImportFailure; the signal's reason when it aborts, and then the next import goes on where
 *   this one was
 */
export async function importAside(path: string, options: AsideOptions): Promise<Imported[]> {
  const { databaseUrl, packsFolder, source, signal, onProgress } = options
  signal?.throwIfAborted()
  const thread = new Worker(new URL('import-thread.ts', import.meta.url), {
    workerData: { path, databaseUrl, packsFolder, source },
    resourceLimits: heapMb,
  })
  const { promise, resolve, reject } = Promise.withResolvers<Imported[]>()
  thread.on('message', (told: Told) => {
    if (told.kind === 'progress') onProgress?.(told.words)
    else if (told.kind === 'done') resolve(told.imported)
    else reject(new ImportFailure(told.words, { cause: told.stack }))
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
