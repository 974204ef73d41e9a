/** One visit to a source: what it is given, how it asks, and how it says that nothing came of it. */
import { readFile, writeFile } from 'node:fs/promises'
import type { Log } from '#ctx.ts'
import type { Tables } from '#database/tables.ts'
import { download, type Download } from '#packs/download.ts'
import { importAside } from '#packs/import-aside.ts'
import type { Source, SourceKey } from '#packs/sources.ts'
import { notePack } from '#packs/state.ts'
import type { Kysely } from 'kysely'

export interface NetworkOptions {
  readonly owner: Kysely<Tables>
  readonly databaseUrl: string
  readonly packsFolder: string
  readonly log: Log
  /** Address of each source; empty: it is not asked. */
  readonly addresses: Readonly<Record<SourceKey, string>>
  /** The oldest year of the NVD that is asked for; absent: all there are. */
  readonly firstYear?: number
}

export interface Errand extends NetworkOptions {
  /** Emptied when the source is done. */
  readonly folder: string
  readonly signal: AbortSignal
  readonly onImport: () => Promise<void>
}

/** A source could not be read this time; the message is the sentence that the panel shows. */
export class Miss extends Error {
  readonly retryAfterMs: number
  readonly isOffline: boolean
  constructor(words: string, { retryAfterMs = 0, isOffline = false } = {}) {
    super(words)
    this.retryAfterMs = retryAfterMs
    this.isOffline = isOffline
  }
}

/** What is remembered of a source: the state of its last answer, and how far it was read. */
export async function validatorsOf(owner: Kysely<Tables>, { pack }: Source): Promise<Readonly<Record<string, string>>> {
  const row = await owner.selectFrom('pack').select('validators').where('name', '=', pack).executeTakeFirst()
  return row?.validators ?? {}
}

/**
 * Answers the validators of what was fetched, or null when it is what it was.
 *
 * @throws Miss when it did not come
 */
export async function fetchFile(
  { pack, bytesMax }: Source,
  url: string,
  to: string,
  validators: Readonly<Record<string, string>>,
  { owner, signal }: Errand,
): Promise<Readonly<Record<string, string>> | null> {
  await notePack(owner, pack, { progress: `Contacting ${new URL(url).host}` })
  const answer: Download = await download(url, { to, validators, bytesMax, signal })
  if (answer.kind === 'failure') throw new Miss(answer.words, answer)
  return answer.kind === 'file' ? answer.validators : null
}

/** Reads a file or a folder into the database, in a thread of its own. */
export async function bring(path: string, { databaseUrl, packsFolder, signal, onImport }: Errand): Promise<void> {
  await importAside(path, { databaseUrl, packsFolder, signal })
  await onImport()
}

/** A small answer as JSON; null, and an empty file, where it is none. */
export async function parsed(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch {
    await writeFile(path, '')
    return null
  }
}
