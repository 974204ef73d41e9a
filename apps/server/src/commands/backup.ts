/** `glacis backup` and `glacis restore`: an installation as one file, and back. */
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
import { isAway, isShort } from '#database/loss.ts'
import { openDatabase } from '#database/index.ts'
import { migrate } from '#database/migrate.ts'
import { everyMigration } from '../every-migration.ts'
import { createJobs } from '#jobs.ts'
import { lockFolder } from '#lock.ts'
import { createLogger, type Logger } from '#log.ts'
import { afterRestore } from '#notifications/index.ts'
import { Obstacle, WrongWords } from '#obstacle.ts'
import { version } from '#version.ts'
import { writeNewFile } from './new-file.ts'
import { reachDatabase } from './reach.ts'

const backupUsage = `Usage: glacis backup <file>

Writes the whole installation into one new file: accounts and their sign-ins, scopes, scans, risks and
what is known of threats. It works whether or not Glacis runs, and shows one moment. The file opens
every account of this installation: keep it as you keep your passwords.`
const restoreUsage = `Usage: glacis restore <file>

Puts a backup into an installation in which nobody has anything yet, such as a new data folder
(GLACIS_DATA) or an empty database (DATABASE_URL). Glacis must not run there. All comes back or nothing.`

interface Place {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly root: string
}

/**
 * Writes a backup.
 *
 * @param words what stands behind `glacis backup`
 * @throws Obstacle when the words, the file or the database do not allow it; no file is left then
 */
export async function backup(words: readonly string[], { environment, root }: Place): Promise<void> {
  const file = fileOf('backup', words)
  if (file === null) return print(backupUsage)
  const config = readConfig(environment, root)
  await using reached = await reachDatabase(config, createLogger({ level: 'error' }))
  await writeNewFile(file, async (handle) => {
    const archive = pack()
    const filling = fill(archive, reached.url, packsOf(config)).catch((error: unknown) => {
      archive.destroy(error instanceof Error ? error : new Error(String(error)))
    })
    const packed = createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } })
    await pipeline(archive, packed, handle.createWriteStream())
    await filling
  }).catch((cause: unknown) => {
    throw isAway(cause) || isShort(cause) ? lossOf(cause, 'No backup was written.') : cause
  })
  const { size } = await stat(file)
  print(`The backup is in ${file} (${Math.max(1, Math.round(size / 1e6))} MB).`)
}

async function fill(archive: Pack, url: string, packs: string): Promise<void> {
  for await (const { name, content } of dumpDatabase(url, version)) {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    archive.entry({ name, mode: 0o600 }, content, (error) => (error ? reject(error) : resolve()))
    await promise
  }
  const entries = await readdir(packs, { recursive: true, withFileTypes: true }).catch(() => []) // nothing was fetched
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name)
    const { size } = await stat(path)
    const name = `packs/${relative(packs, path)}`
    // Cut at its first size: a feed may be at work on it, and fetches it again.
    await pipeline(createReadStream(path, { end: Math.max(0, size - 1) }), archive.entry({ name, size, mode: 0o600 }))
  }
  archive.finalize()
}

/**
 * Restores a backup.
 *
 * @param words what stands behind `glacis restore`
 * @throws Obstacle when the words, the file or the installation do not allow it; nothing is changed then
 */
export async function restore(words: readonly string[], { environment, root }: Place): Promise<void> {
  const file = fileOf('restore', words)
  if (file === null) return print(restoreUsage)
  await stat(file).catch((cause: unknown) => {
    throw new Obstacle(`${file} cannot be read (${reason(cause)}).`, { cause })
  })
  const config = readConfig(environment, root)
  const log = createLogger({ level: 'error' })
  await using held = new AsyncDisposableStack()
  held.defer(await lockFolder(config.dataFolder))
  const url = config.databaseUrl ?? (await startEmbedded(config, log, held))
  const draft = `${packsOf(config)}.restored`
  held.defer(() => rm(draft, { recursive: true, force: true }))
  const loaded = await loadDatabase(url, partsOf(file), {
    prepare: (names) => prepare(url, names, log),
    keep: (part) => keep(part, draft),
    settle: afterRestore,
  }).catch((cause: unknown) => {
    if (isAway(cause) || isShort(cause)) throw lossOf(cause, 'Nothing was restored; perhaps its disk is full.')
    if (!isDamage(cause)) throw cause
    throw new Obstacle(`${file} is no backup, or is damaged (${reason(cause)}). Nothing was restored.`, { cause })
  })
  await rm(packsOf(config), { recursive: true, force: true })
  await rename(draft, packsOf(config)).catch(() => undefined) // there were none
  print(`${loaded.rows} rows are restored, as they were on ${loaded.createTime}; start Glacis to go on.`)
}

async function startEmbedded(config: Config, log: Logger, held: AsyncDisposableStack): Promise<string> {
  const postgres = await startPostgres({ dataFolder: config.dataFolder, log })
  held.defer(() => postgres.stop())
  return postgres.url
}

/** Makes the tables of those migrations in a database in which nobody has anything. */
async function prepare(url: string, names: readonly string[], log: Logger): Promise<void> {
  const known = new Set<string>(everyMigration.map(({ name }) => name))
  if (!names.every((name) => known.has(name)))
    throw new Obstacle('The backup was made by a newer release of Glacis; restore it with that one.')
  await using opened = new AsyncDisposableStack()
  const database = openDatabase(url, log, { app: 1, owner: 2 })
  opened.defer(() => database.close())
  const jobs = createJobs(url, log, { supervise: false })
  opened.defer(() => jobs.close())
  await migrate(
    database.owner,
    everyMigration.filter(({ name }) => names.includes(name)),
  )
  const { count } = await database.owner
    .selectFrom('account')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
  if (Number(count) > 0) {
    const words = `Somebody has an account here already (${count}), which a restore would overwrite`
    throw new Obstacle(`${words}; name a new folder in GLACIS_DATA, or an empty database in DATABASE_URL.`)
  }
  await jobs.prepare(database.owner)
}

/** The files of a backup, one after the other. What is wrong with the file itself is told by an Obstacle. */
async function* partsOf(file: string): AsyncGenerator<PartStream> {
  const entries = extract()
  const reading = pipeline(createReadStream(file), createZstdDecompress(), entries)
  reading.catch(() => undefined) // whoever reads the entries meets it
  for await (const entry of entries) {
    yield { name: entry.header.name, bytes: Readable.from(entry as AsyncIterable<Buffer>, { objectMode: false }) }
    entry.resume()
  }
  await reading
}

function lossOf(cause: unknown, consequence: string): Obstacle {
  return new Obstacle(`The database ended in the middle of it (${reason(cause)}). ${consequence}`, { cause })
}

/** Of the archive and its packing; those of the database and of the disk say what they are. */
function isDamage(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /^(?:Z|ERR_Z|ZSTD)/.test(code) || (error instanceof Error && /tar|Unexpected end/i.test(error.message))
}

async function keep({ name, bytes }: PartStream, folder: string): Promise<void> {
  const place = relative('packs', name)
  if (place.startsWith('..') || isAbsolute(place)) return void bytes.resume()
  const path = join(folder, place)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await pipeline(bytes, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
}

function packsOf({ dataFolder }: Config): string {
  return join(dataFolder, 'packs')
}

/** Null where help is asked for. */
function fileOf(command: string, words: readonly string[]): string | null {
  const [file = '--help', ...more] = words
  if (['--help', '-h', 'help'].includes(file)) return null
  if (more.length > 0 || file.startsWith('-')) throw new WrongWords(`It must be: glacis ${command} <file>`)
  return file
}

function reason(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
