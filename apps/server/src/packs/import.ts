/** Imports a file or folder in any of the public formats into the database. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { TaskFailure } from '@glacis/scanner'
import type { RecordSource } from '@glacis/intelligence'
import { cacheFolderOf, createScratch } from '#packs/files.ts'
import {
  createImportSession,
  type Imported,
  type ImportSession,
  type ImportSessionOptions,
} from '#packs/import-session.ts'
import { readInProcess } from '#packs/read-in-process.ts'
import { cursorOf } from '#packs/state.ts'

export interface ImportOptions extends ImportSessionOptions {
  /** The source of records in NVD's format. */
  readonly source?: RecordSource
  readonly signal?: AbortSignal | undefined
}

/**
 * Imports a file, an archive, or a folder. Formats are detected by content. The input is validated first, so that
 * truncated or unknown files change nothing. A process without access to the database parses it; this one only writes.
 * Records are written in transactions that include the position, so an interrupted import resumes there; importing the
 * same content again changes nothing. Complete lists such as KEV are replaced in one transaction.
 *
 * @returns the counts per pack
 * @throws errors with a message for users if anything couldn't be imported
 */
export async function importPath(path: string, options: ImportOptions): Promise<Imported[]> {
  const digest = await digestOf(path)
  const session = createImportSession(digest, await cursorOf(options.owner, digest), options)
  const scratch = await createScratch(options.packsFolder)
  try {
    const sets = await readFeeds(path, scratch.folder, session, options)
    for (const set of sets) session.addSet(set)
    return await session.finish()
  } catch (error) {
    await session.abandon()
    throw error
  } finally {
    await scratch.remove()
  }
}

async function readFeeds(path: string, scratch: string, session: ImportSession, options: ImportOptions) {
  const { packsFolder, source, signal = new AbortController().signal } = options
  const cache = cacheFolderOf(packsFolder)
  const access = { readable: [path], writable: [scratch, cache] }
  try {
    return await readInProcess({ kind: 'feeds', path, scratch, cache, ...(source && { source }) }, access, {
      signal,
      receive: (message) => session.receive(message),
    })
  } catch (cause) {
    if (!(cause instanceof TaskFailure) || cause.kind === 'failed') throw cause
    throw new Error(`${basename(path)} couldn't be read: ${cause.message}. The previous data is kept.`, { cause })
  }
}

/** Digest of a file's content, or of the names, sizes, and times of a folder's files. */
async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  if (!(await stat(path)).isDirectory()) {
    for await (const chunk of createReadStream(path)) hash.update(chunk)
    return hash.digest('base64url')
  }
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  for (const file of files.toSorted()) {
    const { size, mtimeMs } = await stat(file)
    hash.update(`${file}\0${size}\0${mtimeMs}\n`)
  }
  return hash.digest('base64url')
}
