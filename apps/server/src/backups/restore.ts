/** Restores backups. */
import { createWriteStream } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative } from 'node:path'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { errorCode } from '#error-code.ts'
import { partsOf } from '#backups/archive.ts'
import { CliError } from '#cli-error.ts'
import { isConnectionLoss, isOutOfResources } from '#database/connection-errors.ts'
import { type Loaded, loadDatabase, type PartStream } from '#database/backup/load.ts'
import { openDatabase } from '#database/index.ts'
import { migrate } from '#database/migrate.ts'
import { migrations } from '#database/migrations.ts'
import { createJobs } from '#jobs.ts'
import type { Logger } from '#log.ts'
import { afterRestore } from '#notifications/index.ts'

export interface RestoreTarget {
  /** URL of a database without workspaces. */
  readonly databaseUrl: string
  /** The folder for the downloaded packs. */
  readonly packs: string
  /** Contains the secret keys for an encrypted backup. */
  readonly identityFile?: string | undefined
  readonly log: Logger
}

/**
 * Restores a backup completely or not at all.
 *
 * @throws CliError for an invalid file, a database with workspaces, or one that can't be used
 */
export async function restoreBackup(file: string, target: RestoreTarget): Promise<Loaded> {
  const { databaseUrl, packs, identityFile, log } = target
  const draft = `${packs}.restored`
  try {
    const loaded = await loadDatabase(databaseUrl, partsOf(file, identityFile), {
      prepare: (names) => prepare(databaseUrl, names, log),
      saveFile: (part) => saveFile(part, draft),
      afterLoad: afterRestore,
    })
    await rm(packs, { recursive: true, force: true })
    await rename(draft, packs).catch(() => undefined) // there were none
    return loaded
  } catch (cause) {
    throw explained(cause, file)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/** Runs these migrations in an empty database. */
async function prepare(url: string, names: readonly string[], log: Logger): Promise<void> {
  if (!names.every((name) => Object.hasOwn(migrations, name)))
    throw new CliError('The backup was created by an incompatible release of Glacis. Restore it with that release.')
  await using opened = new AsyncDisposableStack()
  const database = openDatabase(url, log, { app: 1, owner: 2 })
  opened.defer(() => database.close())
  const jobs = createJobs(url, log, { supervise: false })
  opened.defer(() => jobs.close())
  await migrate(database.owner, names)
  const { count } = await database.owner
    .selectFrom('workspace')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
  if (Number(count) > 0) {
    const problem = `This installation already has workspaces (${count})`
    throw new CliError(`${problem}. Set GLACIS_DATA to a new folder, or DATABASE_URL to an empty database.`)
  }
  await jobs.prepare(database.owner)
}

async function saveFile({ name, bytes }: PartStream, folder: string): Promise<void> {
  const relativePath = relative('packs', name)
  if (relativePath.startsWith('..') || isAbsolute(relativePath)) return void bytes.resume()
  const path = join(folder, relativePath)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await pipeline(bytes, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
}

/** The error for the operator; unknown errors are bugs and stay as they are. */
export function explained(cause: unknown, file: string): unknown {
  const reason = cause instanceof Error ? cause.message : String(cause)
  if (isConnectionLoss(cause) || isOutOfResources(cause)) {
    const problem = `The database connection was lost (${reason})`
    return new CliError(`${problem}. Nothing was restored. Check its disk space.`, { cause })
  }
  if (!isCorruption(cause)) return cause
  return new CliError(`${file} is not a backup or is corrupted (${reason}). Nothing was restored.`, { cause })
}

/** Whether an error is about the archive, its compression, its encryption, or rows that violate the schema. */
function isCorruption(error: unknown): boolean {
  const code = errorCode(error)
  if (error instanceof pg.DatabaseError) return /^(?:22|23|42)/.test(code)
  return (
    /^(?:Z|ERR_Z|ZSTD)/.test(code) || (error instanceof Error && /tar|Unexpected end|stream chunk/i.test(error.message))
  )
}
