/** `glacis backup` and `glacis restore`. */
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'
import { extract, pack, type Pack } from 'tar-stream'
import { type Config, readConfig } from '#config.ts'
import { dumpDatabase } from '#database/backup/dump.ts'
import { loadDatabase, type PartStream } from '#database/backup/load.ts'
import { startPostgres } from '#database/embedded.ts'
import { isConnectionLoss, isOutOfResources } from '#database/connection-errors.ts'
import { openDatabase } from '#database/index.ts'
import { migrate } from '#database/migrate.ts'
import { migrations } from '#database/migrations.ts'
import { createJobs } from '#jobs.ts'
import { lockFolder } from '#lock.ts'
import { createLogger, type Logger } from '#log.ts'
import { afterRestore } from '#notifications/index.ts'
import { CliError, UsageError } from '#cli-error.ts'
import { version } from '#version.ts'
import { writeNewFile } from './new-file.ts'
import { connectToDatabase } from './connect.ts'

const backupUsage = `Usage: glacis backup <file>

Writes a consistent snapshot of the installation to a new file: users, accounts, scopes, scans, risks,
and feed data. Works whether or not Glacis is running. The file gives access to every account of this
installation: store it as securely as your passwords.`
const restoreUsage = `Usage: glacis restore <file>

Restores a backup into an empty installation, such as a new data folder (GLACIS_DATA) or an empty
database (DATABASE_URL). Glacis must not be running there. If restoring fails, nothing is changed.`

interface CommandContext {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly root: string
}

/**
 * Writes a backup.
 *
 * @param args the arguments after `glacis backup`
 * @throws CliError for invalid arguments, an unwritable file, or an unusable database; leaves no file behind
 */
export async function backup(args: readonly string[], { environment, root }: CommandContext): Promise<void> {
  const file = fileOf('backup', args)
  if (file === null) return print(backupUsage)
  const config = readConfig(environment, root)
  await using reached = await connectToDatabase(config, createLogger({ level: 'error' }))
  await writeNewFile(file, async (handle) => {
    const archive = pack()
    const writing = writeParts(archive, reached.url, packsOf(config)).catch((error: unknown) => {
      archive.destroy(error instanceof Error ? error : new Error(String(error)))
    })
    const packed = createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } })
    await pipeline(archive, packed, handle.createWriteStream())
    await writing
  }).catch((cause: unknown) => {
    throw isConnectionLoss(cause) || isOutOfResources(cause) ? connectionLost(cause, 'No backup was written.') : cause
  })
  const { size } = await stat(file)
  print(`Backup written to ${file} (${Math.max(1, Math.round(size / 1e6))} MB).`)
}

async function writeParts(archive: Pack, url: string, packs: string): Promise<void> {
  for await (const { name, content } of dumpDatabase(url, version)) {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    archive.entry({ name, mode: 0o600 }, content, (error) => (error ? reject(error) : resolve()))
    await promise
  }
  const entries = await readdir(packs, { recursive: true, withFileTypes: true }).catch(() => []) // nothing was fetched
  for (const entry of entries.filter((item) => item.isFile())) {
    const path = join(entry.parentPath, entry.name)
    const { size } = await stat(path)
    const name = `packs/${relative(packs, path)}`
    // Read only the original size: a running feed update may append to the file.
    await pipeline(createReadStream(path, { end: Math.max(0, size - 1) }), archive.entry({ name, size, mode: 0o600 }))
  }
  archive.finalize()
}

/**
 * Restores a backup.
 *
 * @param args the arguments after `glacis restore`
 * @throws CliError for invalid arguments, an invalid file, or an installation with data; changes nothing
 */
export async function restore(args: readonly string[], { environment, root }: CommandContext): Promise<void> {
  const file = fileOf('restore', args)
  if (file === null) return print(restoreUsage)
  await stat(file).catch((cause: unknown) => {
    throw new CliError(`Can't read ${file} (${reason(cause)}).`, { cause })
  })
  const config = readConfig(environment, root)
  const log = createLogger({ level: 'error' })
  await using resources = new AsyncDisposableStack()
  resources.defer(await lockFolder(config.dataFolder))
  const url = config.databaseUrl ?? (await startEmbedded(config, log, resources))
  const draft = `${packsOf(config)}.restored`
  resources.defer(() => rm(draft, { recursive: true, force: true }))
  const loaded = await loadDatabase(url, partsOf(file), {
    prepare: (names) => prepare(url, names, log),
    saveFile: (part) => saveFile(part, draft),
    afterLoad: afterRestore,
  }).catch((cause: unknown) => {
    if (isConnectionLoss(cause) || isOutOfResources(cause))
      throw connectionLost(cause, 'Nothing was restored. Check its disk space.')
    if (!isCorruption(cause)) throw cause
    throw new CliError(`${file} is not a backup or is corrupted (${reason(cause)}). Nothing was restored.`, { cause })
  })
  await rm(packsOf(config), { recursive: true, force: true })
  await rename(draft, packsOf(config)).catch(() => undefined) // there were none
  print(`Restored ${loaded.rows} rows from the backup of ${loaded.createTime}. You can start Glacis now.`)
}

async function startEmbedded(config: Config, log: Logger, resources: AsyncDisposableStack): Promise<string> {
  const postgres = await startPostgres({ dataFolder: config.dataFolder, log })
  resources.defer(() => postgres.stop())
  return postgres.url
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
    const problem = `This installation already has accounts (${count})`
    throw new CliError(`${problem}. Set GLACIS_DATA to a new folder, or DATABASE_URL to an empty database.`)
  }
  await jobs.prepare(database.owner)
}

/** Yields the parts of a backup file in order. */
async function* partsOf(file: string): AsyncGenerator<PartStream> {
  const entries = extract()
  const reading = pipeline(createReadStream(file), createZstdDecompress(), entries)
  reading.catch(() => undefined) // rethrown by the await below
  for await (const entry of entries) {
    yield { name: entry.header.name, bytes: Readable.from(entry as AsyncIterable<Buffer>, { objectMode: false }) }
    entry.resume()
  }
  await reading
}

function connectionLost(cause: unknown, consequence: string): CliError {
  return new CliError(`The database connection was lost (${reason(cause)}). ${consequence}`, { cause })
}

/** Whether an error is about the archive or its compression, not the database or disk. */
function isCorruption(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /^(?:Z|ERR_Z|ZSTD)/.test(code) || (error instanceof Error && /tar|Unexpected end/i.test(error.message))
}

async function saveFile({ name, bytes }: PartStream, folder: string): Promise<void> {
  const relativePath = relative('packs', name)
  if (relativePath.startsWith('..') || isAbsolute(relativePath)) return void bytes.resume()
  const path = join(folder, relativePath)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await pipeline(bytes, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
}

function packsOf({ dataFolder }: Config): string {
  return join(dataFolder, 'packs')
}

/** Null if help was requested. */
function fileOf(command: string, args: readonly string[]): string | null {
  const [file = '--help', ...more] = args
  if (['--help', '-h', 'help'].includes(file)) return null
  if (more.length > 0 || file.startsWith('-')) throw new UsageError(`Usage: glacis ${command} <file>`)
  return file
}

function reason(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
