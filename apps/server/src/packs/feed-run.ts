/** Downloads and imports one feed source. */
import { readFile, writeFile } from 'node:fs/promises'
import type { Log } from '#ctx.ts'
import type { Tables } from '#database/tables.ts'
import { download, type Download } from '#packs/download.ts'
import { importInThread } from '#packs/import-in-thread.ts'
import type { Source, SourceKey } from '#packs/sources.ts'
import { updatePack } from '#packs/state.ts'
import type { Kysely } from 'kysely'

export interface FeedUpdaterOptions {
  readonly owner: Kysely<Tables>
  readonly databaseUrl: string
  readonly packsFolder: string
  readonly log: Log
  /** URL per source; empty if the source is turned off. */
  readonly addresses: Readonly<Record<SourceKey, string>>
  /** The oldest NVD year to download; all years if absent. */
  readonly firstYear?: number
}

export interface FeedRun extends FeedUpdaterOptions {
  /** Temporary folder, removed after the run. */
  readonly folder: string
  readonly signal: AbortSignal
  readonly onImport: () => Promise<void>
}

/** A source couldn't be updated. The message is shown with the feed. */
export class FeedError extends Error {
  readonly retryAfterMs: number
  readonly isOffline: boolean
  constructor(message: string, { retryAfterMs = 0, isOffline = false } = {}) {
    super(message)
    this.retryAfterMs = retryAfterMs
    this.isOffline = isOffline
  }
}

/** The saved state of a source: HTTP validators and its position. */
export async function savedState(owner: Kysely<Tables>, { pack }: Source): Promise<Readonly<Record<string, string>>> {
  const row = await owner.selectFrom('pack').select('validators').where('name', '=', pack).executeTakeFirst()
  return row?.validators ?? {}
}

/**
 * Downloads a file.
 *
 * @returns its new validators, or null if it is unchanged
 * @throws FeedError if the download fails
 */
export async function downloadFeed(
  { pack, bytesMax }: Source,
  url: string,
  to: string,
  validators: Readonly<Record<string, string>>,
  { owner, signal }: FeedRun,
): Promise<Readonly<Record<string, string>> | null> {
  await updatePack(owner, pack, { progress: `Contacting ${new URL(url).host}` })
  const result: Download = await download(url, { to, validators, bytesMax, signal })
  if (result.kind === 'failure') throw new FeedError(result.message, result)
  return result.kind === 'file' ? result.validators : null
}

/** Imports a file or folder in a worker thread. */
export async function importDownload(
  path: string,
  { databaseUrl, packsFolder, signal, onImport }: FeedRun,
): Promise<void> {
  await importInThread(path, { databaseUrl, packsFolder, signal })
  await onImport()
}

/** Parses a small JSON file. If it is invalid, truncates the file and returns null. */
export async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch {
    await writeFile(path, '')
    return null
  }
}
